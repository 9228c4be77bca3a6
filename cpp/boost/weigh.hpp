// cpp/boost/weigh.hpp: updates votes, losses and weights after a round of boosting with two classes.
//
// A row's votes f are for class 1 if f > 0; y is 1 for class 1 and -1 for class 0. Sums are exact, so
// that they depend neither on the order of the rows nor on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/exact_sum.hpp"
#include "base/types.hpp"

namespace polytomy {

struct Voters {
    const Label* label;   // class of each row, 0 or 1
    const double* share;  // weight of each row, with sum 1; null if all rows have the same
    std::size_t n;
    double* votes;
    std::size_t all = 0;  // rows of all parts, if these are a part of them; 0 if they are all rows

    [[nodiscard]] double n_all() const noexcept { return static_cast<double>(all > 0 ? all : n); }
};

// The leaf of each row, and the scores of the nodes, which are added to the votes. Without leaves nothing is added.
struct Move {
    const std::int32_t* leaf = nullptr;
    const double* scores = nullptr;  // of each node
    std::size_t nodes = 0;
};

struct Weighed {
    double log_loss;
    double error;  // total share of the rows whose votes are for the other class
    double worst;  // the largest -y f
    double total;  // sum of the weights that were converted to units
};

// Sums over some of the rows, which do not depend on their order. Those of parts of the rows are added in any order too.
struct RowSums {
    ExactSum loss, wrong, total;
    double n_wrong = 0.0;
    double worst = -kInfinity;

    void add(const RowSums& other) noexcept {
        loss.add(other.loss);
        wrong.add(other.wrong);
        total.add(other.total);
        n_wrong += other.n_wrong;
        worst = std::max(worst, other.worst);
    }
};

// Adds the scores of the leaves and writes the weights share * exp(-y f) in units, about 2^52 in total; every row gets at
// least one. The loss is the sum of the weights. `worst` is the largest -y f before the call, or infinity if it is not
// known; then it is computed. It only saves time.
Weighed weigh_exponential(const Voters& voters, const Move& move, double worst, Weight* units, int threads);

// Adds the scores of the leaves and writes the weights of every row for weighted least squares. p = 1/(1 + exp(-2 y f)) is
// the probability of the row's own class and w = max(p (1-p), (1-p)/most, floor) its weight. The row counts
// share * (w + (1-p)/most)/2 for its own class and share * (w - (1-p)/most)/2 for the other, in units of 2^-52 of the
// total. The loss is the log loss in bits.
struct Response {
    double most;
    double floor;
};
Weighed weigh_logistic(const Voters& voters, const Move& move, const Response& response, Weight* own, Weight* other,
                       int threads);

// The same in steps, for rows in parts. Each part sums up its rows; the sums of all parts give the result, and its total the
// units of each part. In between, `weights` holds the bits of floats.
//
// The weights are share * exp(-y f) * 2^-shift. They are neither computed nor written if `weights` is null.
RowSums sum_exponential(const Voters& voters, const Move& move, double shift, Weight* weights, int threads);
Weighed weighed_exponential(const Voters& voters, const RowSums& sums, double shift);
RowSums sum_logistic(const Voters& voters, const Move& move, const Response& response, Weight* own, Weight* other,
                     int threads);
Weighed weighed_logistic(const Voters& voters, const RowSums& sums);
void write_units(Weight* weights, std::size_t n, double total, int threads);

}  // namespace polytomy
