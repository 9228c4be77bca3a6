// tests/cpp/test_columns.cpp: keys have the order of their values and convert back.
#include "check.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// Extremes, both zeros and their neighbours, and arbitrary bits.
template <class T>
std::vector<T> samples(Random& random) {
    std::vector<T> values;
    for (const double real : {-1e9, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 127.0, 128.0, 255.0, 32768.0, 1e9}) {
        values.push_back(to_value<T>(static_cast<std::int64_t>(real), real));
    }
    if constexpr (std::is_arithmetic_v<T>) {
        using Limits = std::numeric_limits<T>;
        for (const T v : {Limits::lowest(), Limits::max(), Limits::min(), Limits::denorm_min()}) values.push_back(v);
        if constexpr (std::is_floating_point_v<T>) {
            for (const T v : {Limits::infinity(), Limits::denorm_min(), Limits::min(), Limits::epsilon()}) {
                values.push_back(-v);
            }
            values.push_back(Limits::infinity());
        }
    } else if constexpr (std::is_same_v<T, Time>) {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        constexpr std::int64_t exact = std::int64_t{1} << 53;
        for (const std::int64_t v : {most, most - 1, -most, 1 - most, exact, exact + 1}) values.push_back(Time{v});
    }
    for (int i = 0; i < 60; ++i) values.push_back(any_value<T>(random));
    std::erase_if(values, [](T v) { return is_missing(v); });
    return values;
}

void keys_keep_the_order_and_convert_back() {
    Random random(17);
    check::cases(20, [&](long) {
        each_value_type([&](auto type) {
            using T = decltype(type);
            const std::vector<T> values = samples<T>(random);
            for (const T a : values) {
                CHECK(from_key<T>(to_key(a)) == to_double(a));
                CHECK(!(to_double(a) == 0.0) || !std::signbit(from_key<T>(to_key(a))));
                for (const T b : values) {
                    CHECK((to_key(a) < to_key(b)) == (to_double(a) < to_double(b)));
                    CHECK((to_key(a) == to_key(b)) == (to_double(a) == to_double(b)));
                }
            }
        });
    });
}

void keys_of_small_integers_are_consecutive() {
    for (int v = -32768; v <= 65535; ++v) {
        if (v >= -128 && v <= 127) CHECK(from_key<std::int8_t>(to_key(static_cast<std::int8_t>(v))) == v);
        if (v >= 0 && v <= 255) CHECK(from_key<std::uint8_t>(to_key(static_cast<std::uint8_t>(v))) == v);
        if (v <= 32767) CHECK(from_key<std::int16_t>(to_key(static_cast<std::int16_t>(v))) == v);
        if (v >= 0) CHECK(from_key<std::uint16_t>(to_key(static_cast<std::uint16_t>(v))) == v);
        if (v > -32768 && v <= 32767) {
            CHECK(to_key(static_cast<std::int16_t>(v)) == to_key(static_cast<std::int16_t>(v - 1)) + 1);
        }
    }
}

void keys_have_the_width_of_their_type() {
    static_assert(sizeof(KeyOf<float>) == 4 && sizeof(KeyOf<double>) == 8);
    static_assert(sizeof(KeyOf<std::int8_t>) == 4 && sizeof(KeyOf<std::uint8_t>) == 4);
    static_assert(sizeof(KeyOf<std::int16_t>) == 4 && sizeof(KeyOf<std::uint16_t>) == 4);
    static_assert(sizeof(KeyOf<std::int32_t>) == 4 && sizeof(KeyOf<std::uint32_t>) == 4);
    static_assert(sizeof(KeyOf<std::int64_t>) == 8 && sizeof(KeyOf<std::uint64_t>) == 8);
    static_assert(sizeof(KeyOf<Time>) == 8);
}

void is_missing_recognises_missing_values() {
    each_value_type([](auto type) {
        using T = decltype(type);
        CHECK(!is_missing(T{}));
        if constexpr (kMayMiss<T>) CHECK(is_missing(missing_value<T>()));
        if constexpr (std::is_floating_point_v<T>) {
            CHECK(is_missing(-missing_value<T>()));
            CHECK(!is_missing(std::numeric_limits<T>::infinity()));
        }
    });
    CHECK(!is_missing(std::numeric_limits<std::int64_t>::min()));  // an integer, not a time
    CHECK(!is_missing(Time{std::numeric_limits<std::int64_t>::max()}));
    CHECK(is_missing(Rank{kUnknown}));
}

void load_reads_every_layout() {
    Random random(18);
    each_value_type([&](auto type) {
        using T = decltype(type);
        const std::vector<T> values = samples<T>(random);
        for (std::size_t layout = 0; layout < 3; ++layout) {
            const OwnedColumn<T> held = lay_out(values, layout);
            CHECK(held.view.type == type_of<T>());
            for (std::size_t i = 0; i < values.size(); ++i) {
                CHECK(to_key(load<T>(held.view, i)) == to_key(values[i]));
            }
        }
        const ValueColumn same_cell{reinterpret_cast<const std::byte*>(values.data()), 0, type_of<T>()};
        CHECK(to_key(load<T>(same_cell, 1000)) == to_key(values[0]));
    });
}

}  // namespace

int main() {
    return check::run(keys_keep_the_order_and_convert_back,
                      keys_of_small_integers_are_consecutive,
                      keys_have_the_width_of_their_type,
                      is_missing_recognises_missing_values,
                      load_reads_every_layout);
}
