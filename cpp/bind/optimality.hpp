// cpp/bind/optimality.hpp: the binding of the search for the best tree of a size.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_optimality(nanobind::module_& m);

}  // namespace polytomy
