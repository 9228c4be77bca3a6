// cpp/base/parallel.hpp: static blocks of work on short-lived threads.
//
// Threads are created in each call and joined before it returns: there is no pool to break after a fork. A call too
// small to profit from threads (see `worth`) stays on the caller's thread. The result of a block never depends on the
// number of blocks. Threads that cannot be started are done without: the caller's thread runs their blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace polytomy {

// Returns the number of threads to use for `work` units if each thread should get at least `grain` of them.
inline int worth(std::size_t work, std::size_t grain, int threads) noexcept {
    const std::size_t useful = std::max<std::size_t>(1, work / std::max<std::size_t>(1, grain));
    return static_cast<int>(std::min<std::size_t>(useful, static_cast<std::size_t>(std::max(1, threads))));
}

// Returns whether this thread has the memory to throw. A thread's first exception allocates a few bytes of thread-local
// data, and the system ends the process if it cannot. So the bytes are tried for first, and then taken at once.
inline bool can_throw() noexcept {
    void* volatile some = std::malloc(1024);
    if (some == nullptr) return false;
    std::free(some);
    const volatile int in_flight = std::uncaught_exceptions();  // volatile: called even if the caller ignores the result
    return in_flight == 0;
}

// Calls body(block, begin, end) for `threads` consecutive blocks of 0..n. If bodies throw (memory may run out), all
// threads are joined first, and then the exception of the first such block is rethrown in the caller.
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
    const auto on_worker = [&](std::size_t b) noexcept {
        if (!can_throw()) return;
        left[b] = 0;
        guarded(b);
    };
    {
        std::vector<std::jthread> workers;
        workers.reserve(blocks - 1);
        std::size_t started = 1;
        try {
            for (; started < blocks; ++started) workers.emplace_back(on_worker, started);
        } catch (const std::system_error&) {  // no more threads, or no memory for their stacks
        } catch (const std::bad_alloc&) {
        }
        guarded(0);
        left[0] = 0;
    }
    for (std::size_t b = 0; b < blocks; ++b) {
        if (left[b] != 0) guarded(b);
    }
    for (const std::exception_ptr& exception : thrown) {
        if (exception) std::rethrow_exception(exception);
    }
}

}  // namespace polytomy
