// cpp/encode/encode.cpp: see encode.hpp.
#include "encode/encode.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kBlock = RowList::kMost;  // rows processed together, so that a row-major table is read once

class Binner {
 public:
    virtual ~Binner() = default;
    virtual void bin(std::size_t begin, std::size_t end) const = 0;
};

// Returns the key of an upper end, which is a value of the column, so that the conversion is exact.
template <class T>
KeyOf<T> key_of_end(double end) noexcept {
    if constexpr (std::is_same_v<T, float> || (std::is_integral_v<T> && sizeof(T) <= 4)) {
        return to_key(static_cast<T>(end));
    } else {
        return to_key(end);
    }
}

// Finds the bins of one column. A table over the key range gives the ends between which a key can lie; a branch-free
// binary search with as many steps as the fullest cell needs (one or two for smooth data) finds the bin. If the cells of the
// rows are known, only the values in cells in which a bin ends are looked up.
template <class T, class Code>
class TypedBinner final : public Binner {
    using Key = KeyOf<T>;
    // The code of a cell, or kUndecided, whose upper half is 1.
    using CellCode = std::conditional_t<sizeof(Code) == 1, std::uint16_t, std::conditional_t<sizeof(Code) == 2, std::uint32_t, std::uint64_t>>;
    static constexpr int kCodeBits = 8 * sizeof(Code);
    static constexpr CellCode kUndecided = static_cast<CellCode>(CellCode{1} << kCodeBits);

 public:
    TypedBinner(const ValueColumn& column, std::span<const double> ends, const CodeSink& sink, std::size_t rows,
                const RowCells* row_cells)
        : column_(column), out_(static_cast<Code*>(sink.data)),
          missing_(static_cast<Code>(std::min<std::size_t>(ends.size(), sink.n_codes - 1))) {
        const std::size_t inner = ends.empty() ? 0 : ends.size() - 1;  // the end of the last bin is not needed
        for (std::size_t b = 0; b < inner; ++b) end_.push_back(key_of_end<T>(ends[b]));
        const int bits = std::clamp(static_cast<int>(std::bit_width(rows)), 4, 14);
        first_ = inner > 0 ? end_.front() : 0;
        const Key range = inner > 0 ? end_.back() - first_ : 0;
        shift_ = std::max(0, static_cast<int>(std::bit_width(range)) - bits);
        last_ = static_cast<std::size_t>(range >> shift_) + 2;
        // Cell 0 has the keys up to the first end; cell c > 0 has those whose distance from it, shifted, is c - 1.
        table_.assign(last_ + 1, static_cast<std::uint32_t>(inner));
        std::size_t b = 0;
        for (std::size_t c = 0; c < last_; ++c) {
            while (b < inner && cell(end_[b]) < c) ++b;
            table_[c] = static_cast<std::uint32_t>(b);
        }
        std::uint32_t fullest = 0;
        for (std::size_t c = 0; c < last_; ++c) fullest = std::max(fullest, table_[c + 1] - table_[c]);
        steps_ = static_cast<int>(std::bit_width(fullest));
        end_.insert(end_.end(), (std::size_t{1} << steps_) + 1, static_cast<Key>(~Key{0}));
        if (row_cells != nullptr) read_cells(*row_cells, inner);
    }

    void bin(std::size_t begin, std::size_t end) const override {
        if (cells_ == nullptr) {
            look_up(begin, end - begin, [](std::size_t i) { return i; });
            return;
        }
        const RowList undecided = bin_by_cells(begin, end);
        prefetch(column_, begin, undecided);
        const std::uint16_t* const rows = undecided.begin();
        look_up(begin, static_cast<std::size_t>(undecided.end() - rows), [rows](std::size_t i) { return std::size_t{rows[i]}; });
    }

 private:
    // Finds the cells of keys; a value of its own, which a loop can keep in registers while it writes codes.
    struct Finder {
        Key first;
        int shift;
        std::size_t last;

        [[nodiscard]] std::size_t cell(Key key) const noexcept {
            const auto found = static_cast<std::size_t>(static_cast<Key>(key - first) >> shift) + 1;
            return key <= first ? 0 : std::min(found, last);
        }
    };
    [[nodiscard]] std::size_t cell(Key key) const noexcept { return Finder{first_, shift_, last_}.cell(key); }

