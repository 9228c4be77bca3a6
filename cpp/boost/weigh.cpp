// cpp/boost/weigh.cpp: see weigh.hpp.
#include "boost/weigh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/cancellation.hpp"
#include "base/exact_sum.hpp"
#include "base/parallel.hpp"
#include "boost/vector_math.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kRows = kSumRows;  // of a block, so that its arrays fit into the first cache
constexpr std::size_t kGrain = 16384;  // rows per thread for which starting it pays off (about 0.05 ms)
constexpr double kUnits = 0x1p52;      // of all rows of a round together

using Column = SumBlock;

// The scratch arrays of a block. Rows past the last one add nothing: their shares are 0, and their margin is that of the
// first row.
struct Block {
    Column negative_margin;  // -y f
    Column share;
    Column wrong;  // the share (1 if all rows have the same), if the votes are for the other class
    Column loss;
    Column total;
};

POLYTOMY_MULTIVERSION void vote(const Voters& voters, const Move& move, std::size_t first, std::size_t n, Block& block) {
    double* votes = voters.votes + first;
    if (move.leaf != nullptr) {
        const std::int32_t* leaf = move.leaf + first;
        for (std::size_t i = 0; i < n; ++i) votes[i] += move.scores[leaf[i]];
    }
    const Label* label = voters.label + first;
    const auto is_one = [label](std::size_t i) { return static_cast<double>(static_cast<std::int32_t>(label[i])); };
    const auto is_wrong = [&](std::size_t i) { return (votes[i] > 0.0 ? 1.0 : 0.0) != is_one(i); };
    for (std::size_t i = 0; i < n; ++i) block.negative_margin[i] = (1.0 - 2.0 * is_one(i)) * votes[i];
    if (voters.share == nullptr) {
        const double share = 1.0 / voters.n_all();
        for (std::size_t i = 0; i < n; ++i) block.share[i] = share;
        for (std::size_t i = 0; i < n; ++i) block.wrong[i] = is_wrong(i) ? 1.0 : 0.0;
    } else {
        const double* share = voters.share + first;
        for (std::size_t i = 0; i < n; ++i) block.share[i] = share[i];
        for (std::size_t i = 0; i < n; ++i) block.wrong[i] = is_wrong(i) ? share[i] : 0.0;
    }
    for (std::size_t i = n; i < kRows; ++i) {
        block.negative_margin[i] = block.negative_margin[0];
        block.share[i] = block.wrong[i] = 0.0;
    }
}

// Several chains of vectors, as in ExactSum::largest().
constexpr std::size_t kChains = 4;

POLYTOMY_MULTIVERSION double largest_margin(const Block& block) {
    Lanes worst[kChains];
    for (Lanes& lanes : worst) lanes = Lanes{} - kInfinity;
    for (std::size_t i = 0; i < kRows; i += kChains * kLanes) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Lanes at;
            std::memcpy(&at, &block.negative_margin[i + c * kLanes], sizeof at);
            worst[c] = worst[c] < at ? at : worst[c];
        }
    }
    for (std::size_t c = 1; c < kChains; ++c) worst[0] = worst[0] < worst[c] ? worst[c] : worst[0];
    return std::max(std::max(worst[0][0], worst[0][1]), std::max(worst[0][2], worst[0][3]));
}

POLYTOMY_MULTIVERSION double number_of(const Column& ones) {
    Lanes sum[kChains] = {};
    for (std::size_t i = 0; i < kRows; i += kChains * kLanes) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Lanes at;
            std::memcpy(&at, &ones[i + c * kLanes], sizeof at);
            sum[c] += at;
        }
    }
    sum[0] += sum[1] + (sum[2] + sum[3]);
    return (sum[0][0] + sum[0][1]) + (sum[0][2] + sum[0][3]);
}

double error_of(const Voters& voters, const RowSums& sums) {
    return voters.share == nullptr ? sums.n_wrong / voters.n_all() : sums.wrong.value();
}

// Until their total is known, the bits of the weights are stored in the array of the units: another array would cost more
// than the arithmetic.
POLYTOMY_INLINE Weight bits_of(double weight) noexcept { return std::bit_cast<Weight>(weight); }

POLYTOMY_WIDE_CLONES void weigh_block(Block& block, double shift, std::size_t n, Weight* units) {
    for (std::size_t i = 0; i < kRows; ++i) block.total[i] = block.share[i] * exp_shifted(block.negative_margin[i], shift);
    for (std::size_t i = 0; i < n; ++i) units[i] = bits_of(block.total[i]);
}

POLYTOMY_WIDE_CLONES void respond_block(Block& block, const Response& response, std::size_t n, Weight* own, Weight* other) {
    Column odds, for_other;  // the odds against the row's class; its weight for the other class
    // Short loops, because the processor works on more rows at a time in them than in one long loop.
    const double part = 1.0 / response.most;
    const double least = response.floor;
    for (std::size_t i = 0; i < kRows; ++i) odds[i] = exp_shifted(std::min(2.0 * block.negative_margin[i], 700.0), 0.0);
    for (std::size_t i = 0; i < kRows; ++i) {
        const double p = 1.0 / (1.0 + odds[i]);
        const double residual = odds[i] * p;
        const double step = part * residual;
        const double weight = std::max(std::max(p * residual, step), least);
        const double half = 0.5 * block.share[i];
        block.total[i] = half * (weight + step);
        for_other[i] = half * (weight - step);
    }
    for (std::size_t i = 0; i < kRows; ++i) block.loss[i] = block.share[i] * log1p_of(odds[i]);
    for (std::size_t i = 0; i < n; ++i) {
        own[i] = bits_of(block.total[i]);
        other[i] = bits_of(for_other[i]);
    }
    for (std::size_t i = 0; i < kRows; ++i) block.total[i] += for_other[i];
}

