// cpp/encode/encode.hpp: raw columns and their cuts to codes.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "base/types.hpp"

namespace polytomy {

// Where one column's codes go: `width` bytes a cell, one array of rows.
struct CodeSink {
    void* data;
    int width;
};

// The code of a value is the number of bins but the last that end below it; a missing cell gets the code
// highs.size(). highs[j] holds the upper ends of column j's bins, ascending, each of them a value of its type.
void encode(std::span<const ValueColumn> columns, std::span<const std::span<const double>> highs, std::size_t rows,
            std::span<const CodeSink> sinks, int threads);

}  // namespace polytomy
