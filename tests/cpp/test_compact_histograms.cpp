// tests/cpp/test_compact_histograms.cpp: compact histograms, and the options found on them, against plain ones.
#include <map>

#include "check.hpp"
#include "grow/compact_histograms.hpp"
#include "naive_search.hpp"
#include "search/intervals.hpp"
#include "search/values.hpp"

using namespace polytomy;

namespace {

// A random table with codes of all widths, and some of its rows.
struct Sample {
    std::size_t rows, classes;
    std::vector<std::vector<std::uint8_t>> bytes;
    std::vector<std::vector<std::uint16_t>> words;
    std::vector<std::vector<std::uint32_t>> longs;
    std::vector<CodeColumn> columns;
    std::vector<std::uint8_t> has_missing;
    std::vector<std::int64_t> code_start{0};
    std::vector<std::int32_t> which;
    std::vector<Label> label;
    std::vector<Weight> units;
    std::vector<Row> members;

    explicit Sample(Random& random) : rows(1 + random.below(60)), classes(1 + random.below(4)) {
        const std::size_t n = 1 + random.below(5);
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t shape = random.below(4);
            const std::size_t codes = 1 + random.below(shape == 0 ? 4 : shape == 1 ? 256 : shape == 2 ? 6000 : 300000);
            if (shape < 2) columns.push_back(column(random, bytes, codes));
            else if (shape == 2) columns.push_back(column(random, words, codes));
            else columns.push_back(column(random, longs, codes));
            has_missing.push_back(random.one_in(2) ? 1 : 0);
            code_start.push_back(code_start.back() + static_cast<std::int64_t>(codes));
            if (!random.one_in(4)) which.push_back(static_cast<std::int32_t>(j));
        }
        for (std::size_t i = 0; i < rows; ++i) {
            label.push_back(static_cast<Label>(random.below(classes)));
            units.push_back(static_cast<Weight>(1 + random.below(9)));
            if (random.one_in(2) || (i + 1 == rows && members.empty())) members.push_back(static_cast<Row>(i));
        }
    }

    template <class Code>
    CodeColumn column(Random& random, std::vector<std::vector<Code>>& held, std::size_t codes) const {
        std::vector<Code> cells(rows);
        for (Code& cell : cells) cell = static_cast<Code>(random.one_in(3) ? codes - 1 : random.below(codes));
        held.push_back(std::move(cells));
        return {held.back().data(), static_cast<int>(sizeof(Code)), static_cast<std::uint32_t>(codes)};
    }

    [[nodiscard]] std::uint32_t cell(std::size_t j, Row row) const {
        std::uint32_t code = 0;
        with_codes(columns[j], [&](const auto* cells) { code = cells[row]; });
        return code;
    }
};

void check_column(const Sample& s, const CompactHistograms& compact, std::size_t j, bool weighted) {
    std::map<std::uint32_t, Item> held;
    for (const Row row : s.members) {
        Item& item = held.try_emplace(s.cell(j, row), Item{std::vector<Weight>(s.classes, 0), 0}).first->second;
        item.counts[s.label[row]] += weighted ? s.units[row] : 1;
        item.rows += 1;
    }
    const auto& varied = compact.varied();
    const bool listed = std::find(varied.begin(), varied.end(), static_cast<std::int32_t>(j)) != varied.end();
    CHECK(listed == (held.size() > 1));
    if (s.has_missing[j] != 0) {
        held.try_emplace(s.columns[j].n_codes - 1, Item{std::vector<Weight>(s.classes, 0), 0});
    }
    const Histograms view = compact.view();
    CHECK(view.n_codes(j) == held.size());
    std::size_t place = 0;
    for (const auto& [code, item] : held) {
        if (place >= view.n_codes(j)) break;
        CHECK(compact.view().own_code(j, place) == code);
        CHECK(view.rows_of(j, place) == item.rows);
        for (std::size_t c = 0; c < s.classes; ++c) CHECK(view.counts_of(j, place)[c] == item.counts[c]);
        ++place;
    }
}

void compact_histograms_equal_plain_ones() {
    Random random(29);
    check::cases(600, [&](long) {
        const Sample s(random);
        CompactHistograms compact(s.columns, s.has_missing);
        const auto check_all = [&] {
            for (const bool weighted : {false, true}) {  // the second time its memory is reused
                compact.count(s.which, s.members, {s.label.data(), weighted ? s.units.data() : nullptr, s.classes});
                for (const std::int32_t j : s.which) check_column(s, compact, static_cast<std::size_t>(j), weighted);
            }
        };
        check_all();
        const std::vector<Weight> pairs(2 * s.rows, 7);  // they make records longer
        for (const Weight* more : {static_cast<const Weight*>(nullptr), pairs.data()}) {
            const RowCodes records(s.columns, s.which, more, s.rows, 1);
            compact.read_records(records);
            check_all();
        }
    });
}

// Both counts of a row may be given side by side instead of in a layer.
void compact_histograms_read_pairs() {
    Random random(38);
    check::cases(200, [&](long) {
        const Sample s(random);
        if (s.classes != 2) return;
        std::vector<Weight> pairs(2 * s.rows, 0);
        for (std::size_t i = 0; i < s.rows; ++i) pairs[2 * i + s.label[i]] = s.units[i];
        Target target{s.label.data(), s.units.data(), 2};
        target.pairs = pairs.data();
        CompactHistograms compact(s.columns, s.has_missing);
        compact.count(s.which, s.members, target);
        for (const std::int32_t j : s.which) check_column(s, compact, static_cast<std::size_t>(j), true);
    });
}

