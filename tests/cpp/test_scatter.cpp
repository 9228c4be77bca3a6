// tests/cpp/test_scatter.cpp: partitions of rows against one pass per branch.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "check.hpp"
#include "grow/scatter.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

template <class Code>
void compare(Random& random, std::size_t n_rows, std::size_t n, std::size_t n_codes, std::size_t branches) {
    std::vector<Code> codes(n_rows);
    for (Code& code : codes) code = static_cast<Code>(random.below(n_codes));
    std::vector<Row> members(n_rows);
    std::iota(members.begin(), members.end(), Row{0});
    if (random.one_in(2)) std::shuffle(members.begin(), members.end(), random.engine);
    members.resize(n);

    // Codes that no member has may have no branch; some branches may be empty.
    std::vector<Branch> branch_of_code(n_codes, kUnseen);
    for (const Row row : members) {
        Branch& branch = branch_of_code[codes[row]];
        if (branch == kUnseen) branch = static_cast<Branch>(random.below(branches));
    }
    std::vector<Row> want;
    std::vector<std::int64_t> want_sizes(branches, 0);
    std::vector<std::vector<Row>> rows_of(branches);
    for (const Row row : members) rows_of[static_cast<std::size_t>(branch_of_code[codes[row]])].push_back(row);
    for (std::size_t b = 0; b < branches; ++b) {
        want_sizes[b] = static_cast<std::int64_t>(rows_of[b].size());
        want.insert(want.end(), rows_of[b].begin(), rows_of[b].end());
    }
    const CodeColumn column{codes.data(), static_cast<int>(sizeof(Code)), static_cast<std::uint32_t>(n_codes)};
    for (const int threads : {0, 1, 3, 8}) {
        std::vector<Row> got(n + 2, 77);
        std::vector<std::int64_t> sizes(branches, -5);
        scatter(members.data(), n, column, branch_of_code, got.data(), sizes, threads);
        CHECK(std::equal(want.begin(), want.end(), got.begin()));
        CHECK(sizes == want_sizes);
        CHECK(got[n] == 77 && got[n + 1] == 77);
        std::vector<Row> sorted = members, scratch;
        partition(sorted.data(), n, column, branch_of_code, scratch, sizes, threads);
        CHECK(sorted == want);
        CHECK(sizes == want_sizes);
        CHECK(scratch.size() == (branches == 2 ? n : n - static_cast<std::size_t>(want_sizes[0])));
        if (n < codes.size()) continue;
        std::vector<Row> all(n), every(n), from_all(n);
        std::iota(all.begin(), all.end(), Row{0});
        scatter(all.data(), n, column, branch_of_code, every.data(), sizes, threads);
        scatter(nullptr, n, column, branch_of_code, from_all.data(), sizes, threads);
        CHECK(every == from_all);
    }
}

void scatter_matches_one_pass_per_branch() {
    Random random(15);
    check::cases(300, [&](long) {
        const std::size_t rows = random.below(200);
        const std::size_t n = random.below(rows + 1);
        compare<std::uint8_t>(random, rows, n, 1 + random.below(256), 1 + random.below(12));
        compare<std::uint16_t>(random, rows, n, 1 + random.below(65536), 1 + random.below(300));
        compare<std::uint32_t>(random, rows, n, 1 + random.below(100000), 1 + random.below(300));
    });
}

// Enough rows for eight threads, with up to 20,000 branches.
void scatter_of_many_rows_is_stable() {
    Random random(16);
    compare<std::uint8_t>(random, 450001, 420007, 256, 2);
    compare<std::uint8_t>(random, 450001, 420007, 256, 3);
    compare<std::uint16_t>(random, 410000, 410000, 65536, 20000);
    compare<std::uint32_t>(random, 420000, 400001, 70000, 1);
}

void partition_of_many_ascending_rows_needs_no_copy() {
    Random random(17);
    constexpr std::size_t kRows = 5'000'000;
    std::vector<std::uint8_t> codes(kRows);
    for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random.below(256));
    const CodeColumn column{codes.data(), 1, 256};
    for (const std::size_t branches : {2, 5}) {
        std::vector<Branch> branch_of_code(256);
        for (Branch& branch : branch_of_code) branch = static_cast<Branch>(random.below(branches));
        std::vector<Row> members;
        for (Row row = 70; row < kRows; ++row) {
            if (!random.one_in(3)) members.push_back(row);
        }
        std::vector<Row> want;
        for (std::size_t b = 0; b < branches; ++b) {
            std::copy_if(members.begin(), members.end(), std::back_inserter(want),
                         [&](Row row) { return branch_of_code[codes[row]] == static_cast<Branch>(b); });
        }
        for (const int threads : {1, 3, 64}) {
            std::vector<Row> got = members, scratch;
            std::vector<std::int64_t> sizes(branches, -5);
            partition(got.data(), got.size(), column, branch_of_code, scratch, sizes, threads);
            CHECK(got == want);
            CHECK(scratch.empty());
            std::size_t begin = 0;  // each branch has the rows that its size says
            for (std::size_t b = 0; b < branches; ++b) {
                const auto end = begin + static_cast<std::size_t>(sizes[b]);
                const std::span part = std::span(got).subspan(begin, end - begin);
                CHECK(std::all_of(part.begin(), part.end(),
                                  [&](Row row) { return branch_of_code[codes[row]] == static_cast<Branch>(b); }));
                begin = end;
            }
            CHECK(begin == got.size());
        }
        std::swap(members.front(), members.back());
        std::vector<Row> scratch;
        std::vector<std::int64_t> sizes(branches, -5);
        partition(members.data(), members.size(), column, branch_of_code, scratch, sizes, 2);
        CHECK(scratch.size() == (branches == 2 ? members.size() : members.size() - static_cast<std::size_t>(sizes[0])));
        CHECK(!std::is_sorted(members.begin(), members.end()));
    }
}

void scatter_accepts_no_rows() {
    const std::vector<std::uint8_t> codes{0};
    std::vector<std::int64_t> sizes(2, -5);
    const std::vector<Branch> branches{1};
    scatter(nullptr, 0, {codes.data(), 1, 1}, branches, nullptr, sizes, 4);
    CHECK(sizes[0] == 0 && sizes[1] == 0);
    scatter(nullptr, 0, {nullptr, 4, 0}, {}, nullptr, {}, 4);
}

}  // namespace

int main() {
    return check::run(scatter_matches_one_pass_per_branch,
                      scatter_of_many_rows_is_stable,
                      partition_of_many_ascending_rows_needs_no_copy,
                      scatter_accepts_no_rows);
}
