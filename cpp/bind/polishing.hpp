// cpp/bind/polishing.hpp: binds polish.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_polishing(nanobind::module_& m);

}  // namespace polytomy
