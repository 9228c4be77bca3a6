// cpp/boost/weigh.hpp: a round of boosting of two classes, once its tree is grown: votes, losses and the next weights.
//
// A row's votes f are for class 1 where they are above 0; y is 1 for class 1 and -1 for class 0. Sums are taken over
// blocks of rows, and then over the blocks in order: they do not depend on the threads.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace polytomy {

struct Voters {
    const Label* label;   // class of each row, 0 or 1
    const double* share;  // of the weight of all rows, which is 1
    std::size_t n;
    double* votes;
};

// What the leaf of each row adds to its votes. Without leaves nothing is added.
struct Move {
    const std::int32_t* leaf = nullptr;
    const double* scores = nullptr;  // of each node
    std::size_t nodes = 0;
};

struct Weighed {
    double log_loss;
    double error;  // the share of the rows whose votes are for the other class
    double worst;  // the largest -y f
    double total;  // of the weights that were written in units
};

// Let the leaves vote, and write the weights share * exp(-y f) in units, of which there are 2^52 in all; every row
// has at least one. The loss is the sum of the weights. `worst` is the largest -y f before, or infinity where nobody
// knows: then it is looked for. It only saves time.
Weighed weigh_exponential(const Voters& voters, const Move& move, double worst, Weight* units, int threads);

// Let the leaves vote, and write what least squares need of every row: p = 1/(1 + exp(-2 y f)) is the probability of
// its own class, w = max(p (1-p), (1-p)/most, floor) its weight, and it counts share * (w + (1-p)/most)/2 for its own
// class and share * (w - (1-p)/most)/2 for the other; in units, 2^-52 of their total each. The loss is the log loss in
// bits.
struct Response {
    double most;
    double floor;
};
Weighed weigh_logistic(const Voters& voters, const Move& move, const Response& response, Weight* own, Weight* other,
                       int threads);

}  // namespace polytomy
