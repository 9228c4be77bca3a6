// cpp/bind/index_argument.hpp: an index function as Python passes it: the number of a built-in one, or a callable.
#pragma once

#include <nanobind/stl/variant.h>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bind/tables.hpp"
#include "search/index.hpp"

namespace polytomy {

// A user's index function: called with an (n, classes) array, returns n values. Acquires the interpreter lock.
class CallableIndex final : public Index {
 public:
    explicit CallableIndex(nb::callable function) : function_(std::move(function)) {}
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        const Hold locked;
        std::vector<double> items;
        std::vector<std::size_t> held;  // items with a weight; for the others F is 0 and the user's function is not called
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = 0.0;
            double sum = 0.0;
            for (std::size_t c = 0; c < classes; ++c) sum += counts[c * stride + i];
            if (sum <= 0.0) continue;
            held.push_back(i);
            for (std::size_t c = 0; c < classes; ++c) items.push_back(counts[c * stride + i]);
        }
        if (held.empty()) return;
        const nb::ndarray<nb::numpy, double, nb::ndim<2>> array(items.data(), {held.size(), classes});
        const auto answer = nb::cast<In<double>>(function_(nb::cast(array, nb::rv_policy::copy)));
        require(answer.shape(0) == held.size(), "the index function must return one value for each count vector");
        for (std::size_t k = 0; k < held.size(); ++k) out[held[k]] = answer.data()[k];
    }
    [[nodiscard]] bool strict() const noexcept override { return false; }  // not known
    [[nodiscard]] bool parallel() const noexcept override { return false; }
    [[nodiscard]] nb::callable& function() noexcept { return function_; }

 private:
    nb::callable function_;
};

using IndexArgument = std::variant<int, nb::callable>;

// Keeps a user's index function alive for as long as it is in use.
class IndexHolder {
 public:
    explicit IndexHolder(const IndexArgument& argument) {
        if (std::holds_alternative<nb::callable>(argument)) {
            own_.emplace(std::get<nb::callable>(argument));
        } else {
            builtin_ = &builtin_index(static_cast<IndexKind>(std::get<int>(argument)));
        }
    }
    // The callable, for the garbage collector; null for a built-in index.
    [[nodiscard]] nb::object* held() noexcept { return own_ ? &own_->function() : nullptr; }
    [[nodiscard]] const Index* get() const noexcept { return own_ ? static_cast<const Index*>(&*own_) : builtin_; }

 private:
    std::optional<CallableIndex> own_;
    const Index* builtin_ = nullptr;
};

}  // namespace polytomy
