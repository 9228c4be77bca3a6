// cpp/encode/group_sums.cpp: see group_sums.hpp.
#include "encode/group_sums.hpp"

#include <algorithm>
#include <cstddef>

#include "base/cancellation.hpp"

namespace polytomy {

void group_sums(std::span<const std::int32_t> group, std::span<const double* const> terms, std::span<const double> anchors,
                double* sums) {
    constexpr std::size_t kBlock = 4096;  // rows
    const std::size_t width = kSumLevels * terms.size();
    for (std::size_t begin = 0; begin < group.size(); begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, group.size());
        poll(2 * (end - begin) * width);
        for (std::size_t t = 0; t < terms.size(); ++t) {
            const double* anchor = anchors.data() + kSumLevels * t;
            const double first = anchor[0], second = anchor[1], third = anchor[2];
            double* const to = sums + kSumLevels * t;
            for (std::size_t row = begin; row < end; ++row) {
                double* sum = to + static_cast<std::size_t>(group[row]) * width;
                const double term = terms[t][row];
                const double high = (term + first) - first;
                const double rest = term - high;
                const double middle = (rest + second) - second;
                const double left = rest - middle;
                sum[0] += high;
                sum[1] += middle;
                sum[2] += (left + third) - third;
            }
        }
    }
}

}  // namespace polytomy
