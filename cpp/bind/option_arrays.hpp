// cpp/bind/option_arrays.hpp: records and options as arrays.
#pragma once

#include <tuple>
#include <vector>

#include "bind/tables.hpp"
#include "grow/node_menu.hpp"

namespace polytomy {

// One entry of an array for each of a list of records.
template <class T, class Records, class Read>
Fresh<T> column_of(const Records& records, std::size_t first, Read&& read) {
    std::vector<T> values;
    values.reserve(records.size() - first);
    for (std::size_t i = first; i < records.size(); ++i) values.push_back(static_cast<T>(read(records[i])));
    return to_numpy(std::move(values));
}

// Options as arrays, one entry each; the cuts of option i are left[cut_start[i]:cut_start[i + 1]] and right[...].
template <class Records, class GetOption>
auto option_arrays(const Records& all, std::size_t first, GetOption&& option_of) {
    std::vector<std::int64_t> cut_start{0};
    std::vector<std::int32_t> arity, column, rank, missing, own, left, right;
    std::vector<double> gain, charge;
    for (std::size_t i = first; i < all.size(); ++i) {
        const Option& option = option_of(all[i]);
        arity.push_back(option.arity);
        column.push_back(option.column);
        rank.push_back(option.rank);
        missing.push_back(option.missing);
        own.push_back(option.own);
        gain.push_back(option.gain);
        charge.push_back(option.charge);
        if (option.kind != FamilyKind::own) {
            left.insert(left.end(), option.first.begin(), option.first.end());
            right.insert(right.end(), option.second.begin(), option.second.end());
        }
        cut_start.push_back(static_cast<std::int64_t>(left.size()));
    }
    return std::make_tuple(to_numpy(std::move(arity)), to_numpy(std::move(column)), to_numpy(std::move(rank)),
                           to_numpy(std::move(missing)), to_numpy(std::move(own)), to_numpy(std::move(gain)),
                           to_numpy(std::move(charge)), to_numpy(std::move(cut_start)), to_numpy(std::move(left)),
                           to_numpy(std::move(right)));
}

}  // namespace polytomy
