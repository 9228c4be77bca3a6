// cpp/bind/weighing.hpp: binds weigh.hpp, the update of weights between rounds of boosting.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_weighing(nanobind::module_& m);

}  // namespace polytomy
