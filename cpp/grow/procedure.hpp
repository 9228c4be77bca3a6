// cpp/grow/procedure.hpp: at what price a run compares an option, and when its arity is acceptable.
//
// The functions `price` and `accepts` of src/polytomy/theory/rates.py, with the same operations in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

enum class ProcedureKind : int {
    per_leaf = 0,
    hatano = 1,
    mansour_mcallester = 2,
    kearns_mansour = 3,
    priced = 4,
    id3 = 5,
    gain_ratio = 6
};

class Procedure {
 public:
    // Without a budget a tree grows until nothing can be split. `gamma` is for mansour_mcallester only. A price function
    // replaces the procedure's own prices; it is called once for each arity, on the caller's thread.
    Procedure(ProcedureKind kind, std::optional<std::int64_t> max_leaves, double gamma,
              std::function<double(std::int64_t)> own_price = nullptr)
        : kind_(kind), max_leaves_(max_leaves), gamma_(gamma), own_price_(std::move(own_price)) {}

    [[nodiscard]] std::optional<std::int64_t> max_leaves() const noexcept { return max_leaves_; }

    // The price of k >= 2 branches; in every procedure a binary option costs 1.
    [[nodiscard]] double price(std::int64_t k);
    // Whether a tree of `leaves` leaves may take a k-way option.
    [[nodiscard]] bool acceptable(std::int64_t k, std::int64_t leaves);
    // The largest acceptable arity, at most `cap` and at least 2; what is acceptable has no gaps.
    [[nodiscard]] std::int64_t largest(std::int64_t leaves, std::int64_t cap);

 private:
    void reach(std::int64_t k);
    [[nodiscard]] double own_price(std::int64_t k);

    ProcedureKind kind_;
    std::optional<std::int64_t> max_leaves_;
    double gamma_;
    std::function<double(std::int64_t)> own_price_;
    std::vector<std::optional<double>> own_prices_;  // by k, as far as known
    std::vector<double> rate_{1.0}, sum_{0.0};  // e(n) and g(n) of Mansour and McAllester, at n - 1, as far as known
};

}  // namespace polytomy
