// cpp/grow/scatter.cpp: see scatter.hpp.
#include "grow/scatter.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

// Two branches: both cursors stay in registers, and the choice between them is a conditional move rather than a jump. This
// is twice as fast as the general loop, whose cursors are in memory.
template <class Member, class Code>
void place_two(const Member& member, std::size_t begin, std::size_t end, const Code* codes, const Branch* branch,
               Row* out, std::size_t left, std::size_t right) {
    for (std::size_t i = begin; i < end; ++i) {
        const Row row = member(i);
        const auto b = static_cast<std::size_t>(branch[codes[row]]);
        out[b != 0 ? right : left] = row;
        right += b;
        left += 1 - b;
    }
}

template <class Member>
void scatter_rows(const Member& member, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code, Row* out,
                  std::span<std::int64_t> sizes, int threads) {
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
                for (std::size_t i = begin; i < end; ++i) right += static_cast<std::size_t>(branch[codes[member(i)]]);
                count[0] = end - begin - right;
                count[1] = right;
                return;
            }
            for (std::size_t i = begin; i < end; ++i) ++count[branch[codes[member(i)]]];
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
                place_two(member, begin, end, codes, branch, out, to[0], to[1]);
                return;
            }
            for (std::size_t i = begin; i < end; ++i) {
                const Row row = member(i);
                out[to[branch[codes[row]]]++] = row;
            }
        });
    });
}

}  // namespace

void scatter(const Row* members, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code, Row* out,
             std::span<std::int64_t> sizes, int threads) {
    if (members == nullptr) {
        scatter_rows([](std::size_t i) { return static_cast<Row>(i); }, n, column, branch_of_code, out, sizes, threads);
    } else {
        scatter_rows([members](std::size_t i) { return members[i]; }, n, column, branch_of_code, out, sizes, threads);
    }
}

}  // namespace polytomy
