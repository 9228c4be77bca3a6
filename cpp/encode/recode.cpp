// cpp/encode/recode.cpp: see recode.hpp.
#include "encode/recode.hpp"

#include <algorithm>
#include <vector>

#include "base/columns.hpp"
#include "base/multiversion.hpp"
#include "base/parallel.hpp"

namespace polytomy {
namespace {

// Returns the table entry of a code: negative codes, and codes that no category has, use the last entry.
std::size_t place(std::int32_t code, std::uint32_t last) noexcept {
    read_once(code);
    return std::min(static_cast<std::uint32_t>(code), last);
}

// Returns 1 if some codes are negative or those of no category, otherwise 0.
POLYTOMY_MULTIVERSION std::uint8_t has_missing(std::span<const std::int32_t> codes, std::uint32_t last) {
    std::uint32_t most = 0;
    for (const std::int32_t code : codes) most = std::max(most, static_cast<std::uint32_t>(code));
    return most >= last ? 1 : 0;
}

constexpr std::size_t kGrain = 100000;  // rows per thread for which starting it pays off

template <class Code>
void recode_as(std::span<const std::int32_t> codes, std::span<const std::uint32_t> new_code, const CodeSink& sink, int threads) {
    std::vector<Code> table;
    for (const std::uint32_t code : new_code) table.push_back(static_cast<Code>(std::min(code, sink.n_codes - 1)));
    auto* const out = static_cast<Code*>(sink.data);
    const auto last = static_cast<std::uint32_t>(table.size() - 1);
    parallel_blocks(codes.size(), worth(codes.size(), kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        const Code* const to = table.data();
        for (std::size_t i = begin; i < end; ++i) out[i] = to[place(codes[i], last)];
    });
}

}  // namespace

void occurring(std::span<const std::int32_t> codes, std::span<std::uint8_t> seen, int threads) {
    constexpr std::size_t kBlock = 1 << 14;  // rows
    const int useful = worth(codes.size(), kGrain, threads);
    std::vector<std::vector<std::uint8_t>> own(static_cast<std::size_t>(useful), std::vector<std::uint8_t>(seen.size(), 0));
    const auto last = static_cast<std::uint32_t>(seen.size() - 1);
    parallel_blocks(codes.size(), useful, [&](std::size_t thread, std::size_t begin, std::size_t end) {
        std::uint8_t* const flags = own[thread].data();
        bool all = false;
        for (std::size_t at = begin; at < end; at += kBlock) {
            const std::size_t stop = std::min(at + kBlock, end);
            if (all) {  // only missing cells can be new: 20 columns of 1,000 categories take 0.4 of the time
                flags[last] = flags[last] | has_missing(codes.subspan(at, stop - at), last);
                continue;
            }
            for (std::size_t i = at; i < stop; ++i) flags[place(codes[i], last)] = 1;
            all = seen.size() < kBlock && std::find(flags, flags + last, 0) == flags + last;
        }
    });
    for (const auto& flags : own) {
        for (std::size_t c = 0; c < seen.size(); ++c) seen[c] = seen[c] | flags[c];
    }
}

void recode(std::span<const std::int32_t> codes, std::span<const std::uint32_t> new_code, const CodeSink& sink, int threads) {
    switch (sink.width) {
        case 1: recode_as<std::uint8_t>(codes, new_code, sink, threads); break;
        case 2: recode_as<std::uint16_t>(codes, new_code, sink, threads); break;
        default: recode_as<std::uint32_t>(codes, new_code, sink, threads);
    }
}

}  // namespace polytomy
