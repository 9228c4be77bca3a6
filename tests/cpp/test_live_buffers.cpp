// tests/cpp/test_live_buffers.cpp: the kernels stay within bounds if the caller's arrays change while they are read.
//
// The sanitizers see every access out of bounds; what is checked here is that the results are those of some table.
#include <algorithm>
#include <atomic>
#include <thread>

#include "check.hpp"
#include "encode/cells.hpp"
#include "encode/cuts.hpp"
#include "encode/cutter.hpp"
#include "encode/encode.hpp"
#include "encode/recode.hpp"
#include "encode/value_counts.hpp"
#include "predict/lookup.hpp"
#include "predict/route.hpp"
#include "predict/vote.hpp"
#include "random_trees.hpp"

using namespace polytomy;

namespace {

constexpr BinLimits kLimits{40, 16};

// Returns a cell that moves between the grid's cells, becomes missing, or repeats another one.
template <class T>
T any_cell(Random& random) {
    const std::size_t sort = random.below(8);
    if (sort == 0) return missing_value<T>();
    const double spread = sort == 1 ? 1e-3 : sort < 4 ? 100.0 : 1.0;
    if constexpr (std::is_same_v<T, Time>) {
        return {static_cast<std::int64_t>(random.unit() * spread * 1e6)};
    } else if constexpr (std::is_same_v<T, Rank>) {
        return {static_cast<std::int32_t>(random.unit() * spread * 1e6)};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(random.engine());
    } else {
        return static_cast<T>(random.unit() * spread);
    }
}

// Writes to a column from another thread for as long as it lives.
template <class T>
class Writer {
 public:
    Writer(std::vector<T>& cells, std::uint64_t seed) : thread_([&cells, seed](const std::stop_token& stop) {
        Random random(seed);
        while (!stop.stop_requested()) {
            for (int i = 0; i < 64; ++i) {
                const T value = any_cell<T>(random);
                std::memcpy(&cells[random.below(cells.size())], &value, sizeof value);
                std::atomic_signal_fence(std::memory_order_seq_cst);
            }
        }
    }) {}