    void read_cells(const RowCells& row_cells, std::size_t inner) {
        cells_ = row_cells.cells.data();
        code_of_cell_.reserve(row_cells.n_cells + 1);
        std::size_t b = 0;
        for (std::size_t c = 0; c < row_cells.n_cells; ++c) {
            const auto code = static_cast<CellCode>(b);
            while (b < inner && row_cells.cell_of_end[b] == c) ++b;
            code_of_cell_.push_back(b == code ? code : kUndecided);
        }
        code_of_cell_.push_back(missing_);
    }

    // Returns the rows whose cells do not decide.
    [[nodiscard]] RowList bin_by_cells(std::size_t begin, std::size_t end) const {
        const std::uint16_t* const cells = cells_ + begin;
        const CellCode* const code_of_cell = code_of_cell_.data();
        Code* const out = out_ + begin;
        RowList undecided;
        undecided.select(end - begin, [=](std::size_t i) {
            const CellCode code = code_of_cell[cells[i]];
            out[i] = static_cast<Code>(code);
            return static_cast<std::size_t>(code >> kCodeBits);
        });
        return undecided;
    }

    // Look up the values of the rows begin + row(i), for i below n.
    template <class RowOf>
    void look_up(std::size_t begin, std::size_t n, const RowOf& row) const {
        switch (steps_) {
            case 0: bin_by<0>(begin, n, row); break;
            case 1: bin_by<1>(begin, n, row); break;
            case 2: bin_by<2>(begin, n, row); break;
            default: bin_by<-1>(begin, n, row); break;
        }
    }

    template <int Steps, class RowOf>
    void bin_by(std::size_t begin, std::size_t n, const RowOf& row_of) const {
        const std::uint32_t* table = table_.data();
        const Key* ends = end_.data();
        const int steps = Steps < 0 ? steps_ : Steps;
        const ValueColumn column = column_;
        const Finder finder{first_, shift_, last_};
        const Code missing = missing_;
        Code* const out = out_;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = begin + row_of(i);
            const T value = load<T>(column, row);
            const Key key = to_key(value);
            std::size_t at = table[finder.cell(key)];
            for (int s = steps; s > 0; --s) {
                const std::size_t half = std::size_t{1} << (s - 1);
                at += ends[at + half - 1] < key ? half : 0;
            }
            out[row] = is_missing(value) ? missing : static_cast<Code>(at);
        }
    }

    const ValueColumn column_;
    Code* out_;
    Code missing_;
    std::vector<Key> end_;
    std::vector<std::uint32_t> table_;
    Key first_ = 0;
    int shift_ = 0;
    int steps_ = 0;
    std::size_t last_ = 0;
    const std::uint16_t* cells_ = nullptr;  // by row, if they are known
    std::vector<CellCode> code_of_cell_;    // and of a missing value
};

std::unique_ptr<Binner> make_binner(const ValueColumn& column, std::span<const double> ends, const CodeSink& sink,
                                    std::size_t rows, const RowCells* row_cells) {
    std::unique_ptr<Binner> binner;
    with_values(column, [&](auto type) {
        using T = decltype(type);
        switch (sink.width) {
            case 1:
                binner = std::make_unique<TypedBinner<T, std::uint8_t>>(column, ends, sink, rows, row_cells);
                break;
            case 2:
                binner = std::make_unique<TypedBinner<T, std::uint16_t>>(column, ends, sink, rows, row_cells);
                break;
            default:
                binner = std::make_unique<TypedBinner<T, std::uint32_t>>(column, ends, sink, rows, row_cells);
        }
    });
    return binner;
}

}  // namespace

void encode(std::span<const ValueColumn> columns, std::span<const std::span<const double>> highs, std::size_t rows,
            std::span<const CodeSink> sinks, int threads, const RowCellsOfColumns* row_cells) {
    constexpr std::size_t kGroup = 64;  // columns whose tables are in memory at the same time
    for (std::size_t first = 0; first < columns.size(); first += kGroup) {
        std::vector<std::unique_ptr<Binner>> group(std::min(kGroup, columns.size() - first));
        const int useful = worth(rows * group.size(), 100000, threads);
        parallel_blocks(group.size(), std::min(useful, static_cast<int>(group.size())), [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t j = first + i;
                const RowCells* const cells = row_cells != nullptr ? (*row_cells)[j].get() : nullptr;
                group[i] = make_binner(columns[j], highs[j], sinks[j], rows, cells);
            }
        });
        parallel_blocks(rows, useful, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; at += kBlock) {
                poll(4 * kBlock * group.size());
                for (const auto& binner : group) binner->bin(at, std::min(at + kBlock, end));
            }
        });
    }
}

}  // namespace polytomy
