// cpp/bind/alternatives.hpp: binds grow/alternatives.hpp and prune/fold_leaves.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_alternatives(nanobind::module_& m);

}  // namespace polytomy
