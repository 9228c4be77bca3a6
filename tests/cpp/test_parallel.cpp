// tests/cpp/test_parallel.cpp: blocks cover the range once, and small tasks stay on one thread.
#include <limits>

#include "base/parallel.hpp"
#include "check.hpp"

using namespace polytomy;

namespace {

void parallel_blocks_cover_the_range_once() {
    for (std::size_t n = 0; n < 40; ++n) {
        for (int threads = -1; threads < 12; ++threads) {
            const auto blocks = static_cast<std::size_t>(std::max(1, threads));
            std::vector<int> seen(n, 0), called(blocks, 0);
            std::vector<std::size_t> begins(blocks), ends(blocks);
            parallel_blocks(n, threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
                ++called[block];
                begins[block] = begin;
                ends[block] = end;
                for (std::size_t i = begin; i < end; ++i) ++seen[i];
            });
            for (const int times : seen) CHECK(times == 1);
            for (std::size_t b = 0; b < blocks; ++b) {
                CHECK(called[b] == 1);
                CHECK(begins[b] == (b == 0 ? 0 : ends[b - 1]));
                CHECK(ends[b] - begins[b] <= n / blocks + 1);
            }
            CHECK(ends.back() == n);
        }
    }
}

// All blocks finish; the exception of the first one that threw is rethrown.
void parallel_blocks_rethrow_exceptions() {
    for (int threads = 1; threads < 6; ++threads) {
        for (std::size_t first = 0; first < static_cast<std::size_t>(threads); ++first) {
            std::vector<int> called(static_cast<std::size_t>(threads), 0);
            std::size_t caught = 99;
            try {
                parallel_blocks(10, threads, [&](std::size_t block, std::size_t, std::size_t) {
                    ++called[block];
                    if (block >= first) throw block;
                });
            } catch (std::size_t block) {
                caught = block;
            }
            CHECK(caught == first);
            for (const int times : called) CHECK(times == 1);
        }
    }
}

void worth_limits_the_threads() {
    CHECK(worth(0, 10, 8) == 1);
    CHECK(worth(19, 10, 8) == 1);
    CHECK(worth(20, 10, 8) == 2);
    CHECK(worth(1000, 10, 8) == 8);
    CHECK(worth(1000, 0, 8) == 8);
    CHECK(worth(1000, 10, 0) == 1);
    CHECK(worth(1000, 10, -3) == 1);
    CHECK(worth(std::numeric_limits<std::size_t>::max(), 1, 4) == 4);
}

}  // namespace

int main() {
    return check::run(parallel_blocks_cover_the_range_once,
                      parallel_blocks_rethrow_exceptions,
                      worth_limits_the_threads);
}
