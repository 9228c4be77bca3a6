// tests/cpp/test_histograms.cpp: class histograms against adding one row and one column at a time.
#include "check.hpp"
#include "grow/histograms.hpp"
#include "grow/row_codes.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// A random table with codes of 1, 2 and 4 bytes, labels and weights.
struct Table {
    std::vector<std::vector<std::uint8_t>> one;
    std::vector<std::vector<std::uint16_t>> two;
    std::vector<std::vector<std::uint32_t>> four;
    std::vector<std::vector<std::size_t>> code;  // the same, by column
    std::vector<CodeColumn> columns;
    std::vector<std::int64_t> code_start{0};
    std::vector<Label> label;
    std::vector<Weight> units;

    Table(Random& random, std::size_t rows, std::size_t n_columns, std::size_t classes) {
        one.resize(n_columns), two.resize(n_columns), four.resize(n_columns), code.resize(n_columns);
        const bool alike = random.one_in(2);
        int width = 1 << random.below(3);
        for (std::size_t j = 0; j < n_columns; ++j) {
            if (!alike) width = 1 << random.below(3);
            const std::size_t most = width == 1 ? 256 : width == 2 ? 65536 : 70000;
            const std::size_t n_codes = random.one_in(5) ? most : 1 + random.below(20);
            for (std::size_t i = 0; i < rows; ++i) {
                const std::size_t c = random.one_in(9) ? n_codes - 1 : random.below(n_codes);
                code[j].push_back(c);
                one[j].push_back(static_cast<std::uint8_t>(c));
                two[j].push_back(static_cast<std::uint16_t>(c));
                four[j].push_back(static_cast<std::uint32_t>(c));
            }
            const void* data = width == 1 ? static_cast<const void*>(one[j].data())
                               : width == 2 ? static_cast<const void*>(two[j].data()) : four[j].data();
            columns.push_back({data, width, static_cast<std::uint32_t>(n_codes)});
            code_start.push_back(code_start.back() + static_cast<std::int64_t>(n_codes));
        }
        for (std::size_t i = 0; i < rows; ++i) {
            label.push_back(static_cast<Label>(random.below(classes)));
            units.push_back(static_cast<Weight>(1 + random.below(std::size_t{1} << 33)));
        }
    }
};

struct Histogram {
    std::vector<Weight> counts, rows;
    bool operator==(const Histogram&) const = default;
};

// Histograms start at 3 everywhere, because the kernel must add to them.
Histogram fresh(const Table& table, std::size_t classes, bool weighted) {
    const auto codes = static_cast<std::size_t>(table.code_start.back());
    return {std::vector<Weight>(codes * classes, 3), std::vector<Weight>(weighted ? codes : 0, 3)};
}

Histogram kernel(const Table& table, const std::vector<std::int32_t>& which, const std::vector<Row>* members,
                 std::size_t classes, bool weighted, int threads) {
    Histogram h = fresh(table, classes, weighted);
    const Target target{table.label.data(), weighted ? table.units.data() : nullptr, classes};
    accumulate(table.columns, which, members != nullptr ? members->data() : nullptr,
               members != nullptr ? members->size() : table.label.size(), target, table.code_start.data(),
               h.counts.data(), weighted ? h.rows.data() : nullptr, threads);
    return h;
}

Histogram naive(const Table& table, const std::vector<std::int32_t>& which, const std::vector<Row>& members,
                std::size_t classes, bool weighted) {
    Histogram h = fresh(table, classes, weighted);
    for (const std::int32_t j : which) {
        for (const Row row : members) {
            const auto column = static_cast<std::size_t>(j);
            const std::size_t at = static_cast<std::size_t>(table.code_start[column]) + table.code[column][row];
            h.counts[at * classes + table.label[row]] += weighted ? table.units[row] : 1;
            if (weighted) h.rows[at] += 1;
        }
    }
    return h;
}

void compare(Random& random, std::size_t rows, std::size_t n_columns) {
    const std::size_t classes = 1 + random.below(4);
    const Table table(random, rows, n_columns, classes);
    std::vector<std::int32_t> which;
    for (std::size_t j = n_columns; j-- > 0;) {
        if (!random.one_in(4)) which.push_back(static_cast<std::int32_t>(j));
    }
    std::vector<Row> all, some;
    for (std::size_t i = 0; i < rows; ++i) all.push_back(static_cast<Row>(i));
    for (std::size_t i = 0; i < rows; ++i) {
        if (!random.one_in(3)) some.push_back(static_cast<Row>(rows - 1 - i));
    }
    for (const bool weighted : {false, true}) {
        const Histogram of_all = naive(table, which, all, classes, weighted);
        const Histogram of_some = naive(table, which, some, classes, weighted);
        for (const int threads : {1, 3}) {
            CHECK(kernel(table, which, nullptr, classes, weighted, threads) == of_all);
            CHECK(kernel(table, which, &all, classes, weighted, threads) == of_all);
            CHECK(kernel(table, which, &some, classes, weighted, threads) == of_some);
        }
    }
}

