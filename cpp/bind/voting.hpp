// cpp/bind/voting.hpp: binds vote.hpp and lookup.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_voting(nanobind::module_& m);

}  // namespace polytomy