POLYTOMY_MULTIVERSION void to_units(Weight* weights, std::size_t n, double scale) {
    for (std::size_t i = 0; i < n; ++i) weights[i] = nearest(std::max(std::bit_cast<double>(weights[i]) * scale, 1.0));
}

// For every block: adds the votes, calls body(block, first row, number of rows), and sums up the arrays of the block. The
// weights of the body are the true ones times 2^-shift.
template <bool has_loss, class Body>
RowSums each_block(const Voters& voters, const Move& move, int shift, int threads, Body&& body) {
    const std::size_t blocks = (voters.n + kRows - 1) / kRows;
    const int parts = worth(voters.n, kGrain, threads);
    std::vector<RowSums> sums(static_cast<std::size_t>(parts));
    parallel_blocks(blocks, parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
        Block block{};
        RowSums own;
        for (std::size_t b = begin; b < end; ++b) {
            const std::size_t first = b * kRows;
            poll(4 * kRows);
            const std::size_t n = std::min(kRows, voters.n - first);
            vote(voters, move, first, n, block);
            body(block, first, n);
            if (has_loss) own.loss.add(block.loss);
            if (voters.share == nullptr) own.n_wrong += number_of(block.wrong);
            else own.wrong.add(block.wrong);
            own.total.add(block.total, shift);
            own.worst = std::max(own.worst, largest_margin(block));
        }
        sums[part] = own;
    });
    RowSums all;
    for (const RowSums& own : sums) all.add(own);
    return all;
}

double largest_step(const Move& move) {
    double most = 0.0;
    for (std::size_t v = 0; v < move.nodes; ++v) most = std::max(most, std::abs(move.scores[v]));
    return most;
}

}  // namespace

void write_units(Weight* weights, std::size_t n, double total, int threads) {
    const double scale = 1.0 / (total / kUnits);
    parallel_blocks(n, worth(n, 4 * kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        to_units(weights + begin, end - begin, scale);
    });
}

RowSums sum_exponential(const Voters& voters, const Move& move, double shift, Weight* weights, int threads) {
    return each_block<false>(voters, move, static_cast<int>(shift), threads, [&](Block& block, std::size_t first, std::size_t n) {
        if (weights != nullptr) weigh_block(block, shift, n, weights + first);
    });
}

Weighed weighed_exponential(const Voters& voters, const RowSums& sums, double shift) {
    const double total = sums.total.value(static_cast<int>(shift));
    int power = 0;
    const double part = std::frexp(total, &power);  // so that the shift does not affect the logarithm
    constexpr double kLn2 = 0.6931471805599453;
    const double log_loss = std::log(part) + (power + shift) * kLn2;
    return {log_loss, error_of(voters, sums), sums.worst, total};
}

Weighed weigh_exponential(const Voters& voters, const Move& move, double worst, Weight* units, int threads) {
    double shift = 0.0;
    RowSums sums;
    const auto weigh = [&](const Move& moved, double bound) {
        shift = std::ceil(bound * kLog2E);
        sums = sum_exponential(voters, moved, shift, units, threads);
    };
    if (worst < kInfinity) weigh(move, worst + largest_step(move));
    // The range of the weights was not known, or they are much smaller than the bound allowed for.
    if (!(sums.total.value(static_cast<int>(shift)) > 0x1p-500)) {
        if (!(worst < kInfinity)) sums = sum_exponential(voters, move, 0.0, nullptr, threads);
        weigh({}, sums.worst);
    }
    const Weighed weighed = weighed_exponential(voters, sums, shift);
    write_units(units, voters.n, weighed.total, threads);
    return weighed;
}

RowSums sum_logistic(const Voters& voters, const Move& move, const Response& response, Weight* own, Weight* other,
                     int threads) {
    return each_block<true>(voters, move, 0, threads, [&](Block& block, std::size_t first, std::size_t n) {
        respond_block(block, response, n, own + first, other + first);
    });
}

Weighed weighed_logistic(const Voters& voters, const RowSums& sums) {
    const double bits = sums.loss.value() * kLog2E;
    return {bits > 0.0 ? std::log(bits) : -kInfinity, error_of(voters, sums), sums.worst, sums.total.value()};
}

Weighed weigh_logistic(const Voters& voters, const Move& move, const Response& response, Weight* own, Weight* other,
                       int threads) {
    const Weighed weighed = weighed_logistic(voters, sum_logistic(voters, move, response, own, other, threads));
    write_units(own, voters.n, weighed.total, threads);
    write_units(other, voters.n, weighed.total, threads);
    return weighed;
}

}  // namespace polytomy
