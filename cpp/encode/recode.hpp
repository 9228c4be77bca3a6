// cpp/encode/recode.hpp: the codes a frame gave its categories to our own, which follow the sorted categories.
#pragma once

#include <cstdint>
#include <span>

#include "encode/encode.hpp"
#include "base/types.hpp"

namespace polytomy {

// seen[c] becomes 1 where some row has code c; a negative code is a missing cell, and the last entry of `seen` says
// whether there is one.
void occurring(std::span<const std::int32_t> codes, std::span<std::uint8_t> seen, int threads);

// Write new_code[c] for each code c, and its last entry for a missing cell.
void recode(std::span<const std::int32_t> codes, std::span<const std::uint32_t> new_code, const CodeSink& sink, int threads);

}  // namespace polytomy
