// cpp/bind/recoding.hpp: binds recode.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_recoding(nanobind::module_& m);

}  // namespace polytomy
