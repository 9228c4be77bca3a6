// cpp/grow/scatter.cpp: see scatter.hpp.
#include "grow/scatter.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kGrain = 50000;  // rows that make a thread worthwhile

// How many rows of each block of rows go to each branch: place[block * k + b].
template <class Member, class Code>
std::vector<std::size_t> counted(const Member& member, std::size_t n, const Code* codes, const Branch* branch,
                                 std::size_t k, int threads) {
    std::vector<std::size_t> place(static_cast<std::size_t>(threads) * k, 0);
    parallel_blocks(n, threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
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
    return place;
}

// Turn the counts into the position of the first row of each block and branch, branch by branch; fill in the sizes.
void accumulate_places(std::vector<std::size_t>& place, std::span<std::int64_t> sizes) {
    const std::size_t k = sizes.size();
    std::size_t next = 0;
    for (std::size_t b = 0; b < k; ++b) {
        const std::size_t start = next;
        for (std::size_t at = b; at < place.size(); at += k) {
            const std::size_t count = place[at];
            place[at] = next;
            next += count;
        }
        sizes[b] = static_cast<std::int64_t>(next - start);
    }
}

// Two branches: both cursors stay in registers, and the choice between them is a conditional move rather than a jump. This
// is twice as fast as the general loop, whose cursors are in memory.
template <class Member, class Code>
void place_two(const Member& member, std::size_t begin, std::size_t end, const Code* codes, const Branch* branch,
               Row* left, Row* right) {
    for (std::size_t i = begin; i < end; ++i) {
        const Row row = member(i);
        const auto b = static_cast<std::size_t>(branch[codes[row]]);
        *(b != 0 ? right : left) = row;
        right += b;
        left += 1 - b;
    }
}

template <class Member>
void scatter_rows(const Member& member, std::size_t n, const CodeColumn& column, const Branch* branch, Row* out,
                  std::span<std::int64_t> sizes, int threads) {
    const std::size_t k = sizes.size();
    const int useful = worth(n, std::max(kGrain, 4 * k), threads);
    with_codes(column, [&](const auto* codes) {
        std::vector<std::size_t> place = counted(member, n, codes, branch, k, useful);
        accumulate_places(place, sizes);
        parallel_blocks(n, useful, [&](std::size_t block, std::size_t begin, std::size_t end) {
            std::size_t* to = place.data() + block * k;
            if (k == 2) {
                place_two(member, begin, end, codes, branch, out + to[0], out + to[1]);
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
    const Branch* branch = branch_of_code.data();
    if (members == nullptr) {
        scatter_rows([](std::size_t i) { return static_cast<Row>(i); }, n, column, branch, out, sizes, threads);
    } else {
        scatter_rows([members](std::size_t i) { return members[i]; }, n, column, branch, out, sizes, threads);
    }
}

void partition(Row* members, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code,
               std::vector<Row>& scratch, std::span<std::int64_t> sizes, int threads) {
    const std::size_t k = sizes.size();
    const int useful = worth(n, std::max(kGrain, 4 * k), threads);
    const Branch* branch = branch_of_code.data();
    const auto member = [members](std::size_t i) { return members[i]; };
    std::size_t first = 0;  // rows of branch 0
    std::vector<std::pair<std::size_t, std::size_t>> kept(static_cast<std::size_t>(useful));  // by block: where, how many
    with_codes(column, [&](const auto* codes) {
        std::vector<std::size_t> place = counted(member, n, codes, branch, k, useful);
        for (std::size_t block = 0; block < kept.size(); ++block) kept[block].second = place[block * k];
        accumulate_places(place, sizes);
        first = static_cast<std::size_t>(sizes[0]);
        if (scratch.size() < n - first) scratch.resize(n - first);
        Row* const rest = scratch.data();
        parallel_blocks(n, useful, [&](std::size_t block, std::size_t begin, std::size_t end) {
            kept[block].first = begin;
            std::size_t* to = place.data() + block * k;
            Row* stay = members + begin;  // never ahead of the row being read
            if (k == 2) {
                place_two(member, begin, end, codes, branch, stay, rest + (to[1] - first));
                return;
            }
            for (std::size_t i = begin; i < end; ++i) {
                const Row row = members[i];
                const auto b = static_cast<std::size_t>(branch[codes[row]]);
                if (b == 0) {
                    *stay++ = row;
                } else {
                    rest[to[b]++ - first] = row;
                }
            }
        });
    });
    Row* next = members;
    for (const auto& [begin, size] : kept) next = std::copy_n(members + begin, size, next);
    parallel_blocks(n - first, worth(n - first, kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        std::copy(scratch.data() + begin, scratch.data() + end, members + first + begin);
    });
}

}  // namespace polytomy
