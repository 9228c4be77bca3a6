// tests/cpp/test_cancellation.cpp: calls end when they are asked to, on all their threads.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "check.hpp"

using namespace polytomy;

namespace {

struct Interrupt : std::runtime_error {
    Interrupt() : std::runtime_error("interrupt") {}
};

class Call final : public CancellableCall {
 public:
    std::atomic<bool> is_over{false};
    int looks = 0;

 private:
    void look() override {
        ++looks;
        if (is_over) throw Interrupt();
    }
};

constexpr std::size_t kMuch = std::size_t{1} << 20;

// Returns whether a function throws an interrupt.
template <class Function>
bool is_interrupted(Function&& function) {
    try {
        function();
    } catch (const Interrupt&) {
        return true;
    }
    return false;
}

// Works until it is ended, or for a minute.
void work_on() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) poll(kMuch);
}

void work_without_a_call_goes_on() {
    for (int i = 0; i < 10; ++i) poll(kMuch);
}

void a_call_looks_now_and_then() {
    Call call;
    const auto end = std::chrono::steady_clock::now() + 4 * CancellableCall::kPatience;
    while (std::chrono::steady_clock::now() < end) poll(kMuch);
    CHECK(call.looks >= 2 && call.looks <= 6);
    call.is_over = true;
    CHECK(is_interrupted(work_on));
}

// Whichever thread is at work, all of them end, and the caller gets the reason.
void threads_end_with_their_call() {
    for (const std::size_t busy : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{9}}) {
        Call call;
        std::jthread other([&] { call.is_over = true; });
        CHECK(is_interrupted([&] {
            parallel_blocks(3, 3, [&](std::size_t block, std::size_t, std::size_t) {
                if (busy == 9 || block == busy % 3) work_on();
            });
        }));
    }
}

void threads_of_threads_end_too() {
    Call call;
    call.is_over = true;
    CHECK(is_interrupted([] {
        parallel_blocks(2, 2, [](std::size_t, std::size_t, std::size_t) {
            parallel_blocks(2, 2, [](std::size_t, std::size_t, std::size_t) { work_on(); });
        });
    }));
}

// The reason is thrown once; it is not lost while the caller waits for the other threads.
void a_call_that_was_ended_stays_so() {
    Call call;
    call.is_over = true;
    CHECK(is_interrupted(work_on));
    call.is_over = false;
    bool is_cancelled = false;
    try {
        poll(kMuch);
    } catch (const Cancelled&) {
        is_cancelled = true;
    }
    CHECK(is_cancelled && call.looks == 1);
}

void nested_calls_have_their_own_ends() {
    Call outer;
    {
        Call inner;
        inner.is_over = true;
        CHECK(is_interrupted(work_on));
    }
    CHECK(work_of_thread.call == &outer && work_of_thread.made_it);
    parallel_blocks(4, 2, [](std::size_t, std::size_t, std::size_t) { poll(kMuch); });
}

void parts_cover_a_range() {
    std::size_t next = 7;
    in_parts(7, 200000, 1, [&](std::size_t first, std::size_t last) {
        CHECK(first == next && last > first);
        next = last;
    });
    CHECK(next == 200000);
}

}  // namespace

int main() {
    return check::run(work_without_a_call_goes_on, a_call_looks_now_and_then, threads_end_with_their_call,
                      threads_of_threads_end_too, a_call_that_was_ended_stays_so, nested_calls_have_their_own_ends,
                      parts_cover_a_range);
}
