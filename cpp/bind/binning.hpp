// cpp/bind/binning.hpp: binds search/binning.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_binning(nanobind::module_& m);

}  // namespace polytomy
