// cpp/bind/growing.hpp: what growing.cpp adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_growing(nanobind::module_& m);

}  // namespace polytomy
