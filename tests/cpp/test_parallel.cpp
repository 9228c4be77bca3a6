// tests/cpp/test_parallel.cpp: blocks cover the work once, and small work stays on one thread.
#include <limits>

#include "check.hpp"
#include "parallel.hpp"

using namespace polytomy;

namespace {

void blocks_cover_once() {
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

void worth_starting() {
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

int main() { return check::run(blocks_cover_once, worth_starting); }
