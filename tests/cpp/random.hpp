// tests/cpp/random.hpp: random numbers with a fixed seed, and random columns of every value type.
#pragma once

#include <bit>
#include <random>
#include <vector>

#include "base/columns.hpp"

namespace polytomy {

struct Random {
    std::mt19937_64 engine;

    explicit Random(std::uint64_t seed) : engine(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    double unit() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
};

inline constexpr int kLastType = static_cast<int>(ValueType::rank);

template <class Visitor>
void each_value_type(Visitor&& visit) {
    for (int type = 0; type <= kLastType; ++type) {
        with_values({nullptr, 0, static_cast<ValueType>(type)}, visit);
    }
}

template <class T>
ValueType type_of() {
    ValueType found{};
    for (int type = 0; type <= kLastType; ++type) {
        const auto tried = static_cast<ValueType>(type);
        with_values({nullptr, 0, tried}, [&](auto value) {
            if (std::is_same_v<decltype(value), T>) found = tried;
        });
    }
    return found;
}

// A column with its memory; `lay_out` makes it contiguous, strided or reversed.
template <class T>
struct OwnedColumn {
    std::vector<T> memory;
    ValueColumn view{};

    OwnedColumn() = default;
    OwnedColumn(OwnedColumn&&) = default;  // a move keeps the memory in place, a copy would not
    OwnedColumn& operator=(OwnedColumn&&) = default;
};

template <class T>
OwnedColumn<T> lay_out(const std::vector<T>& values, std::size_t layout) {
    const std::size_t n = values.size();
    const std::size_t step = layout % 3 == 1 ? 3 : 1;
    const bool backwards = layout % 3 == 2;
    OwnedColumn<T> held;
    held.memory.resize(n * step);
    for (std::size_t i = 0; i < n; ++i) held.memory[(backwards ? n - 1 - i : i) * step] = values[i];
    const auto* start = reinterpret_cast<const std::byte*>(held.memory.data());
    const auto stride = static_cast<std::ptrdiff_t>(step * sizeof(T));
    if (backwards && n > 0) start += static_cast<std::ptrdiff_t>(n - 1) * stride;
    held.view = {start, backwards ? -stride : stride, type_of<T>()};
    return held;
}

template <class T>
constexpr bool kMayMiss = !std::is_integral_v<T>;

template <class T>
T missing_value() {
    if constexpr (std::is_same_v<T, Time>) return Time{std::numeric_limits<std::int64_t>::min()};
    else if constexpr (std::is_same_v<T, Rank>) return Rank{kMissing};
    else return std::numeric_limits<T>::quiet_NaN();
}

// Integer types, times and ranks (from 0 up) get the whole number, floats the real one.
template <class T>
T to_value(std::int64_t whole, double real) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(real);
    else if constexpr (std::is_same_v<T, Time>) return Time{whole};
    else if constexpr (std::is_same_v<T, Rank>) return Rank{static_cast<std::int32_t>(whole & 0x7FFFFFFF)};
    else return static_cast<T>(whole);
}

// Any value of the type, including extremes, infinities, denormals and NaN.
template <class T>
T any_value(Random& random) {
    const std::uint64_t bits = random.engine();
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
    else return to_value<T>(static_cast<std::int64_t>(bits), 0.0);
}

inline constexpr std::size_t kShapes = 7;

// Shape 0: smooth; 1: many ties; 2: rare outliers; 3: constant; 4: any bits; 5: one value in every second row, smooth
// in between; 6: all missing (a constant if the type has no missing value).
template <class T>
std::vector<T> random_values(Random& random, std::size_t n, std::size_t shape, bool some_missing) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double smooth = (random.unit() + random.unit() + random.unit() - 1.5) * 1000.0;
        double real = smooth;
        if (shape == 1) real = std::floor(random.unit() * random.unit() * 12.0) - 3.0;
        if (shape == 2 && random.one_in(60)) real = smooth * 1e12;
        if (shape == 3 || shape == 6 || (shape == 5 && i % 2 == 0)) real = 7.0;
        values[i] = to_value<T>(static_cast<std::int64_t>(real), real == -3.0 ? -0.0 : real);
        if (shape == 4) values[i] = any_value<T>(random);
        if constexpr (kMayMiss<T>) {
            if (shape == 6 || (some_missing && random.one_in(5))) values[i] = missing_value<T>();
        }
    }
    return values;
}

}  // namespace polytomy