// Without the rows of each code, the codes and counts are the same.
void compact_histograms_may_leave_out_rows() {
    Random random(39);
    check::cases(200, [&](long) {
        const Sample s(random);
        const Target target{s.label.data(), s.units.data(), s.classes};
        CompactHistograms with_rows(s.columns, s.has_missing), without(s.columns, s.has_missing);
        with_rows.count(s.which, s.members, target);
        without.count(s.which, s.members, target, false, false);
        const Histograms want = with_rows.view(), got = without.view();
        CHECK(got.rows == nullptr && with_rows.varied() == without.varied());
        for (const std::int32_t j : s.which) {
            const auto column = static_cast<std::size_t>(j);
            CHECK(got.n_codes(column) == want.n_codes(column));
            for (std::size_t place = 0; place < want.n_codes(column); ++place) {
                CHECK(got.own_code(column, place) == want.own_code(column, place));
                const Weight* counts = want.counts_of(column, place);
                CHECK(std::equal(counts, counts + s.classes, got.counts_of(column, place)));
            }
        }
    });
}

// Of the classes, those that the members have are listed in their order.
void compact_histograms_list_the_classes_present() {
    Random random(37);
    check::cases(200, [&](long) {
        const Sample s(random);
        const Target target{s.label.data(), s.units.data(), s.classes};
        CompactHistograms all(s.columns, s.has_missing), some(s.columns, s.has_missing);
        all.count(s.which, s.members, target);
        some.count(s.which, s.members, target, true);
        std::vector<bool> is_present(s.classes, false);
        for (const Row row : s.members) is_present[s.label[row]] = true;
        const Histograms want = all.view(), got = some.view();
        CHECK(got.classes == static_cast<std::size_t>(std::count(is_present.begin(), is_present.end(), true)));
        for (const std::int32_t j : s.which) {
            const auto column = static_cast<std::size_t>(j);
            CHECK(got.n_codes(column) == want.n_codes(column));
            for (std::size_t place = 0; place < want.n_codes(column); ++place) {
                const Weight* count = got.counts_of(column, place);
                for (std::size_t c = 0; c < s.classes; ++c) CHECK(!is_present[c] || *count++ == want.counts_of(column, place)[c]);
                CHECK(got.rows_of(column, place) == want.rows_of(column, place));
            }
        }
    });
}

// The gains are the same, and so are the cuts in the codes of the columns.
void compact_histograms_give_the_same_options() {
    Random random(31);
    int found = 0;
    check::cases(150, [&](long) {
        const Sample s(random);
        const Target target{s.label.data(), s.units.data(), s.classes};
        CompactHistograms compact(s.columns, s.has_missing);
        compact.count(s.which, s.members, target);
        const auto codes = static_cast<std::size_t>(s.code_start.back());
        std::vector<Weight> counts(codes * s.classes, 0), rows(codes, 0);
        accumulate(s.columns, s.which, s.members.data(), s.members.size(), target, s.code_start.data(), counts.data(),
                   rows.data(), 1);
        const Histograms plain{counts.data(), rows.data(), s.code_start.data(), s.has_missing.data(), s.classes};
        std::vector<Weight> total(s.classes, 0);
        for (const Row row : s.members) total[s.label[row]] += s.units[row];
        const std::vector<double> prices(7, 0.5);
        Query query{};
        query.index = &builtin_index(IndexKind::gini);
        query.node_value = naive_value(IndexKind::gini, total);
        query.max_arity = 8;
        query.min_rows = 1;
        query.prices = prices.data();
        query.threads = 1;
        const auto want = interval_menu(plain, s.which, query);
        const auto got = interval_menu(compact.view(), compact.varied(), query);
        for (std::size_t a = 0; a < want.size(); ++a) {
            if (want[a].gain < 0.0) continue;
            CHECK(a < got.size() && got[a].gain == want[a].gain && got[a].column == want[a].column);
            if (a >= got.size() || got[a].left.size() != want[a].left.size()) continue;
            CHECK(got[a].missing == want[a].missing);
            const auto j = static_cast<std::size_t>(want[a].column);
            for (std::size_t r = 0; r < want[a].left.size(); ++r) {
                CHECK(compact.view().own_code(j, got[a].left[r]) == want[a].left[r]);
                CHECK(compact.view().own_code(j, got[a].right[r]) == want[a].right[r]);
            }
            ++found;
        }
        const auto values = value_options(plain, s.which, query);
        const auto others = value_options(compact.view(), compact.varied(), query);
        CHECK(values.size() == others.size());
        for (std::size_t i = 0; i < std::min(values.size(), others.size()); ++i) {
            CHECK(values[i].gain == others[i].gain && values[i].joins == others[i].joins);
        }
    });
    CHECK(found > 150);
}

}  // namespace

int main() {
    return check::run(compact_histograms_equal_plain_ones, compact_histograms_read_pairs, compact_histograms_may_leave_out_rows,
                      compact_histograms_list_the_classes_present, compact_histograms_give_the_same_options);
}
