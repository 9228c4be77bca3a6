// cpp/base/parallel.hpp: static blocks of work on short-lived threads.
//
// Threads are created in each call and joined before it returns: there is no pool to break after a fork. A call too
// small to profit from threads (see `worth`) stays on the caller's thread. The result of a block never depends on the
// number of blocks. Threads that cannot be started are done without: the caller's thread runs their blocks. All threads
// work for the call of the caller's thread, which looks for an interrupt while it waits for the others.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cancellation.hpp"

namespace polytomy {

// Returns the number of threads to use for `work` units if each thread should get at least `grain` of them.
inline int worth(std::size_t work, std::size_t grain, int threads) noexcept {
    const std::size_t useful = std::max<std::size_t>(1, work / std::max<std::size_t>(1, grain));
    return static_cast<int>(std::min<std::size_t>(useful, static_cast<std::size_t>(std::max(1, threads))));
}

// Returns whether this thread has the memory to throw. The first use of thread-local data, of exceptions and of calls that
// can be ended, allocates a few bytes, and the system ends the process if it cannot. So memory is tried for first, and then
// the bytes are taken at once. Other threads may allocate in between: far more is tried for than they take in that moment.
inline bool can_throw() noexcept {
    constexpr std::size_t kReserve = std::size_t{1} << 16;
    void* volatile some = std::malloc(kReserve);
    if (some == nullptr) return false;
    std::free(some);
    const volatile bool is_called = work_of_thread.call != nullptr;  // volatile: read although the result is not needed
    const volatile int in_flight = std::uncaught_exceptions();
    static_cast<void>(is_called);
    static_cast<void>(in_flight);
    return true;
}

// Threads that have not ended yet, and a wait for them that can be interrupted.
class RunningThreads {
 public:
    void begin(std::size_t n) {
        const std::lock_guard held(lock_);
        running_ += n;
    }
    void end(std::size_t n = 1) noexcept {
        const std::lock_guard held(lock_);
        running_ -= n;
        if (running_ == 0) none_left_.notify_one();
    }
    // Returns what ends the call, if something does; the threads then end soon, and are waited for all the same.
    [[nodiscard]] std::exception_ptr wait() noexcept {
        std::exception_ptr thrown;
        std::unique_lock held(lock_);
        const auto are_done = [this] { return running_ == 0; };
        CancellableCall* const call = work_of_thread.call;
        while (call != nullptr && !thrown && !none_left_.wait_for(held, CancellableCall::kPatience, are_done)) {
            held.unlock();
            try {
                call->check();
            } catch (...) {
                thrown = std::current_exception();
            }
            held.lock();
        }
        none_left_.wait(held, are_done);
        return thrown;
    }

 private:
    std::mutex lock_;
    std::condition_variable none_left_;
    std::size_t running_ = 0;
};

// Calls body(block, begin, end) for `threads` consecutive blocks of 0..n. If bodies throw (memory may run out, or the call is
// to end), all threads are joined first, and then the exception of the first such block is rethrown in the caller; blocks
// whose threads could not be started are then left out.
template <class Body>
void parallel_blocks(std::size_t n, int threads, Body&& body) {
    const auto blocks = static_cast<std::size_t>(std::max(1, threads));
    const auto bound = [n, blocks](std::size_t b) {
        return n / blocks * b + std::min(b, n % blocks);
    };
    if (blocks == 1) {
        body(std::size_t{0}, bound(0), bound(1));
        return;
    }
    std::vector<std::exception_ptr> thrown(blocks);
    std::vector<char> left(blocks, 1);  // blocks for the caller's thread
    const auto guarded = [&](std::size_t b) noexcept {
        try {
            body(b, bound(b), bound(b + 1));
        } catch (...) {
            thrown[b] = std::current_exception();
        }
    };
    RunningThreads running;
    std::mutex trying;  // for memory: two threads at once could count on the same
    const auto may_work = [&trying]() noexcept {
        const std::lock_guard held(trying);
        return can_throw();
    };
    CancellableCall* const call = work_of_thread.call;
    const auto on_worker = [&](std::size_t b) noexcept {
        if (may_work()) {
            work_of_thread.call = call;
            left[b] = 0;
            guarded(b);
        }
        running.end();
    };
    std::exception_ptr ended;
    {
        std::vector<std::jthread> workers;
        workers.reserve(blocks - 1);
        running.begin(blocks - 1);
        try {
            while (workers.size() + 1 < blocks) workers.emplace_back(on_worker, workers.size() + 1);
        } catch (const std::system_error&) {  // no more threads, or no memory for their stacks
        } catch (const std::bad_alloc&) {
        }
        running.end(blocks - 1 - workers.size());
        guarded(0);
        left[0] = 0;
        ended = running.wait();
    }
    if (thrown[0]) std::rethrow_exception(thrown[0]);  // first: `ended` may be no more than Cancelled, which follows a reason
    if (ended) std::rethrow_exception(ended);
    for (const std::exception_ptr& exception : thrown) {
        if (exception) std::rethrow_exception(exception);
    }
    for (std::size_t b = 0; b < blocks; ++b) {
        if (left[b] != 0) body(b, bound(b), bound(b + 1));
    }
}

}  // namespace polytomy
