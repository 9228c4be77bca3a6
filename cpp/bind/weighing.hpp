// cpp/bind/weighing.hpp: the kernels that weigh rows between two rounds of boosting.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_weighing(nanobind::module_& m);

}  // namespace polytomy
