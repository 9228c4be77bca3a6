// tests/cpp/test_encode.cpp: codes against a linear search of the upper ends.
#include <algorithm>

#include "check.hpp"
#include "encode/cuts.hpp"
#include "encode/encode.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// A column, the ends of its bins, and memory for its codes.
struct Job {
    ValueColumn column;
    std::vector<double> ends;
    std::vector<std::uint32_t> want;
    int width;
    std::vector<std::uint32_t> room;  // for any width, with a guard at the end

    [[nodiscard]] std::uint32_t code(std::size_t row) const {
        const CodeColumn codes{room.data(), width, 0};
        std::uint32_t code = 0;
        with_codes(codes, [&](const auto* at) { code = at[row]; });
        return code;
    }
};

// Returns some of the column's values as ends; the last bin has all larger values, even beyond its end.
template <class T>
Job make_job(Random& random, const std::vector<T>& values, const ValueColumn& column, std::size_t most, int width) {
    Job job{column, {}, {}, width, std::vector<std::uint32_t>(values.size() + 1, 0xABABABABU)};
    for (const T v : values) {
        if (!is_missing(v)) job.ends.push_back(to_double(v));
    }
    std::sort(job.ends.begin(), job.ends.end());
    job.ends.erase(std::unique(job.ends.begin(), job.ends.end()), job.ends.end());
    while (job.ends.size() > most) {
        job.ends.erase(job.ends.begin() + static_cast<std::ptrdiff_t>(random.below(job.ends.size())));
    }
    for (const T v : values) {
        const auto at = std::lower_bound(job.ends.begin(), job.ends.end(), to_double(v)) - job.ends.begin();
        const std::size_t last = job.ends.empty() ? 0 : job.ends.size() - 1;
        const std::size_t code = is_missing(v) ? job.ends.size() : std::min(static_cast<std::size_t>(at), last);
        job.want.push_back(static_cast<std::uint32_t>(code));
    }
    return job;
}

void run(std::vector<Job>& jobs, std::size_t rows, int threads, const RowCellsOfColumns* row_cells = nullptr) {
    std::vector<ValueColumn> columns;
    std::vector<std::span<const double>> highs;
    std::vector<CodeSink> sinks;
    for (Job& job : jobs) {
        columns.push_back(job.column);
        highs.emplace_back(job.ends);
        sinks.push_back({job.room.data(), job.width, static_cast<std::uint32_t>(job.ends.size() + 1)});
    }
    encode(columns, highs, rows, sinks, threads, row_cells);
    for (const Job& job : jobs) {
        for (std::size_t i = 0; i < rows; ++i) CHECK(job.code(i) == job.want[i]);
        CHECK(job.room.back() == 0xABABABABU);
    }
}

// Every type, shape and width of codes, with few and many ends and rows.
void codes_match_a_linear_search() {
    Random random(23);
    check::cases(static_cast<long>(8 * kShapes), [&](long number) {
        each_value_type([&](auto type) {
            const std::size_t rows = random.one_in(4) ? 5000 : random.below(400);
            const auto shape = static_cast<std::size_t>(number) % kShapes;
            const auto values = random_values<decltype(type)>(random, rows, shape, random.one_in(2));
            const auto held = lay_out(values, random.below(3));
            std::vector<Job> jobs;
            for (const int width : {1, 2, 4}) {
                const std::size_t most = width == 1 ? 255 : 3000;
                jobs.push_back(make_job(random, values, held.view, random.one_in(2) ? most : random.below(12), width));
            }
            run(jobs, rows, 1);
        });
    });
}

// The cells that were kept when the bins were found lead to the codes that a search of the ends does.
void codes_from_cells_equal_those_without() {
    Random random(26);
    check::cases(static_cast<long>(2 * kShapes), [&](long number) {
        each_value_type([&](auto type) {
            using T = decltype(type);
            const std::size_t rows = random.one_in(3) ? 4097 + random.below(9000) : 1 + random.below(600);
            const auto values = random_values<T>(random, rows, static_cast<std::size_t>(number) % kShapes, random.one_in(2));
            const auto held = lay_out(values, random.below(3));
            const std::vector<ValueColumn> columns{held.view, held.view, held.view};
            const auto bins = static_cast<std::uint32_t>(2 + random.below(200));
            RowCellsOfColumns cells;
            const std::vector<Cuts> cuts = find_cuts(columns, rows, nullptr, {bins, bins}, 0, 2, &cells);
            std::vector<Job> jobs;
            for (const int width : {1, 2, 4}) {
                Job job = make_job(random, values, held.view, 0, width);
                job.ends = cuts[0].high;
                job.want.clear();
                for (const T v : values) {
                    const auto at = std::lower_bound(job.ends.begin(), job.ends.end(), to_double(v)) - job.ends.begin();
                    job.want.push_back(static_cast<std::uint32_t>(is_missing(v) ? static_cast<std::ptrdiff_t>(job.ends.size()) : at));
                }
                jobs.push_back(std::move(job));
            }
            run(jobs, rows, 2, &cells);
        });
    });
}

// Ends that are crowded in a corner of the range need the longest searches.
void codes_are_right_for_crowded_ends() {
    Random random(24);
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    std::vector<double> values{-kEndless, -1e300, 1e300, kEndless};
    for (int i = 0; i < 2000; ++i) values.push_back(1.0 + random.unit() * 1e-9);
    values.push_back(std::nextafter(values.back(), 2.0));
    values.push_back(-0.0);
    values.push_back(0.0);
    const auto held = lay_out(values, 2);
    for (const unsigned most : {1U, 2U, 3U, 100U, 5000U}) {
        std::vector<Job> jobs{make_job(random, values, held.view, most, 2)};
        run(jobs, values.size(), 3);
    }
}

// More columns than one group has, and enough rows for three threads.
void codes_of_many_columns_are_right() {
    Random random(25);
    std::vector<std::vector<float>> values;
    std::vector<OwnedColumn<float>> held;
    std::vector<Job> jobs;
    for (std::size_t j = 0; j < 70; ++j) {
        values.push_back(random_values<float>(random, 5000, j % kShapes, true));
        held.push_back(lay_out(values[j], j));
        jobs.push_back(make_job(random, values[j], held[j].view, 200, 1 << (j % 3)));
    }
    run(jobs, 5000, 3);
}

void encode_accepts_empty_tables() {
    encode({}, {}, 10, {}, 3);
    std::vector<Job> jobs{{{nullptr, 8, ValueType::f64}, {}, {}, 1, {0xABABABABU}},
                          {{nullptr, 4, ValueType::f32}, {1.0}, {}, 4, {0xABABABABU}}};
    run(jobs, 0, 3);
}

}  // namespace

int main() {
    return check::run(codes_match_a_linear_search,
                      codes_from_cells_equal_those_without,
                      codes_are_right_for_crowded_ends,
                      codes_of_many_columns_are_right,
                      encode_accepts_empty_tables);
}