 private:
    std::jthread thread_;
};

template <class T>
std::vector<T> some_cells(Random& random, std::size_t n) {
    std::vector<T> cells;
    for (std::size_t i = 0; i < n; ++i) cells.push_back(any_cell<T>(random));
    return cells;
}

void check_cuts(const Cuts& cuts, std::size_t most) {
    CHECK(cuts.low.size() == cuts.high.size());
    CHECK(cuts.low.size() <= most);
    CHECK(cuts.has_missing || !cuts.low.empty());
    for (std::size_t b = 0; b < cuts.low.size(); ++b) {
        CHECK(cuts.low[b] <= cuts.high[b]);
        CHECK(b == 0 || cuts.high[b - 1] < cuts.low[b]);
    }
}

template <class T>
void encode_live(Random& random, const ValueColumn& column, std::size_t rows, const Weight* units, int threads) {
    RowCellsOfColumns row_cells;
    const bool keeps_cells = random.one_in(2);
    const Cuts cuts = find_cuts({&column, 1}, rows, units, kLimits, 0, threads, keeps_cells ? &row_cells : nullptr)[0];
    check_cuts(cuts, kLimits.max_values);
    const auto n_codes = static_cast<std::uint32_t>(cuts.low.size() + (cuts.has_missing ? 1 : 0));
    std::vector<std::uint8_t> codes(rows, 0xFF);
    const std::span<const double> ends(cuts.high);
    const CodeSink sink{codes.data(), 1, n_codes};
    encode({&column, 1}, {&ends, 1}, rows, {&sink, 1}, threads, keeps_cells ? &row_cells : nullptr);
    for (const std::uint8_t code : codes) CHECK(code < n_codes);

    std::vector<double> sample;
    for (int i = 0; i < 100; ++i) sample.push_back(random.unit());
    std::sort(sample.begin(), sample.end());
    const std::size_t n_cells = cell_ends(sample).size();
    std::vector<std::uint16_t> cells(rows);
    const std::span<const double> drawn(sample);
    std::uint16_t* const out = cells.data();
    find_cells({&column, 1}, {&drawn, 1}, rows, {&out, 1});
    for (const std::uint16_t cell : cells) CHECK(cell <= n_cells);
    std::vector<std::uint8_t> wanted(n_cells + 1, 1);
    wanted.back() = 0;
    const KeptCells kept = keep_cells(column, cells, wanted, units);
    CHECK(kept.up_to.size() == kept.values.size() + 1);
    const std::vector<Weight> ones(rows, 1);
    CHECK(value_counts(column, rows, ones.data(), ones.data()).rows.back() <= static_cast<Weight>(rows));
}

void encoding_survives_a_writer() {
    Random random(401);
    each_value_type([&](auto type) {
        using T = decltype(type);
        constexpr std::size_t kRows = 20000;
        std::vector<T> cells = some_cells<T>(random, kRows);
        const std::vector<Weight> units(kRows, 3);
        const ValueColumn column{reinterpret_cast<const std::byte*>(cells.data()), sizeof(T), type_of<T>()};
        const Writer<T> writer(cells, random.engine());
        check::cases(8, [&](long number) {
            encode_live<T>(random, column, kRows, number % 2 == 0 ? nullptr : units.data(), number < 4 ? 1 : 3);
        });
    });
}

// The same without a race: the whole column is replaced between the passes.
void cuts_notice_cells_that_change_between_passes() {
    Random random(402);
    check::cases(200, [&](long number) {
        constexpr std::size_t kRows = 6000;
        std::vector<double> cells(kRows), others(kRows);
        for (double& cell : cells) cell = random.unit();
        for (double& cell : others) cell = number % 3 == 0 ? 0.5 : number % 3 == 1 ? random.unit() : any_cell<double>(random);
        const std::vector<Weight> units(kRows, 2);
        const ValueColumn column{reinterpret_cast<const std::byte*>(cells.data()), sizeof(double), ValueType::f64};
        const bool keeps_cells = number % 4 < 2;
        TypedCutter<double> cutter(column, kRows, number % 2 == 0 ? nullptr : units.data(), kLimits, 1, keeps_cells);
        const auto each_block = [&](auto&& pass) {
            for (std::size_t at = 0; at < kRows; at += RowList::kMost) pass(at, std::min(at + RowList::kMost, kRows));
        };
        cutter.take_sample();
        CHECK(!cutter.may_have_few_values());
        cutter.after_distinct();
        if (keeps_cells) {
            const auto memory = std::make_shared<LargeArray<std::uint16_t>>();
            memory->resize(kRows);
            cutter.keep_cells(memory, {memory->data(), kRows});
        }
        each_block([&](std::size_t begin, std::size_t end) {
            cutter.read(0, begin, begin, end);
            cutter.count(0, begin, end);
        });
        cutter.after_count();
        CHECK(cutter.rereads() != keeps_cells);
        if (number >= 100) std::copy(others.begin(), others.end(), cells.begin());
        each_block([&](std::size_t begin, std::size_t end) {
            if (cutter.rereads()) cutter.read(0, begin, begin, end);
            cutter.keep(0, begin, end);
        });
        CHECK(cutter.agrees() == (number < 100));
        if (cutter.agrees()) check_cuts(cutter.finish(), kLimits.max_bins);
    });
}

// A cell that turned missing after the bins were found, and a category that was not counted, get codes in range.
void codes_stay_in_range() {
    const std::vector<double> cells{1.0, missing_value<double>(), 3.0};
    const ValueColumn column{reinterpret_cast<const std::byte*>(cells.data()), sizeof(double), ValueType::f64};
    const std::vector<double> highs{1.0, 2.0};
    const std::span<const double> ends(highs);
    for (const std::uint32_t n_codes : {2U, 3U}) {
        std::vector<std::uint8_t> codes(3);
        const CodeSink sink{codes.data(), 1, n_codes};
        encode({&column, 1}, {&ends, 1}, 3, {&sink, 1}, 1);
        CHECK((codes == std::vector<std::uint8_t>{0, static_cast<std::uint8_t>(n_codes - 1), 1}));
        const std::vector<std::int32_t> old{0, 1, -1, 7};
        const std::vector<std::uint32_t> new_code{1, 0, 2};
        codes.resize(4);
        recode(old, new_code, {codes.data(), 1, n_codes}, 1);
        CHECK((codes == std::vector<std::uint8_t>{1, 0, static_cast<std::uint8_t>(n_codes - 1), static_cast<std::uint8_t>(n_codes - 1)}));
    }
}

void recoding_survives_a_writer() {
    Random random(403);
    std::vector<std::int32_t> cells(200000, 0);
    const Writer<std::int32_t> writer(cells, 7);
    check::cases(6, [&](long number) {
        std::vector<std::uint8_t> seen(10, 0);
        const int threads = number < 3 ? 1 : 2;
        occurring(cells, seen, threads);
        std::vector<std::uint32_t> new_code(10);
        for (std::uint32_t& code : new_code) code = static_cast<std::uint32_t>(random.below(12));
        std::vector<std::uint16_t> codes(cells.size());
        recode(cells, new_code, {codes.data(), 2, 9}, threads);
        for (const std::uint16_t code : codes) CHECK(code < 9);
    });
}

// Rows end in a leaf or a user-defined split, whatever is written to the columns.
void routing_survives_writers() {
    Random random(404);
    check::cases(12, [&](long number) {
        constexpr std::size_t kRows = 21000;
        RandomTable table(random, kRows);
        const std::size_t only = number % 3 == 0 ? 1 : kNumbers;  // doubles alone are routed with forks
        const RandomTree tree(random, table, 30, number % 3 == 1, only);
        auto& doubles = std::get<OwnedColumn<double>>(table.numbers).memory;
        auto& ranks = std::get<OwnedColumn<Rank>>(table.numbers).memory;
        const Writer<double> first(doubles, random.engine());
        const Writer<Rank> second(ranks, random.engine());
        const Writer<std::int32_t> third(table.codes[0].memory, random.engine());
        std::vector<std::int32_t> node(kRows, 0);
        route(tree.view(), table.views, node.data(), kRows, 2);
        for (const std::int32_t v : node) {
            const auto kind = static_cast<NodeKind>(tree.kind[static_cast<std::size_t>(v)]);
            CHECK(kind == NodeKind::leaf || kind == NodeKind::own);
        }
        const std::vector<std::int32_t> root{0};
        const std::vector<double> scores(tree.kind.size(), 1.0);
        std::vector<double> votes(kRows, 0.0);
        vote({tree.view(), root, scores.data(), 1}, table.views, votes.data(), kRows, 2);
        for (const double v : votes) CHECK(v == 1.0);
    });
}

void look_ups_survive_writers() {
    Random random(405);
    constexpr std::size_t kRows = 21000;
    std::vector<double> numbers = some_cells<double>(random, kRows);
    std::vector<std::int32_t> codes(kRows, 0);
    const Writer<double> first(numbers, 8);
    const Writer<std::int32_t> second(codes, 9);
    const std::vector<ValueColumn> columns{{reinterpret_cast<const std::byte*>(numbers.data()), 8, ValueType::f64},
                                           {reinterpret_cast<const std::byte*>(codes.data()), 4, ValueType::i32}};
    const std::vector<std::int32_t> column{0, 1};
    const std::vector<std::uint8_t> by_code{0, 1};
    const std::vector<std::int64_t> threshold_start{0, 2, 2}, place_start{0, 5, 11};
    const std::vector<double> thresholds{0.2, 0.5}, scores(11, 1.0);
    check::cases(5, [&](long) {
        std::vector<double> votes(kRows, 0.0);
        look_up({column, by_code.data(), threshold_start.data(), thresholds.data(), place_start.data(), scores.data(), 1},
                columns, votes.data(), kRows, 2);
        for (const double v : votes) CHECK(v == 2.0);
    });
}

}  // namespace

int main() {
    return check::run(encoding_survives_a_writer,
                      cuts_notice_cells_that_change_between_passes,
                      codes_stay_in_range,
                      recoding_survives_a_writer,
                      routing_survives_writers,
                      look_ups_survive_writers);
}
