// cpp/base/exact_sum.hpp: sums of floats that do not depend on the order of the terms.
//
// A term is split into multiples of three powers of two, 32 bits apart, and a rest that is dropped: its digits to base
// 2^32. The digits of a block of terms are added as floats, without rounding, and those of all blocks as integers. Only the
// three leading digits of the largest term are kept, so the rest is below 2^-64 of that term.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include "base/multiversion.hpp"
#include "base/types.hpp"

namespace polytomy {

inline constexpr std::size_t kSumRows = 512;  // terms of a block
inline constexpr std::size_t kLanes = 4;      // independent sums, one for each lane of a vector

using SumBlock = std::array<double, kSumRows>;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

class ExactSum {
 public:
    // Adds 512 terms from 0 to 2^900, each of which stands for itself times 2^shift; those of blocks without any above
    // 2^-800 are left out. Apart from that, the shift does not affect the sum of what they stand for.
    void add(const SumBlock& terms, int shift = 0) {
        const double most = largest(terms);
        if (!(most > 0x1p-800)) return;
        const int top = (std::ilogb(most) + 1 + shift) >> 5;
        const int unit = kBits * top - shift;  // the binary exponent of the first digit
        constexpr double kBase = 0x1p32;
        Digits anchor{power(52 + unit) * 1.5}, sum{};
        for (std::size_t d = 1; d < kDigits; ++d) anchor[d] = anchor[d - 1] / kBase;
        add_digits(terms, anchor, sum);
        ExactSum own;
        own.top_ = top;
        double scale = power(-unit);
        for (std::size_t d = 0; d < kDigits; ++d, scale *= kBase) own.digits_[d] = static_cast<std::int64_t>(sum[d] * scale);
        add(own);
    }

    void add(const ExactSum& other) noexcept {
        if (other.top_ > top_) {
            ExactSum sum = other;
            sum.add(*this);
            *this = sum;
            return;
        }
        const auto lower = static_cast<std::size_t>(top_ - other.top_);
        for (std::size_t d = lower; d < kDigits; ++d) digits_[d] += other.digits_[d - lower];
    }

    // Returns the sum times 2^-shift.
    [[nodiscard]] double value(int shift = 0) const {
        double sum = 0.0;
        int unit = kBits * (top_ + 1) - shift - kBits * static_cast<int>(kDigits);
        for (std::size_t d = kDigits; d-- > 0; unit += kBits) sum += std::ldexp(static_cast<double>(digits_[d]), unit);
        return sum;
    }

    // The place and the digits, as which a sum travels between processes.
    static constexpr std::size_t kDigits = 3;
    using State = std::pair<int, std::array<std::int64_t, kDigits>>;
    [[nodiscard]] State state() const noexcept { return {top_, digits_}; }
    static ExactSum of(const State& state) noexcept {
        ExactSum sum;
        std::tie(sum.top_, sum.digits_) = state;
        return sum;
    }

 private:
    static constexpr int kBits = 32;
    using Digits = std::array<double, kDigits>;

    static double power(int exponent) noexcept { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52); }
    static double largest(const SumBlock& terms);
    // A float plus an anchor of 1.5 times 2^(52 + e) is rounded to a multiple of 2^e.
    static void add_digits(const SumBlock& terms, const Digits& anchor, Digits& sum);

    int top_ = -1000000;                           // the place of the first digit
    std::array<std::int64_t, kDigits> digits_{};  // not carried: up to 2^31 terms do not overflow
};

// Returns the sum of terms from 0 to 2^900, to which other sums can be added.
ExactSum open_sum(std::span<const double> terms);

// Returns the sum of terms of at least 0, which does not depend on their order; NaN if any term is NaN.
double exact_sum(std::span<const double> terms);

}  // namespace polytomy
