// cpp/base/columns.hpp: raw columns as the user passes them: any numeric type, any stride, never copied.
//
// The memory is the caller's, and another thread or process may write to it during a call. Then the result is that of
// some table, or an error, but no access is ever out of bounds: a cell is read once for each use (see `load`), and what
// one pass finds never bounds what another pass reads without a check.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/types.hpp"

namespace polytomy {

enum class ValueType : int { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, time, rank };

struct ValueColumn {
    const std::byte* data;
    std::ptrdiff_t stride;  // bytes from one row to the next
    ValueType type;
};

// A time is an int64 whose smallest value means "not a time" (NaT).
struct Time {
    std::int64_t ticks;
};

// A rank is the position of a label in an order; kMissing and kUnknown mean that the cell has no rank.
struct Rank {
    std::int32_t place;
};

// Makes the compiler keep a value in a register: without this it may read the memory again where the value is used, and
// an index could change between the check of its range and its use. Generates no instruction.
template <class T>
void read_once(T& value) noexcept {
#if defined(__GNUC__)
    if constexpr (std::is_integral_v<T>) {
        asm("" : "+r"(value));
    } else if constexpr (std::is_same_v<T, Time>) {
        asm("" : "+r"(value.ticks));
    } else if constexpr (std::is_same_v<T, Rank>) {
        asm("" : "+r"(value.place));
    } else {
#if defined(__x86_64__)
        asm("" : "+x"(value));
#elif defined(__aarch64__)
        asm("" : "+w"(value));
#endif
    }
#endif
}

template <class Visitor>
void with_values(const ValueColumn& column, Visitor&& visit) {
    switch (column.type) {
        case ValueType::f32: visit(float{}); break;
        case ValueType::f64: visit(double{}); break;
        case ValueType::i8: visit(std::int8_t{}); break;
        case ValueType::i16: visit(std::int16_t{}); break;
        case ValueType::i32: visit(std::int32_t{}); break;
        case ValueType::i64: visit(std::int64_t{}); break;
        case ValueType::u8: visit(std::uint8_t{}); break;
        case ValueType::u16: visit(std::uint16_t{}); break;
        case ValueType::u32: visit(std::uint32_t{}); break;
        case ValueType::u64: visit(std::uint64_t{}); break;
        case ValueType::time: visit(Time{}); break;
        case ValueType::rank: visit(Rank{}); break;
    }
}

template <class T>
T load(const ValueColumn& column, std::size_t row) noexcept {
    T value;  // copied, because the user's column may not be aligned
    std::memcpy(&value, column.data + static_cast<std::ptrdiff_t>(row) * column.stride, sizeof value);
    read_once(value);
    return value;
}

template <class T>
bool is_missing(T value) noexcept {
    if constexpr (std::is_same_v<T, Time>) {
        return value.ticks == std::numeric_limits<std::int64_t>::min();
    } else if constexpr (std::is_same_v<T, Rank>) {
        return value.place < 0;
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::isnan(value);
    } else {
        return false;
    }
}

template <class T>
double to_double(T value) noexcept {
    if constexpr (std::is_same_v<T, Time>) {
        return static_cast<double>(value.ticks);
    } else if constexpr (std::is_same_v<T, Rank>) {
        return static_cast<double>(value.place);
    } else {
        return static_cast<double>(value);
    }
}

// Returns an unsigned integer in the same order as the value; -0 equals 0. Types that fit in float or int32 get 32
// bits; 64-bit integers are converted to double, so that values with the same double are equal.
template <class T>
auto to_key(T value) noexcept {
    if constexpr (std::is_same_v<T, float>) {
        const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
        return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
        return value;
    } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) ^ 0x80000000U;
    } else {
        const auto bits = std::bit_cast<std::uint64_t>(to_double(value) + 0.0);
        constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
        return (bits & kSign) != 0 ? ~bits : bits | kSign;
    }
}

template <class T>
using KeyOf = decltype(to_key(T{}));

template <class T>
double from_key(KeyOf<T> key) noexcept {
    if constexpr (std::is_same_v<T, float>) {
        return static_cast<double>(std::bit_cast<float>((key & 0x80000000U) != 0 ? key & 0x7FFFFFFFU : ~key));
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
        return static_cast<double>(key);
    } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
        return static_cast<double>(static_cast<std::int32_t>(key ^ 0x80000000U));
    } else {
        constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
        return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
    }
}

}  // namespace polytomy
