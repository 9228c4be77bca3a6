// cpp/bind/tables.hpp: conversion of Python's arrays and tables, shared by the bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/columns.hpp"
#include "base/types.hpp"
#include "bind/lists.hpp"
#include "bind/release.hpp"
#include "predict/route.hpp"

namespace nb = nanobind;

namespace polytomy {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Fresh = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class T>
Fresh<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Fresh<T>(kept->data(), {kept->size()}, owner);
}

// Returns a view of a member, which the object continues to own.
template <class T>
Fresh<const T> view_of(const std::vector<T>& values) {
    return Fresh<const T>(values.data(), {values.size()});
}

template <class T>
const T* data_or_null(const std::optional<In<T>>& array) {
    return array ? array->data() : nullptr;
}

template <class T>
std::span<const T> span_of(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

// Columns of codes with the arrays that own them.
struct CodeTable {
    std::vector<CodeColumn> columns;
    std::vector<nb::object> owners;
    std::size_t rows = 0;

    CodeTable(const nb::list& arrays, const std::vector<std::uint32_t>& n_codes) {
        require(arrays.size() == n_codes.size(), "CodeTable: there must be one number of codes per column");
        for (std::size_t j = 0; j < arrays.size(); ++j) {
            const auto array = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(arrays[j]);
            const auto type = array.dtype();
            require(type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) && type.bits <= 32,
                    "CodeTable: codes must be uint8, uint16 or uint32");
            require(j == 0 || array.shape(0) == rows, "CodeTable: columns must have the same length");
            rows = array.shape(0);
            columns.push_back({array.data(), type.bits / 8, n_codes[j]});
            owners.push_back(nb::borrow(arrays[j]));
        }
    }
};

// Returns the type of a column. `reading` is 0 for numbers, 1 for times and 2 for ranks.
inline ValueType value_type(const nb::dlpack::dtype& type, int reading) {
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    if (reading == 1 && code == Code::Int && type.bits == 64) return ValueType::time;
    if (reading == 2 && code == Code::Int && type.bits == 32) return ValueType::rank;
    require(reading == 0, "ValueTable: times must be int64 and ranks int32");
    if (code == Code::Float && type.bits == 32) return ValueType::f32;
    if (code == Code::Float && type.bits == 64) return ValueType::f64;
    if (code == Code::Bool && type.bits == 8) return ValueType::u8;
    const bool is_signed = code == Code::Int;
    require(is_signed || code == Code::UInt, "ValueTable: numbers must be float32, float64, integers or bool");
    switch (type.bits) {
        case 8: return is_signed ? ValueType::i8 : ValueType::u8;
        case 16: return is_signed ? ValueType::i16 : ValueType::u16;
        case 32: return is_signed ? ValueType::i32 : ValueType::u32;
        default: return is_signed ? ValueType::i64 : ValueType::u64;
    }
}

// Raw columns, any stride, with the arrays that own them.
struct ValueTable {
    std::vector<ValueColumn> columns;
    std::vector<nb::object> owners;
    std::size_t rows = 0;

    ValueTable(const nb::list& arrays, const std::vector<int>& readings, std::size_t n_rows) : rows(n_rows) {
        require(arrays.size() == readings.size(), "ValueTable: there must be one reading per column");
        for (std::size_t j = 0; j < arrays.size(); ++j) {
            const auto array = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>>(arrays[j]);
            require(array.shape(0) == rows, "ValueTable: columns must have the same length");
            const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
            columns.push_back({static_cast<const std::byte*>(array.data()), array.stride(0) * size,
                               value_type(array.dtype(), readings[j])});
            owners.push_back(nb::borrow(arrays[j]));
        }
    }
};

// The arrays of a Tree, kept alive as long as they are in use.
struct TreeArrays {
    TreeView view{};
    std::vector<nb::object> owners;

    TreeArrays(const In<std::int8_t>& kind, const In<std::int32_t>& feature, const In<std::int64_t>& child_start,
               const In<std::int32_t>& child, const In<std::int64_t>& threshold_start, const In<double>& threshold,
               const In<std::int64_t>& code_start, const In<std::int32_t>& code_to_branch,
               const In<std::int32_t>& missing_branch, const In<std::int32_t>& default_branch)
        : view{kind.data(), feature.data(), child_start.data(), child.data(), threshold_start.data(), threshold.data(),
               code_start.data(), code_to_branch.data(), missing_branch.data(), default_branch.data(), kind.shape(0)},
          owners{nb::cast(kind), nb::cast(feature), nb::cast(child_start), nb::cast(child), nb::cast(threshold_start),
                 nb::cast(threshold), nb::cast(code_start), nb::cast(code_to_branch), nb::cast(missing_branch),
                 nb::cast(default_branch)} {}
};

}  // namespace polytomy
