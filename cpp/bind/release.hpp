// cpp/bind/release.hpp: calls of kernels without the interpreter lock, which Ctrl-C and a Cancellation can end.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace nb = nanobind;

namespace polytomy {

// Calls a function that takes the interpreter lock. When Python shuts down, it ends all other threads that ask for the lock,
// before 3.14 by pthread_exit(), which unwinds the stack on some systems; functions that are noexcept, and the threads of
// a kernel, whose data are on that stack, do not survive that. Such a thread waits here for the end of the process instead.
template <class Take>
auto take_lock(Take&& take) noexcept {
    try {
        return take();
    } catch (...) {  // not an exception of C++: the functions of Python have none
        for (;;) std::this_thread::sleep_for(std::chrono::hours(24));
    }
}

// Holds the interpreter lock, on any thread.
class Hold {
 public:
    Hold() noexcept : state_(take_lock([] { return PyGILState_Ensure(); })) {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { PyGILState_Release(state_); }

 private:
    PyGILState_STATE state_;
};

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
    ~Release() override {
        take_lock([this] { PyEval_RestoreThread(released_); });
    }

 private:
    void look() override {
        if (!handles_signals_ && !is_cancelled()) return;
        const Hold held;
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
