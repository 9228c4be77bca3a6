// cpp/bind/growing.hpp: binds grow/growth.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_growing(nanobind::module_& m);

}  // namespace polytomy
