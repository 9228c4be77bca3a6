// cpp/grow/scatter.cpp: see scatter.hpp.
#include "grow/scatter.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

// Two branches: both cursors stay in registers, and the choice between them is a conditional move rather than a jump. This
// is twice as fast as the general loop, whose cursors are in memory.
template <class Code>
void place_two(const Row* members, std::size_t begin, std::size_t end, const Code* codes, const Branch* branch,
               Row* scratch, std::size_t left, std::size_t right) {
    for (std::size_t i = begin; i < end; ++i) {
        const Row row = members[i];
        const auto b = static_cast<std::size_t>(branch[codes[row]]);
        scratch[b != 0 ? right : left] = row;
        right += b;
        left += 1 - b;
    }
}

}  // namespace

void scatter(Row* members, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code,
             Row* scratch, std::span<std::int64_t> sizes, int threads) {
    constexpr std::size_t kGrain = 50000;  // rows that make a thread worthwhile
    const std::size_t k = sizes.size();
    const int useful = worth(n, std::max(kGrain, 4 * k), threads);
    // place[block * k + b]: first how many rows of the block go to branch b, then where the next one goes.
    std::vector<std::size_t> place(static_cast<std::size_t>(useful) * k, 0);
    with_codes(column, [&](const auto* codes) {
        const Branch* branch = branch_of_code.data();
        parallel_blocks(n, useful, [&](std::size_t block, std::size_t begin, std::size_t end) {
            std::size_t* count = place.data() + block * k;
            if (k == 2) {
                std::size_t right = 0;
                for (std::size_t i = begin; i < end; ++i) right += static_cast<std::size_t>(branch[codes[members[i]]]);
                count[0] = end - begin - right;
                count[1] = right;
                return;
            }
            for (std::size_t i = begin; i < end; ++i) ++count[branch[codes[members[i]]]];
        });
        std::size_t next = 0;
        for (std::size_t b = 0; b < k; ++b) {
            const std::size_t start = next;
            for (std::size_t block = 0; block < static_cast<std::size_t>(useful); ++block) {
                const std::size_t count = place[block * k + b];
                place[block * k + b] = next;
                next += count;
            }
            sizes[b] = static_cast<std::int64_t>(next - start);
        }
        parallel_blocks(n, useful, [&](std::size_t block, std::size_t begin, std::size_t end) {
            std::size_t* to = place.data() + block * k;
            if (k == 2) {
                place_two(members, begin, end, codes, branch, scratch, to[0], to[1]);
                return;
            }
            for (std::size_t i = begin; i < end; ++i) {
                const Row row = members[i];
                scratch[to[branch[codes[row]]]++] = row;
            }
        });
    });
    parallel_blocks(n, useful, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::copy(scratch + begin, scratch + end, members + begin);
    });
}

}  // namespace polytomy
