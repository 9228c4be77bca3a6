// cpp/grow/procedure.hpp: at what price a run compares an option, and when its arity is acceptable.
//
// What src/polytomy/theory/rates.py says (`price`, `accepts`), in the same operations in the same order, so that both
// engines of growing see the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

enum class ProcedureKind : int { per_leaf = 0, hatano = 1, mansour_mcallester = 2, kearns_mansour = 3 };

class Procedure {
 public:
    // No budget: grow until nothing can be split. `gamma` is for mansour_mcallester alone.
    Procedure(ProcedureKind kind, std::optional<std::int64_t> max_leaves, double gamma)
        : kind_(kind), max_leaves_(max_leaves), gamma_(gamma) {}

    [[nodiscard]] std::optional<std::int64_t> max_leaves() const noexcept { return max_leaves_; }

    // Of k >= 2 branches; a binary option costs 1 everywhere.
    [[nodiscard]] double price(std::int64_t k);
    // May a tree of so many leaves take a k-way option?
    [[nodiscard]] bool acceptable(std::int64_t k, std::int64_t leaves);
    // The largest acceptable arity, at most `cap` and at least 2; what is acceptable has no gaps.
    [[nodiscard]] std::int64_t largest(std::int64_t leaves, std::int64_t cap);

 private:
    void reach(std::int64_t k);

    ProcedureKind kind_;
    std::optional<std::int64_t> max_leaves_;
    double gamma_;
    std::vector<double> rate_{1.0}, sum_{0.0};  // e(n) and g(n) of Mansour and McAllester, at n - 1, as far as asked for
};

}  // namespace polytomy