// A second layer of weights is added to the counts, together or separately, and its rows are not counted again.
void histograms_add_a_second_layer() {
    Random random(15);
    check::cases(40, [&](long) {
        const std::size_t classes = 1 + random.below(5);
        const std::size_t rows = random.below(300);
        const Table table(random, rows, 7, classes), other(random, rows, 7, classes);
        const std::vector<std::int32_t> which{0, 1, 2, 3, 4, 5, 6};
        const bool every = random.one_in(2);
        std::vector<Row> members;
        for (std::size_t i = 0; i < rows; ++i) {
            if (every || !random.one_in(3)) members.push_back(static_cast<Row>(i));
        }
        const Row* held = every ? nullptr : members.data();
        Histogram expected = naive(table, which, members, classes, true);
        for (const std::int32_t j : which) {
            const auto column = static_cast<std::size_t>(j);
            for (const Row row : members) {
                const std::size_t at = static_cast<std::size_t>(table.code_start[column]) + table.code[column][row];
                expected.counts[at * classes + other.label[row]] += other.units[row];
            }
        }
        for (const int threads : {1, 3}) {
            Histogram apart = kernel(table, which, &members, classes, true, threads);
            const Target second{other.label.data(), other.units.data(), classes};
            accumulate(table.columns, which, held, members.size(), second, table.code_start.data(),
                       apart.counts.data(), nullptr, threads);
            CHECK(apart == expected);
            Histogram at_once = fresh(table, classes, true);
            const std::vector<Layer> more{{other.label.data(), other.units.data()}};
            const Target both{table.label.data(), table.units.data(), classes, more};
            accumulate(table.columns, which, held, members.size(), both, table.code_start.data(),
                       at_once.counts.data(), at_once.rows.data(), threads);
            CHECK(at_once == expected);
        }
    });
}

// Records of rows give the same histograms as columns, and pairs of counts the same as two layers.
void records_and_pairs_match_columns() {
    Random random(16);
    check::cases(40, [&](long round) {
        const std::size_t classes = 1 + random.below(4);
        const std::size_t rows = round == 0 ? 30000 : 1 + random.below(3000);
        const Table table(random, rows, 7, classes), other(random, rows, 7, classes);
        std::vector<std::int32_t> narrow;
        for (std::size_t j = 0; j < 7; ++j) {
            if (is_narrow(table.columns[j])) narrow.push_back(static_cast<std::int32_t>(j));
        }
        if (narrow.empty()) return;
        std::vector<Row> members;
        for (std::size_t i = 0; i < rows; ++i) {
            if (round == 0 || random.one_in(3)) members.push_back(static_cast<Row>(i));
        }
        const std::vector<Layer> more{{other.label.data(), other.units.data()}};
        std::vector<Weight> pairs(2 * rows, 0);
        for (std::size_t i = 0; i < rows && classes == 2; ++i) {
            pairs[2 * i + table.label[i]] += table.units[i];
            pairs[2 * i + other.label[i]] += other.units[i];
        }
        std::vector<Target> targets{{table.label.data(), nullptr, classes},
                                    {table.label.data(), table.units.data(), classes},
                                    {table.label.data(), table.units.data(), classes, more}};
        if (classes == 2) {
            targets.push_back(targets.back());
            targets.back().pairs = pairs.data();
        }
        const RowCodes plain(table.columns, narrow, nullptr, rows, 2);
        RowCodes with_pairs(table.columns, narrow, pairs.data(), rows, 2);
        CHECK(plain.pairs() == nullptr);
        for (std::size_t t = 0; t < targets.size(); ++t) {
            const bool weighted = targets[t].units != nullptr;
            Histogram expected = fresh(table, classes, weighted);
            accumulate(table.columns, narrow, members.data(), members.size(), targets[std::min<std::size_t>(t, 2)],
                       table.code_start.data(), expected.counts.data(), weighted ? expected.rows.data() : nullptr, 1);
            for (const int threads : {1, 3}) {
                const auto check_cells = [&](std::span<const CodeColumn> columns, std::size_t stride, const std::uint8_t* in_records) {
                    Histogram found = fresh(table, classes, weighted);
                    Target target = targets[t];
                    target.pairs_in_records = in_records;
                    accumulate(columns, narrow, members.data(), members.size(), target, table.code_start.data(), found.counts.data(),
                               weighted ? found.rows.data() : nullptr, threads, stride);
                    CHECK(found == expected);
                };
                check_cells(table.columns, 1, nullptr);
                if (plain.stride() > 1) check_cells(plain.columns(), plain.stride(), nullptr);
                check_cells(with_pairs.columns(), with_pairs.stride(), nullptr);
                if (targets[t].pairs != nullptr) check_cells(with_pairs.columns(), with_pairs.stride(), with_pairs.pairs());
            }
        }
        with_pairs.forget_pairs();
        CHECK(with_pairs.pairs() == nullptr);
    });
}

void histograms_match_one_row_at_a_time() {
    Random random(14);
    for (const unsigned rows : {0U, 1U, 2047U, 2048U, 2049U}) compare(random, rows, 3);
    check::cases(60, [&](long) { compare(random, random.below(300), random.below(5)); });
    check::cases(3, [&](long) { compare(random, 50000 + random.below(9), 9); });  // enough for three threads
}

}  // namespace

int main() {
    return check::run(histograms_match_one_row_at_a_time, histograms_add_a_second_layer, records_and_pairs_match_columns);
}
