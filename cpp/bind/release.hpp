// cpp/bind/release.hpp: calls of kernels without the interpreter lock, which Ctrl-C and a Cancellation can end.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace nb = nanobind;

namespace polytomy {

// Lets other threads of Python run. What can end the call is asked for while the lock is held (endings() in
// src/polytomy/_cancellation.py): a signal if this is the main thread, and the flags of Cancellations, which poll() reads
// without the lock. Only the main thread takes the lock to look, for signals; another one would wait for nothing while
// a third has it. It also takes the memory that this thread's first exception needs, while there is some.
class Release final : public CancellableCall {
 public:
    Release() {
        can_throw();
        static PyObject* asked = nullptr;  // kept for good; without a guard, as the interpreter lock is held
        if (asked == nullptr) asked = nb::getattr(nb::module_::import_("polytomy._cancellation"), "endings").release().ptr();
        endings_ = nb::handle(asked)();
        handles_signals_ = nb::cast<bool>(endings_[0]);
        for (const nb::handle flag : endings_[1]) flags_.push_back(PyByteArray_AsString(flag.ptr()));
        released_ = PyEval_SaveThread();
    }
    ~Release() override { PyEval_RestoreThread(released_); }

 private:
    void look() override {
        if (!handles_signals_ && !is_cancelled()) return;
        const nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        nb::module_::import_("polytomy._cancellation").attr("check")();
    }

    [[nodiscard]] bool is_cancelled() const noexcept {
        return std::any_of(flags_.begin(), flags_.end(), [](const volatile char* flag) {
            return *flag != 0;
        });
    }

    nb::object endings_;  // keeps the flags alive
    bool handles_signals_ = true;
    std::vector<const volatile char*> flags_;  // bytes that another thread may set
    PyThreadState* released_ = nullptr;
};

}  // namespace polytomy
