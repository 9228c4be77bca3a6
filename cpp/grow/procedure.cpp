// cpp/grow/procedure.cpp: see procedure.hpp.
#include "grow/procedure.hpp"

#include <algorithm>
#include <bit>

namespace polytomy {

// e(n) is the product over i < n of 1 - gamma/i, g(n) the sum over i < n of e(i)/i.
void Procedure::reach(std::int64_t k) {
    for (auto i = static_cast<std::int64_t>(rate_.size()); i < k; ++i) {
        const auto divisor = static_cast<double>(i);
        sum_.push_back(sum_.back() + rate_.back() / divisor);
        rate_.push_back(rate_.back() * (1.0 - gamma_ / divisor));
    }
}

double Procedure::own_price(std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    if (own_prices_.size() <= at) own_prices_.resize(at + 1);
    if (!own_prices_[at]) own_prices_[at] = own_price_(k);
    return *own_prices_[at];
}

double Procedure::price(std::int64_t k) {
    if (own_price_) return own_price(k);
    switch (kind_) {
        case ProcedureKind::per_leaf:
        case ProcedureKind::priced: return static_cast<double>(k - 1);
        case ProcedureKind::hatano: return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(k - 1)));
        case ProcedureKind::mansour_mcallester:
            reach(k);
            return sum_[static_cast<std::size_t>(k - 1)];
        default: return 1.0;
    }
}

bool Procedure::acceptable(std::int64_t k, std::int64_t leaves) {
    if (kind_ == ProcedureKind::kearns_mansour) return k == 2 && (!max_leaves_ || leaves < *max_leaves_);
    if (!max_leaves_) return true;
    if (kind_ == ProcedureKind::hatano && k > 2) return leaves <= *max_leaves_ / k;
    if (kind_ != ProcedureKind::mansour_mcallester || k == 2) return leaves + k - 1 <= *max_leaves_;
    reach(k);
    const double most = rate_[static_cast<std::size_t>(k - 1)] * static_cast<double>(*max_leaves_) * gamma_;
    return static_cast<double>(leaves) < most / static_cast<double>(2 * k);
}

std::int64_t Procedure::largest(std::int64_t leaves, std::int64_t cap) {
    std::int64_t low = 2;
    std::int64_t high = max_leaves_ ? std::min(cap, *max_leaves_) : cap;
    while (low < high) {
        const std::int64_t middle = low + (high - low + 1) / 2;
        if (acceptable(middle, leaves)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

}  // namespace polytomy
