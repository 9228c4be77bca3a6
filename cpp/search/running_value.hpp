// cpp/search/running_value.hpp: F of a count vector to which classes are added one after the other.
//
// With thousands of classes, most counts of an item are 0, and adding those that are not takes less time than evaluating
// F anew. Each step adds terms that are not negative, so the sums are as accurate as those of index.cpp, except that
// they have a rounding error for each step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace polytomy {

struct ClassCount {
    std::uint32_t of;  // the class
    double count;
};

class RunningValue {
 public:
    virtual ~RunningValue() = default;
    virtual void clear() = 0;
    virtual void add(std::span<const ClassCount> counts) = 0;  // a class may occur more than once
    [[nodiscard]] virtual double value() const = 0;
};

// A rule has add(before, more), called before `more` is added to a class of weight `before`, and value(). Its default is
// the state without any weight.
template <class Rule>
class RunningValueOf final : public RunningValue {
 public:
    explicit RunningValueOf(std::size_t classes) : weight_(classes, 0.0) {}
    void clear() override {
        for (const std::uint32_t c : present_) weight_[c] = 0.0;
        present_.clear();
        rule_ = {};
    }
    void add(std::span<const ClassCount> counts) override {
        for (const auto& [c, more] : counts) {
            const double before = weight_[c];
            if (before == 0.0) present_.push_back(c);
            rule_.add(before, more);
            weight_[c] = before + more;
        }
    }
    [[nodiscard]] double value() const override { return present_.size() < 2 ? 0.0 : rule_.value(); }

 private:
    std::vector<double> weight_;          // of each class
    std::vector<std::uint32_t> present_;  // the classes that have one
    Rule rule_;
};

struct RunningGini {
    double sum = 0.0, pairs = 0.0;  // pairs: the sum of x y over pairs of classes
    void add(double before, double more) noexcept {
        pairs += more * (sum - before);
        sum += more;
    }
    [[nodiscard]] double value() const noexcept { return 4.0 * pairs / sum; }
};

struct RunningSqrt {
    double roots = 0.0, pairs = 0.0;  // pairs: the sum of sqrt(x y) over pairs of classes
    void add(double before, double more) noexcept {
        const double root = std::sqrt(before);
        const double grown = std::sqrt(before + more) - root;
        pairs += grown * std::max(roots - root, 0.0);
        roots += grown;
    }
    [[nodiscard]] double value() const noexcept { return 2.0 * pairs; }
};

// The sum of x ln(n / x). If x grows by d, it grows by d ln((n + d) / (x + d)) + n ln(1 + d/n) - x ln(1 + d/x).
struct RunningEntropy {
    double sum = 0.0, nats = 0.0;
    void add(double before, double more) noexcept {
        const auto spread = [more](double whole) { return whole > 0.0 ? whole * std::log1p(more / whole) : 0.0; };
        nats += std::max(more * std::log((sum + more) / (before + more)) + (spread(sum) - spread(before)), 0.0);
        sum += more;
    }
    [[nodiscard]] double value() const noexcept { return nats * 1.4426950408889634074; }  // log2(e)
};

struct RunningError {
    double sum = 0.0, most = 0.0;
    void add(double before, double more) noexcept {
        sum += more;
        most = std::max(most, before + more);
    }
    [[nodiscard]] double value() const noexcept { return 2.0 * (sum - most); }
};

}  // namespace polytomy
