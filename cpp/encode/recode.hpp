// cpp/encode/recode.hpp: converts a data frame's category codes to ours, which follow the sorted categories.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"
#include "encode/encode.hpp"

namespace polytomy {

// Sets seen[c] to 1 if a row has code c. A negative code is a missing cell; the last entry of `seen` stands for those.
void occurring(std::span<const std::int32_t> codes, std::span<std::uint8_t> seen, int threads);

// Writes new_code[c] for each code c, and the last entry of new_code for a missing cell; the last code of the sink if
// that is larger.
void recode(std::span<const std::int32_t> codes, std::span<const std::uint32_t> new_code, const CodeSink& sink, int threads);

}  // namespace polytomy
