// cpp/polish/assignment.cpp: see assignment.hpp.
#include "polish/assignment.hpp"

#include <algorithm>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

std::size_t cheapest(const double* cost, std::size_t n) {
    return static_cast<std::size_t>(std::min_element(cost, cost + n) - cost);
}

}  // namespace

double Assignment::groups(std::span<const double> cost, std::size_t branches, std::vector<Branch>* chosen) {
    const std::size_t codes = cost.size() / branches;
    if (codes < branches) return kInfinity;
    groups_.resize(codes);
    std::vector<std::uint8_t> held(branches, 0);
    double sum = 0.0;
    for (std::size_t i = 0; i < codes; ++i) {
        const std::size_t b = cheapest(cost.data() + i * branches, branches);
        groups_[i] = static_cast<Branch>(b);
        held[b] = 1;
        sum += cost[i * branches + b];
    }
    if (std::find(held.begin(), held.end(), 0) != held.end()) sum += fill_empty(cost, branches, groups_);
    if (chosen != nullptr) *chosen = groups_;
    return sum;
}

// Every branch needs a code of its own, its representative; the others stay in their cheapest branch. So this is an
// assignment problem: choose a different code for each branch such that the sum of what they cost more there is least.
// Branches are added one by one by a shortest augmenting path (the Hungarian method, with potentials).
double Assignment::fill_empty(std::span<const double> cost, std::size_t branches, std::vector<Branch>& chosen) {
    const std::size_t codes = chosen.size();
    const auto extra = [&](std::size_t b, std::size_t i) {
        return cost[i * branches + b] - cost[i * branches + static_cast<std::size_t>(chosen[i])];
    };
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<double> of_branch(branches, 0.0), of_code(codes, 0.0), distance(codes);
    std::vector<std::size_t> owner(codes, kNone), before(codes);
    std::vector<std::uint8_t> reached(codes);
    for (std::size_t added = 0; added < branches; ++added) {
        std::fill(distance.begin(), distance.end(), kInfinity);
        std::fill(reached.begin(), reached.end(), 0);
        std::size_t branch = added, code = kNone;
        while (true) {
            poll(4 * codes);
            double least = kInfinity;
            std::size_t next = kNone;
            for (std::size_t i = 0; i < codes; ++i) {
                if (reached[i] != 0) continue;
                const double reduced = extra(branch, i) - of_branch[branch] - of_code[i];
                if (reduced < distance[i]) {
                    distance[i] = reduced;
                    before[i] = code;
                }
                if (next == kNone || distance[i] < least) {
                    least = distance[i];
                    next = i;
                }
            }
            of_branch[added] += least;
            for (std::size_t i = 0; i < codes; ++i) {
                if (reached[i] != 0) {
                    of_branch[owner[i]] += least;
                    of_code[i] -= least;
                } else {
                    distance[i] -= least;
                }
            }
            code = next;
            reached[code] = 1;
            if (owner[code] == kNone) break;
            branch = owner[code];
        }
        while (before[code] != kNone) {
            owner[code] = owner[before[code]];
            code = before[code];
        }
        owner[code] = added;
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < codes; ++i) {
        if (owner[i] == kNone) continue;
        sum += extra(owner[i], i);
        chosen[i] = static_cast<Branch>(owner[i]);
    }
    return sum;
}

double Assignment::ranges(std::span<const double> cost, std::span<const double> missing, std::span<const Branch> order,
                          std::vector<Branch>* chosen) {
    const std::size_t branches = order.size();
    if (cost.size() / branches + (missing.empty() ? 0 : 1) < branches) return kInfinity;
    if (branches > kMostInAnyOrder) return wide_ranges(cost, missing, order, chosen);
    ranges_of_sets(cost, branches, chosen != nullptr);
    std::size_t set = totals_.size() - 1;  // the branches with a range
    double least = totals_[set];
    std::size_t apart = 0;
    if (!missing.empty()) {
        apart = cheapest(missing.data(), branches);
        least += missing[apart];
        for (std::size_t b = 0; b < branches; ++b) {
            const std::size_t others = (totals_.size() - 1) ^ (std::size_t{1} << b);
            if (totals_[others] + missing[b] >= least) continue;
            least = totals_[others] + missing[b];
            set = others;
            apart = b;
        }
    }
    if (chosen != nullptr && least < kInfinity) {
        trace_set(set, cost.size() / branches, *chosen);
        if (!missing.empty()) chosen->push_back(static_cast<Branch>(apart));
    }
    return least;
}

