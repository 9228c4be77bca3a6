// cpp/boost/weigh.cpp: see weigh.hpp.
#include "boost/weigh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "boost/vector_math.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kRows = 512;     // of a block, so that its arrays fit into the first cache
constexpr std::size_t kLanes = 4;      // independent sums, one for each lane of a vector
constexpr std::size_t kGrain = 16384;  // rows per thread for which starting it pays off (about 0.05 ms)
constexpr double kUnits = 0x1p52;      // of all rows of a round together

using Column = std::array<double, kRows>;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// Sums over the rows of a block, or over all rows.
struct Sums {
    double loss = 0.0;
    double error = 0.0;
    double total = 0.0;
    double worst = -kInfinity;

    void add(const Sums& other) noexcept {
        loss += other.loss;
        error += other.error;
        total += other.total;
        worst = std::max(worst, other.worst);
    }
};

// The scratch arrays of a block. Rows past the last one add nothing: their shares are 0, and their margin is that of the
// first row.
struct Block {
    Column negative_margin;  // -y f
    Column share;
    Column wrong;  // the share, if the votes are for the other class
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
    const double* share = voters.share + first;
    for (std::size_t i = 0; i < n; ++i) {
        const auto is_one = static_cast<double>(static_cast<std::int32_t>(label[i]));
        const double predicted = votes[i] > 0.0 ? 1.0 : 0.0;
        block.negative_margin[i] = (1.0 - 2.0 * is_one) * votes[i];
        block.share[i] = share[i];
        block.wrong[i] = predicted != is_one ? share[i] : 0.0;
    }
    for (std::size_t i = n; i < kRows; ++i) {
        block.negative_margin[i] = block.negative_margin[0];
        block.share[i] = block.wrong[i] = 0.0;
    }
}

POLYTOMY_MULTIVERSION void add_up(const Block& block, Sums& sums) {
    Lanes loss{}, error{}, total{}, worst = Lanes{} - kInfinity;
    for (std::size_t i = 0; i < kRows; i += kLanes) {
        Lanes at[4];
        std::memcpy(&at[0], &block.loss[i], sizeof(Lanes));
        std::memcpy(&at[1], &block.wrong[i], sizeof(Lanes));
        std::memcpy(&at[2], &block.total[i], sizeof(Lanes));
        std::memcpy(&at[3], &block.negative_margin[i], sizeof(Lanes));
        loss += at[0];
        error += at[1];
        total += at[2];
        worst = worst < at[3] ? at[3] : worst;
    }
    for (std::size_t l = 0; l < kLanes; ++l) sums.add({loss[l], error[l], total[l], worst[l]});
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

// For every block: adds the votes, calls body(block, first row, number of rows), and sums up the arrays of the block.
template <class Body>
Sums each_block(const Voters& voters, const Move& move, int threads, Body&& body) {
    const std::size_t blocks = (voters.n + kRows - 1) / kRows;
    std::vector<Sums> sums(blocks);
    parallel_blocks(blocks, worth(voters.n, kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        Block block{};
        for (std::size_t b = begin; b < end; ++b) {
            const std::size_t first = b * kRows;
            poll(4 * kRows);
            const std::size_t n = std::min(kRows, voters.n - first);
            vote(voters, move, first, n, block);
            body(block, first, n);
            add_up(block, sums[b]);
        }
    });
    Sums all;
    for (const Sums& own : sums) all.add(own);
    return all;
}

void write_units(Weight* weights, std::size_t n, double total, int threads) {
    const double scale = 1.0 / (total / kUnits);
    parallel_blocks(n, worth(n, 4 * kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        to_units(weights + begin, end - begin, scale);
    });
}

double largest_step(const Move& move) {
    double most = 0.0;
    for (std::size_t v = 0; v < move.nodes; ++v) most = std::max(most, std::abs(move.scores[v]));
    return most;
}

}  // namespace

Weighed weigh_exponential(const Voters& voters, const Move& move, double worst, Weight* units, int threads) {
    double shift = 0.0;
    const auto pass = [&](const Move& moved, double bound) {
        shift = std::ceil(bound * kLog2E);
        return each_block(voters, moved, threads, [&](Block& block, std::size_t first, std::size_t n) {
            weigh_block(block, shift, n, units + first);
        });
    };
    Sums sums;
    if (worst < kInfinity) sums = pass(move, worst + largest_step(move));
    // The range of the weights was not known, or they are much smaller than the bound allowed for.
    if (!(sums.total > 0x1p-500)) {
        if (!(worst < kInfinity)) {
            sums = each_block(voters, move, threads, [](Block&, std::size_t, std::size_t) {});
        }
        sums = pass({}, sums.worst);
    }
    write_units(units, voters.n, sums.total, threads);
    int power = 0;
    const double part = std::frexp(sums.total, &power);  // so that the shift does not affect the logarithm
    constexpr double kLn2 = 0.6931471805599453;
    const double log_loss = std::log(part) + (power + shift) * kLn2;
    return {log_loss, sums.error, sums.worst, sums.total};
}

Weighed weigh_logistic(const Voters& voters, const Move& move, const Response& response, Weight* own, Weight* other,
                       int threads) {
    const Sums sums = each_block(voters, move, threads, [&](Block& block, std::size_t first, std::size_t n) {
        respond_block(block, response, n, own + first, other + first);
    });
    write_units(own, voters.n, sums.total, threads);
    write_units(other, voters.n, sums.total, threads);
    const double bits = sums.loss * kLog2E;
    return {bits > 0.0 ? std::log(bits) : -kInfinity, sums.error, sums.worst, sums.total};
}

}  // namespace polytomy
