// cpp/bind/voting.hpp: what voting.cpp adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace polytomy {

void bind_voting(nanobind::module_& m);

}  // namespace polytomy
