// cpp/bind/release.hpp: calls of kernels without the interpreter lock, which Ctrl-C and a Cancellation can end.
#pragma once

#include <nanobind/nanobind.h>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace nb = nanobind;

namespace polytomy {

// Lets other threads of Python run. From time to time, poll() takes the lock to handle signals and to see whether another
// thread wants the call to end (src/polytomy/_cancellation.py). It also takes the memory that this thread's first exception
// needs, while there is some.
class Release final : public CancellableCall {
 public:
    Release() { can_throw(); }

 private:
    void look() override {
        const nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        nb::module_::import_("polytomy._cancellation").attr("check")();
    }

    nb::gil_scoped_release released_;
};

}  // namespace polytomy
