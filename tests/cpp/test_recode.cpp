// tests/cpp/test_recode.cpp: conversion of codes, and which codes occur.
#include <algorithm>

#include "check.hpp"
#include "encode/recode.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

template <class Code>
void compare(Random& random, std::size_t n, std::size_t categories) {
    std::vector<std::int32_t> codes(n);
    std::vector<std::uint8_t> want_seen(categories + 1, 0);
    std::vector<std::uint32_t> new_code(categories + 1);
    for (std::uint32_t& code : new_code) code = static_cast<std::uint32_t>(random.below(256));
    std::vector<Code> want(n);
    for (std::size_t i = 0; i < n; ++i) {
        const bool missing = categories == 0 || random.one_in(5);
        const std::size_t code = missing ? categories : random.below(categories);
        codes[i] = missing ? (random.one_in(2) ? kMissing : -7) : static_cast<std::int32_t>(code);
        want_seen[code] = 1;
        want[i] = static_cast<Code>(new_code[code]);
    }
    for (const int threads : {0, 1, 3}) {
        std::vector<std::uint8_t> seen(categories + 1, 0);
        occurring(codes, seen, threads);
        CHECK(seen == want_seen);
        std::vector<Code> got(n + 1, 99);
        recode(codes, new_code, {got.data(), static_cast<int>(sizeof(Code)), 256}, threads);
        CHECK(got.back() == 99);
        got.pop_back();
        CHECK(got == want);
    }
}

void recode_matches_a_plain_loop() {
    Random random(77);
    const auto all = [&](std::size_t n, std::size_t categories) {
        compare<std::uint8_t>(random, n, categories);
        compare<std::uint16_t>(random, n, categories);
        compare<std::uint32_t>(random, n, categories);
    };
    check::cases(100, [&](long) { all(random.below(50), random.below(9)); });
    all(350000, 40);  // enough for three threads
}

// After all categories have been seen, missing cells, and codes of no category, are still noticed.
void occurring_notices_late_missing_cells() {
    Random random(78);
    for (const std::size_t rows : {30000U, 400000U}) {
        std::vector<std::int32_t> codes(rows);
        for (std::int32_t& code : codes) code = static_cast<std::int32_t>(random.below(30));
        for (const std::int32_t late : {5, -1, -9, 30, 99}) {
            codes.back() = late;
            const std::uint8_t missing = late == 5 ? 0 : 1;
            for (const int threads : {1, 3}) {
                std::vector<std::uint8_t> seen(31, 0);
                occurring(codes, seen, threads);
                CHECK(std::all_of(seen.begin(), seen.end() - 1, [](std::uint8_t s) { return s == 1; }));
                CHECK(seen.back() == missing);
            }
        }
    }
}

}  // namespace

int main() { return check::run(recode_matches_a_plain_loop, occurring_notices_late_missing_cells); }
