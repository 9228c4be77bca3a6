// cpp/base/cancellation.hpp: ends a call into the core before it is done.
//
// Loops that may take long call poll() with the work they have done since the last call, in steps of about a nanosecond.
// After a few milliseconds of work, poll() looks whether the call is to end, and throws if so. Only the thread that made the
// call looks outside (for a signal, or for another thread's request), a few times a second; other threads learn it from
// a flag. poll() must not be called in functions that are noexcept, or in destructors.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

namespace polytomy {

// Thrown by poll() after the thread that made the call has thrown the reason.
class Cancelled final : public std::exception {
 public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

class CancellableCall;

// The call that a thread works for. The work and the time go on from one call to the next, so that many short calls in a
// row are ended, too.
struct WorkOfThread {
    CancellableCall* call = nullptr;
    bool made_it = false;  // this thread made the call
    std::size_t work = 0;  // since the last check
    std::chrono::steady_clock::time_point next_look{};
};
inline thread_local constinit WorkOfThread work_of_thread{};

// A call that can be ended. While it exists, poll() on this thread and those of parallel_blocks() refer to it. Calls may be
// nested: a user's function that a kernel calls may call another kernel.
class CancellableCall {
 public:
    static constexpr std::chrono::milliseconds kPatience{50};  // between two looks outside

    CancellableCall() noexcept
        : outer_(std::exchange(work_of_thread.call, this)), outer_made_it_(std::exchange(work_of_thread.made_it, true)) {}
    CancellableCall(const CancellableCall&) = delete;
    CancellableCall& operator=(const CancellableCall&) = delete;
    virtual ~CancellableCall() {
        work_of_thread.call = outer_;
        work_of_thread.made_it = outer_made_it_;
    }

    // Throws if the call is to end. On the thread that made the call, `look` is called if it is time to; once that has
    // thrown the reason, all threads get Cancelled.
    void check() {
        WorkOfThread& own = work_of_thread;
        if (is_ended_.load(std::memory_order_relaxed)) throw Cancelled();
        if (!own.made_it) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < own.next_look) return;
        own.next_look = now + kPatience;
        try {
            look();
        } catch (...) {
            is_ended_.store(true, std::memory_order_relaxed);
            throw;
        }
    }

 private:
    virtual void look() = 0;  // throws if the call is to end

    CancellableCall* outer_;
    bool outer_made_it_;
    std::atomic<bool> is_ended_{false};
};

// Throws if the call that this thread works for is to end. `work` is what was done, or is about to be, in steps of about
// a nanosecond.
inline void poll(std::size_t work) {
    constexpr std::size_t kBetweenLooks = std::size_t{1} << 20;
    WorkOfThread& own = work_of_thread;
    own.work += work;
    if (own.work < kBetweenLooks) [[likely]] return;
    own.work = 0;
    if (own.call != nullptr) own.call->check();
}

// Calls body(first, last) for parts of begin..end, and poll() between them. `work` is that of one item.
template <class Body>
void in_parts(std::size_t begin, std::size_t end, std::size_t work, Body&& body) {
    constexpr std::size_t kPart = std::size_t{1} << 16;
    for (std::size_t first = begin; first < end; first += kPart) {
        const std::size_t last = first + std::min(kPart, end - first);
        poll((last - first) * work);
        body(first, last);
    }
}

}  // namespace polytomy
