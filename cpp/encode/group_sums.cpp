// cpp/encode/group_sums.cpp: see group_sums.hpp.
#include "encode/group_sums.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kBlock = 4096;   // rows
constexpr std::size_t kGrain = 50000;  // rows that make a thread worthwhile (about 0.2 ms)
// If groups hold fewer rows than this, on average, the rows are read group by group: the sums of all groups at three levels would
// need far more memory than the rows.
constexpr std::size_t kFewRows = 8;

// Adds up the terms of rows.
template <std::size_t Width>
class Adder {
 public:
    static constexpr std::size_t kSums = Width * kSumLevels;
    using Levels = double[kSumLevels];  // of each term

    explicit Adder(const MomentTerms& terms) noexcept : terms_(terms) {
        std::copy_n(terms.anchors.begin(), kSums, anchors_.begin());
    }

    // Add the terms of the i-th row in question.
    void add(std::size_t i, double* sums) const noexcept {
        const std::size_t row = terms_.rows != nullptr ? terms_.rows[i] : i;
        const double far = terms_.values[row] - terms_.centre;
        double term[Width] = {1.0, far, far * far};
        if constexpr (Width == 4) term[3] = terms_.further[i];
        if (terms_.weights != nullptr) {
            const double weight = terms_.weights[row];
            for (double& t : term) t *= weight;
        }
        for (std::size_t t = 0; t < Width; ++t) {
            const double* const anchor = anchors_.data() + kSumLevels * t;
            double* const sum = sums + kSumLevels * t;
            const double high = (term[t] + anchor[0]) - anchor[0];
            const double rest = term[t] - high;
            const double middle = (rest + anchor[1]) - anchor[1];
            const double left = rest - middle;
            sum[0] += high;
            sum[1] += middle;
            sum[2] += (left + anchor[2]) - anchor[2];
        }
    }
    static void write(const double* sums, double* out) noexcept {
        for (std::size_t t = 0; t < Width; ++t) {
            const double* const sum = sums + kSumLevels * t;
            out[t] = sum[0] + (sum[1] + sum[2]);
        }
    }

 private:
    const MomentTerms terms_;
    std::array<double, kSums> anchors_;
};

// Each thread has sums of its own of all groups; they add up without rounding.
template <std::size_t Width>
void by_row(std::span<const std::int32_t> group, const MomentTerms& terms, std::size_t groups, int threads, double* out) {
    constexpr std::size_t kSums = Adder<Width>::kSums;
    const Adder<Width> adder(terms);
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(worth(group.size(), kGrain, threads)));
    parallel_blocks(group.size(), static_cast<int>(sums.size()), [&](std::size_t block, std::size_t begin, std::size_t end) {
        sums[block].assign(groups * kSums, 0.0);
        for (std::size_t first = begin; first < end; first += kBlock) {
            const std::size_t last = std::min(first + kBlock, end);
            poll(4 * (last - first));
            for (std::size_t i = first; i < last; ++i) adder.add(i, sums[block].data() + static_cast<std::size_t>(group[i]) * kSums);
        }
    });
    for (std::size_t block = 1; block < sums.size(); ++block) {
        for (std::size_t i = 0; i < groups * kSums; ++i) sums[0][i] += sums[block][i];
    }
    for (std::size_t g = 0; g < groups; ++g) Adder<Width>::write(sums[0].data() + g * kSums, out + g * Width);
}

// The rows of each group are listed first.
template <std::size_t Width>
void by_group(std::span<const std::int32_t> group, const MomentTerms& terms, std::size_t groups, int threads, double* out) {
    const Adder<Width> adder(terms);
    std::vector<std::uint32_t> next(groups + 1, 0), order(group.size());
    for (const std::int32_t g : group) ++next[static_cast<std::size_t>(g) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i < group.size(); ++i) order[next[static_cast<std::size_t>(group[i])]++] = static_cast<std::uint32_t>(i);
    // Now the rows of a group end where those of the next one begin, and next[g] is the end of group g.
    parallel_blocks(groups, worth(group.size(), kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; first += kBlock) {
            poll(16 * kBlock);
            for (std::size_t g = first; g < std::min(first + kBlock, end); ++g) {
                std::array<double, Adder<Width>::kSums> sums{};
                for (std::size_t at = g > 0 ? next[g - 1] : 0; at < next[g]; ++at) adder.add(order[at], sums.data());
                Adder<Width>::write(sums.data(), out + g * Width);
            }
        }
    });
}

}  // namespace

void group_sums(std::span<const std::int32_t> group, std::span<const double* const> terms, std::span<const double> anchors,
                double* sums) {
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

void group_moments(std::span<const std::int32_t> group, const MomentTerms& terms, std::size_t groups, int threads, double* out) {
    const bool few = groups * kFewRows > group.size();
    if (terms.width() == 4) return few ? by_group<4>(group, terms, groups, threads, out) : by_row<4>(group, terms, groups, threads, out);
    few ? by_group<3>(group, terms, groups, threads, out) : by_row<3>(group, terms, groups, threads, out);
}

}  // namespace polytomy
