// tests/cpp/test_lookup.cpp: sums of random functions of single columns, against counting thresholds one by one.
#include "check.hpp"
#include "predict/lookup.hpp"
#include "random_trees.hpp"

using namespace polytomy;

namespace {

struct Lookups {
    std::vector<std::int32_t> column;
    std::vector<std::uint8_t> by_code;
    std::vector<std::int64_t> threshold_start{0}, place_start{0};
    std::vector<double> threshold, scores;
    std::size_t outputs;

    Lookups(Random& random, const RandomTable& table, std::size_t n_outputs) : outputs(n_outputs) {
        const std::size_t rows = table.value[0].size();
        for (std::size_t j = 0; j < table.views.size(); ++j) {
            if (random.one_in(3)) continue;
            const bool codes = j >= kNumbers;
            const std::size_t size = random.below(random.one_in(3) ? 120 : 9);  // few thresholds are counted, many are searched
            for (std::size_t t = 0; !codes && t < size; ++t) {
                const double held = rows > 0 ? table.value[j][random.below(rows)] : 0.0;
                threshold.push_back(std::isnan(held) || random.one_in(2) ? (random.unit() - 0.5) * 2000.0 : held);
            }
            std::sort(threshold.begin() + threshold_start.back(), threshold.end());
            column.push_back(static_cast<std::int32_t>(j));
            by_code.push_back(codes ? 1 : 0);
            threshold_start.push_back(static_cast<std::int64_t>(threshold.size()));
            place_start.push_back(place_start.back() + static_cast<std::int64_t>(size + (codes ? 2 : 3)));
        }
        const std::size_t cells = static_cast<std::size_t>(place_start.back()) * outputs;
        for (std::size_t i = 0; i < cells; ++i) scores.push_back(random.unit() - 0.5);
    }

    [[nodiscard]] LookupView view() const {
        return {column, by_code.data(), threshold_start.data(), threshold.data(), place_start.data(), scores.data(), outputs};
    }

    [[nodiscard]] std::size_t place(std::size_t j, double cell) const {
        const auto size = static_cast<std::size_t>(place_start[j + 1] - place_start[j]);
        if (by_code[j] != 0) {
            if (cell == kMissing) return size - 2;
            return cell >= 0.0 && cell < static_cast<double>(size - 2) ? static_cast<std::size_t>(cell) : size - 1;
        }
        if (std::isnan(cell)) return size - 2;
        if (cell == kNoPlace) return size - 1;
        std::size_t below = 0;
        for (auto t = threshold_start[j]; t < threshold_start[j + 1]; ++t) {
            below += cell > threshold[static_cast<std::size_t>(t)] ? 1 : 0;
        }
        return below;
    }
};

void compare(Random& random, std::size_t rows) {
    const RandomTable table(random, rows);
    const Lookups lookups(random, table, 1 + random.below(3));
    const std::size_t outputs = lookups.outputs;
    std::vector<double> start(rows * outputs);
    for (double& vote : start) vote = random.unit();
    std::vector<double> want = start;  // added in the same order, so equal bit by bit
    for (std::size_t j = 0; j < lookups.column.size(); ++j) {
        const auto& cells = table.value[static_cast<std::size_t>(lookups.column[j])];
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = static_cast<std::size_t>(lookups.place_start[j]) + lookups.place(j, cells[i]);
            for (std::size_t o = 0; o < outputs; ++o) want[i * outputs + o] += lookups.scores[at * outputs + o];
        }
    }
    for (const int threads : {1, 3}) {
        std::vector<double> votes = start;
        look_up(lookups.view(), table.views, votes.data(), rows, threads);
        CHECK(votes == want);
    }
}

void look_up_matches_counting_thresholds() {
    Random random(32);
    check::cases(300, [&](long number) { compare(random, random.below(number < 10 ? 2 : 700)); });
    check::cases(2, [&](long) { compare(random, 30500); });  // enough for three threads
}

}  // namespace

int main() { return check::run(look_up_matches_counting_thresholds); }