void Assignment::ranges_of_sets(std::span<const double> cost, std::size_t branches, bool trace) {
    const std::size_t sets = std::size_t{1} << branches;
    const std::size_t codes = cost.size() / branches;
    totals_.assign(sets, kInfinity);
    ending_.assign(sets * branches, kInfinity);
    if (trace) {
        entered_.assign(codes * sets, 0);
        last_.assign(codes * sets, 0);
    }
    totals_[0] = 0.0;
    poll(codes * sets * branches);
    for (std::size_t i = 0; i < codes; ++i) {
        const double* own = cost.data() + i * branches;
        for (std::size_t set = sets - 1; set > 0; --set) {  // smaller sets still have their totals without code i
            double least = kInfinity;
            std::size_t last = 0, entered = 0;
            for (std::size_t b = 0; b < branches; ++b) {
                const std::size_t bit = std::size_t{1} << b;
                if ((set & bit) == 0) continue;
                double& ending = ending_[set * branches + b];
                const double without = totals_[set ^ bit];
                if (without < ending) entered |= bit;
                ending = std::min(ending, without) + own[b];
                if (ending < least) {
                    least = ending;
                    last = b;
                }
            }
            totals_[set] = least;
            if (trace) {
                entered_[i * sets + set] = static_cast<std::uint8_t>(entered);
                last_[i * sets + set] = static_cast<std::uint8_t>(last);
            }
        }
        totals_[0] = kInfinity;
    }
}

void Assignment::trace_set(std::size_t set, std::size_t codes, std::vector<Branch>& chosen) const {
    const std::size_t sets = totals_.size();
    chosen.assign(codes, 0);
    std::size_t b = codes == 0 ? 0 : last_[(codes - 1) * sets + set];
    for (std::size_t i = codes; i-- > 0;) {
        chosen[i] = static_cast<Branch>(b);
        if ((entered_[i * sets + set] >> b & 1) == 0) continue;
        set ^= std::size_t{1} << b;
        if (i > 0) b = last_[(i - 1) * sets + set];
    }
}

double Assignment::ranges_in_order(std::span<const double> cost, std::size_t branches, std::span<const Branch> order,
                                   std::vector<Branch>* chosen) {
    const std::size_t codes = cost.size() / branches;
    if (codes < order.size()) return kInfinity;
    ending_.assign(order.size(), kInfinity);
    if (chosen != nullptr) entered_.assign(codes * order.size(), 0);
    for (std::size_t i = 0; i < codes; ++i) {
        poll(2 * order.size());
        for (std::size_t j = order.size(); j-- > 0;) {
            const double before = j > 0 ? ending_[j - 1] : i == 0 ? 0.0 : kInfinity;
            if (chosen != nullptr && before < ending_[j]) entered_[i * order.size() + j] = 1;
            ending_[j] = std::min(ending_[j], before) + cost[i * branches + static_cast<std::size_t>(order[j])];
        }
    }
    if (chosen != nullptr) {
        chosen->assign(codes, 0);
        std::size_t j = order.size() - 1;
        for (std::size_t i = codes; i-- > 0;) {
            (*chosen)[i] = order[j];
            if (entered_[i * order.size() + j] != 0 && j > 0) --j;
        }
    }
    return ending_.back();
}

double Assignment::wide_ranges(std::span<const double> cost, std::span<const double> missing,
                               std::span<const Branch> order, std::vector<Branch>* chosen) {
    const std::size_t branches = order.size();
    double least = kInfinity;
    std::vector<Branch> found;
    const auto try_both = [&](std::vector<Branch>& used, Branch of_missing) {
        const double more = missing.empty() ? 0.0 : missing[static_cast<std::size_t>(of_missing)];
        for (int direction = 0; direction < 2; ++direction) {
            const double sum = ranges_in_order(cost, branches, used, chosen == nullptr ? nullptr : &found) + more;
            if (sum < least) {
                least = sum;
                if (chosen != nullptr) {
                    *chosen = found;
                    if (!missing.empty()) chosen->push_back(of_missing);
                }
            }
            std::reverse(used.begin(), used.end());
        }
    };
    turned_.assign(order.begin(), order.end());
    try_both(turned_, missing.empty() ? 0 : static_cast<Branch>(cheapest(missing.data(), branches)));
    if (missing.empty()) return least;
    for (const Branch apart : order) {
        turned_.assign(order.begin(), order.end());
        turned_.erase(std::find(turned_.begin(), turned_.end(), apart));
        try_both(turned_, apart);
    }
    return least;
}

}  // namespace polytomy
