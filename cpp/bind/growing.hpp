// cpp/bind/growing.hpp: binds growth.hpp and alternatives.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_growing(nanobind::module_& m);

}  // namespace polytomy
