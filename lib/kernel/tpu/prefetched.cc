#include "lib/kernel/tpu/prefetched.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/decimal.h"
#include "lib/kernel/tpu/likely_lists.h"
#include "lib/kernel/tpu/list_uses.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::int64_t kLongestList = std::int64_t{1} << 20;

// The iterations of the runs that measure what one takes: more than a pipeline fetches ahead.
constexpr std::int64_t kFewerTrips = 6;
constexpr std::int64_t kMoreTrips = 10;

// The marks of a block of a mask, as splash attention has them.
constexpr std::int64_t kEmptyBlock = 0;
constexpr std::int64_t kPartialBlock = 1;
constexpr std::int64_t kWholeBlock = 2;

struct List {
  std::uint32_t array = 0;
  std::int64_t size = 0;
  std::vector<std::int64_t> shape;
  ListUse use;
};

KernelBuffer known_buffer(std::vector<std::int64_t> values) {
  KernelBuffer buffer;
  buffer.known.assign(values.size(), true);
  buffer.data = std::move(values);
  return buffer;
}

// The groups of rows that a kernel multiplies, each with a matrix of its own.
struct RowGroups {
  std::int64_t count = 0;
  std::int64_t rows = 0;
  bool are_results = false;  // the matrices are the result, as in the gradient
};

class Assumptions {
 public:
  Assumptions(const KernelProgram& program, const KernelCode& code, PrefetchedData& data)
      : program_(program), data_(data), bounds_(program.bounds) {
    bounds_.resize(program.dynamic_bounds);
    const std::vector<ListUse> uses = list_uses(program, code);
    const mlir::Module& module = *code.module;
    const mlir::Block& entry = module[module[module[program.function].first_region].first_block];
    for (std::uint32_t i = 0; i < program.arrays.size(); ++i) {
      const KernelArray& array = program.arrays[i];
      const mlir::ValueId value{entry.first_argument.index + program.first_array_argument + i};
      if (array.is_output || code.types.of(module, value).space != KernelSpace::kSmem) continue;
      List list;
      list.array = i;
      list.size = 1;
      list.shape = array.shape;
      for (const std::int64_t extent : array.shape) {
        if (extent < 0 || __builtin_mul_overflow(list.size, extent, &list.size)) list.size = 0;
      }
      list.use = uses[i];
      if (list.size <= 0 || list.size > kLongestList) continue;
      if (array.values && static_cast<std::int64_t>(array.values->size()) == list.size) {
        set(list, *array.values);
        constants_.push_back(std::move(list));
      } else {
        lists_.push_back(std::move(list));
      }
    }
  }

  absl::Status give(const GivenList& given) {
    if (given.operand == kGroupSizes) return give_group_sizes(given.values);
    const std::optional<std::uint32_t> named = parse_number<std::uint32_t>(given.operand);
    if (!named) return no_list(given.operand);
    const std::uint32_t number = *named;
    if (number < program_.dynamic_bounds) {
      if (given.values.size() != 1 || given.values.front() < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("operand ", number, " is a bound of the grid: expected one number that is not negative"));
      }
      bounds_[number] = given.values.front();
      return absl::OkStatus();
    }
    for (const std::vector<List>* lists : {&lists_, &constants_}) {
      for (const List& list : *lists) {
        if (operand_of(list) != number) continue;
        if (static_cast<std::int64_t>(given.values.size()) != list.size) {
          return absl::InvalidArgumentError(absl::StrCat("operand ", number, " is s32[", absl::StrJoin(list.shape, ","),
                                                         "]: expected ", list.size, " numbers, there are ",
                                                         given.values.size()));
        }
        set(list, given.values);
        return absl::OkStatus();
      }
    }
    return no_list(given.operand);
  }

  void make(const KernelProbe& probe, bool is_idle) {
    if (probe) measure_trips(probe);
    if (trips_ && is_idle) trips_ = 0;
    assume_pairs();
    assume_grids();
    assume_groups();
    assume_indices();
    assume_scalars();
    assume_bounds();
  }

 private:
  bool is_set(const List& list) const { return !data_.arrays[list.array].data.empty(); }
  void set(const List& list, std::vector<std::int64_t> values) {
    data_.arrays[list.array] = known_buffer(std::move(values));
  }
  std::uint32_t operand_of(const List& list) const { return list.array + program_.dynamic_bounds; }

  absl::Status no_list(const std::string& operand) const {
    std::vector<std::string> known;
    known.reserve(program_.dynamic_bounds + lists_.size() + constants_.size() + 1);
    for (std::uint32_t i = 0; i < program_.dynamic_bounds; ++i)
      known.push_back(absl::StrCat(i, " (a bound of the grid)"));
    for (const std::vector<List>* lists : {&lists_, &constants_}) {
      for (const List& list : *lists) {
        known.push_back(absl::StrCat(operand_of(list), " (s32[", absl::StrJoin(list.shape, ","), "])"));
      }
    }
    if (row_groups()) known.emplace_back(kGroupSizes);
    return absl::InvalidArgumentError(absl::StrCat("it has no list ", operand, ": ",
                                                   known.empty()
                                                       ? "none of its operands is in scalar memory"
                                                       : absl::StrCat("expected one of ", absl::StrJoin(known, ", "))));
  }

  absl::Status give_group_sizes(const std::vector<std::int64_t>& sizes) {
    const std::optional<RowGroups> groups = row_groups();
    if (!groups) return no_list(std::string(kGroupSizes));
    if (static_cast<std::int64_t>(sizes.size()) != groups->count) {
      return absl::InvalidArgumentError(absl::StrCat("group_sizes: expected ", groups->count,
                                                     " numbers, one for each group; there are ", sizes.size()));
    }
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes) {
      if (size < 0) return absl::InvalidArgumentError("group_sizes: a size is negative");
      if (size > groups->rows - sum) {
        return absl::InvalidArgumentError(absl::StrCat("group_sizes: expected numbers that add up to at most ",
                                                       groups->rows, ", the number of rows"));
      }
      sum += size;
    }
    const bool has_offsets = set_group_lists(sizes, *groups);
    const bool has_visits = set_tile_visits(sizes, *groups);
    return has_offsets || has_visits ? absl::OkStatus() : no_list(std::string(kGroupSizes));
  }

  // Sets the lists of tiles and of their groups, which select blocks of the rows and of the matrices.
  bool set_tile_visits(const std::vector<std::int64_t>& sizes, const RowGroups& groups) {
    for (const List& tiles : lists_) {
      if (is_set(tiles) || tiles.use.extent == 0 || tiles.use.selects_output == groups.are_results) continue;
      if (tiles.size != tiles.use.extent + groups.count - 1) continue;
      for (const List& ids : lists_) {
        if (is_set(ids) || ids.size != tiles.size || ids.use.extent != groups.count) continue;
        if (ids.array == tiles.array || ids.use.selects_output != groups.are_results) continue;
        const std::int64_t tile_rows = (groups.rows + tiles.use.extent - 1) / tiles.use.extent;
        TileVisits visits = tile_visits(sizes, tile_rows, tiles.use.extent, groups.are_results);
        const auto count = static_cast<std::int64_t>(visits.tiles.size());
        visits.groups.resize(static_cast<std::size_t>(tiles.size), groups.count - 1);
        visits.tiles.resize(static_cast<std::size_t>(tiles.size), tiles.use.extent - 1);
        set(tiles, std::move(visits.tiles));
        set(ids, std::move(visits.groups));
        set_number_of_visits(std::min(count, tiles.size));
        return true;
      }
    }
    return false;
  }

  // It is a bound of the grid, or of the kernel's own loop.
  void set_number_of_visits(std::int64_t count) {
    if (!bounds_.empty() && !bounds_.front()) bounds_.front() = count;
    for (const List& list : lists_) {
      if (!is_set(list) && list.size == 1 && list.use.bounds_a_loop) set(list, {count});
    }
  }

  void say(std::string assumption) {
    std::vector<std::string>& said = data_.assumptions;
    if (std::find(said.begin(), said.end(), assumption) == said.end()) said.push_back(std::move(assumption));
  }

  // Two lists of the same length name pairs of blocks, as the lists of active blocks of attention do. Lists of the same
  // length that select nothing mark the first and the last pair of each row, or the kind of each block.
  void assume_pairs() {
    for (List& a : lists_) {
      for (List& b : lists_) {
        if (a.array >= b.array || is_set(a) || is_set(b) || a.size != b.size || a.shape.size() != 1) continue;
        const std::int64_t rows = a.use.extent;
        const std::int64_t columns = b.use.extent;
        if (rows < 1 || columns < 1 || a.size > rows * columns) continue;
        // Where both select results, as in the gradient of attention, the one with rows to clear is the outer one.
        const bool b_has_clears = b.use.selects_output && has_rows_without_blocks(a.size, columns, rows);
        const bool a_is_outer = !b_has_clears && (a.use.selects_output || !b.use.selects_output);
        // Lists that each visit their blocks once and together take one step at a time are those of grouped products.
        const bool is_causal = is_causal_size(a.size, a_is_outer ? rows : columns, a_is_outer ? columns : rows, true);
        const bool is_staircase = a.size <= std::max(rows, columns) || a.size == rows + columns - 1;
        if (is_staircase && !is_causal) continue;
        const BlockPairs pairs = block_pairs(a.size, a_is_outer ? rows : columns, a_is_outer ? columns : rows);
        set(a, a_is_outer ? pairs.outer : pairs.inner);
        set(b, a_is_outer ? pairs.inner : pairs.outer);
        say("The blocks that the kernel visits are assumed to be those of a causal mask, or rows of equal length.");
        mark_rows(pairs);
        return;
      }
    }
  }

  void mark_rows(const BlockPairs& pairs) {
    const std::size_t size = pairs.outer.size();
    bool has_starts = false;
    for (List& list : lists_) {
      if (is_set(list) || static_cast<std::size_t>(list.size) != size || list.use.extent > 0) continue;
      if (list.use.compared_to.empty()) continue;
      const bool is_flag = list.use.compared_to.size() == 1;
      std::vector<std::int64_t> values(size, is_flag ? 0 : kWholeBlock);
      for (std::size_t i = 0; i < size; ++i) {
        const bool is_first = i == 0 || pairs.outer[i] != pairs.outer[i - 1];
        const bool is_last = i + 1 == size || pairs.outer[i] != pairs.outer[i + 1];
        if (is_flag && (has_starts ? is_last : is_first)) values[i] = 1;
        if (!is_flag && is_last) values[i] = kPartialBlock;
        if (!is_flag && pairs.outer[i] >= pairs.visible_rows) values[i] = kEmptyBlock;
      }
      if (is_flag) has_starts = true;
      set(list, std::move(values));
    }
  }

  // Lists with an element for each block of rows and columns of the grid: [heads, rows, columns], or flat.
  void assume_grids() {
    for (List& list : lists_) {
      if (is_set(list)) continue;
      // A flat list that is compared with one number only may be a flag of another kind.
      const std::size_t comparisons = list.use.compared_to.size();
      const bool is_mask = list.use.extent == 0 && comparisons > (has_dimensions_of_grid(list) ? 0 : 1);
      const auto [rows, columns] = rows_and_columns(list);
      if (rows < 1 || columns < 1 || (!is_mask && (list.use.extent == 0 || list.shape.size() < 2))) continue;
      const std::int64_t extent = std::max(list.use.extent, columns);
      // A grid as wide as the array has all blocks; those above the diagonal are empty.
      const bool is_whole = widest_extent() <= columns;
      std::vector<std::int64_t> values;
      values.reserve(static_cast<std::size_t>(list.size));
      for (std::int64_t i = 0; i < list.size; ++i) {
        const std::int64_t column = i % columns;
        const std::int64_t row = (i / columns) % rows;
        const std::int64_t last = is_whole ? causal_columns(row, rows, columns, false) - 1 : columns - 1;
        if (is_mask) {
          const bool is_partial = column == last || (!is_whole && column == 0);
          values.push_back(column > last ? kEmptyBlock : is_partial ? kPartialBlock : kWholeBlock);
        } else {
          const std::int64_t first =
              is_whole ? 0 : std::clamp<std::int64_t>(extent * row / rows - columns + 1, 0, extent);
          // The window of an empty block stays where it is.
          values.push_back(std::min(first + std::min(column, last), extent - 1));
        }
      }
      set(list, std::move(values));
      say("The mask of the blocks is assumed to be causal, or a band if the grid is narrower than the array.");
    }
  }

  // Whether the last two dimensions of the list are dimensions of the grid, in their order.
  bool has_dimensions_of_grid(const List& list) const {
    if (list.shape.size() < 2) return false;
    const std::vector<std::int64_t>& grid = program_.grid;
    const auto rows = std::find(grid.begin(), grid.end(), list.shape[list.shape.size() - 2]);
    return rows != grid.end() && std::find(rows + 1, grid.end(), list.shape.back()) != grid.end();
  }

  std::int64_t widest_extent() const {
    std::int64_t widest = 0;
    for (const List& list : lists_) {
      if (has_dimensions_of_grid(list)) widest = std::max(widest, list.use.extent);
    }
    return widest;
  }

  // The last two dimensions of a list that has those of the grid, or two dimensions of the grid whose blocks it
  // numbers.
  std::pair<std::int64_t, std::int64_t> rows_and_columns(const List& list) const {
    if (has_dimensions_of_grid(list)) {
      return {list.shape[list.shape.size() - 2], list.shape.back()};
    }
    for (std::size_t a = 0; list.shape.size() == 1 && a < program_.grid.size(); ++a) {
      for (std::size_t b = a + 1; b < program_.grid.size(); ++b) {
        if (program_.grid[a] <= 0 || program_.grid[b] <= 0) continue;
        if (program_.grid[a] <= list.size / program_.grid[b] && program_.grid[a] * program_.grid[b] == list.size) {
          return {program_.grid[a], program_.grid[b]};
        }
      }
    }
    return {0, 0};
  }

  // A list as long as an array in HBM has matrices, and that selects nothing, holds the sizes of groups of rows; one
  // that is one longer holds their offsets.
  void assume_groups() {
    const std::optional<RowGroups> groups = row_groups();
    if (!groups) return;
    const bool has_sizes = std::any_of(lists_.begin(), lists_.end(), [&](const List& list) {
      return !is_set(list) && is_group_list(list, *groups) && list.size == groups->count;
    });
    if (set_group_lists(group_sizes(groups->count, groups->rows), *groups) && has_sizes) {
      say("The rows are assumed to be assigned to the groups at random with equal probabilities.");
    }
  }

  static bool is_group_list(const List& list, const RowGroups& groups) {
    if (list.use.extent > 0 || list.shape.size() != 1) return false;
    return (list.size == groups.count && groups.count > 1) || list.size == groups.count + 1;
  }

  // Sets the lists of the sizes and of the offsets of groups. Returns whether there are any.
  bool set_group_lists(const std::vector<std::int64_t>& sizes, const RowGroups& groups) {
    bool is_any_set = false;
    for (const List& list : lists_) {
      if (is_set(list) || !is_group_list(list, groups)) continue;
      set(list, list.size == groups.count ? sizes : offsets_of(sizes));
      is_any_set = true;
    }
    return is_any_set;
  }

  std::optional<RowGroups> row_groups() const {
    RowGroups groups;
    for (const KernelArray& array : program_.arrays) {
      if (!array.is_output && array.shape.size() >= 3) groups.count = std::max(groups.count, array.shape.front());
    }
    for (const KernelArray& array : program_.arrays) {
      if (array.shape.size() == 2 && (groups.count == 0 || array.shape.front() > groups.count)) {
        groups.rows = std::max(groups.rows, array.shape.front());
      }
    }
    for (const KernelArray& array : program_.arrays) {
      // The gradient of the matrices: [groups, k, n].
      if (groups.count > 0 || !array.is_output || array.shape.size() < 3) continue;
      groups.count = array.shape.front();
      groups.are_results = true;
    }
    if (groups.count <= 0 || groups.rows <= 0) return std::nullopt;
    return groups;
  }

  // The blocks are visited in order.
  void assume_indices() {
    for (List& list : lists_) {
      if (is_set(list) || list.use.extent == 0 || list.use.is_packed) continue;
      set(list, ramp(list.size, std::min(list.use.extent, std::max<std::int64_t>(list.size, list.use.extent))));
      say("The blocks that a list selects are assumed to be in order.");
    }
  }

  std::int64_t longest_list() const {
    std::int64_t longest = 0;
    for (const List& list : lists_) {
      if (list.use.extent > 0) longest = std::max(longest, list.size);
    }
    return longest;
  }

  // A single number that bounds a loop is the length of the lists that the loop walks. Any other is an offset.
  void assume_scalars() {
    for (List& list : lists_) {
      if (is_set(list) || list.size != 1) continue;
      const std::int64_t length = list.use.bounds_a_loop ? trips_.value_or(longest_list()) : 0;
      set(list, {length});
      if (length > 0) say_how_trips_end();
    }
  }

  void say_how_trips_end() {
    say(covers_rows_ ? "A loop over a list is assumed to move each row once."
                     : "A loop over a list is assumed to run to its end.");
  }

  // How often the loop runs whose end a single number decides: until its lists end or, where the sizes of its transfers
  // depend on data, until it has moved the rows of each array once. Two runs with different ends tell how many elements
  // and rows each further iteration takes.
  void measure_trips(const KernelProbe& probe) {
    std::vector<std::uint32_t> ends;
    for (const List& list : lists_) {
      if (!is_set(list) && list.size == 1 && list.use.bounds_a_loop) ends.push_back(list.array);
    }
    const auto open_bounds = std::count(bounds_.begin(), bounds_.end(), std::nullopt);
    if (static_cast<std::int64_t>(ends.size()) + open_bounds != 1) return;
    const auto run_to = [&](std::int64_t end) {
      PrefetchedData data = data_;
      for (const std::uint32_t array : ends) data.arrays[array] = known_buffer({end});
      std::size_t dynamic = 0;
      for (std::int64_t& bound : data.grid) {
        if (bound < 0) bound = bounds_[dynamic++].value_or(end);
      }
      return probe(data);
    };
    const std::vector<BufferReach> fewer = run_to(kFewerTrips);
    const std::vector<BufferReach> more = run_to(kMoreTrips);
    if (fewer.size() < program_.arrays.size() || more.size() < program_.arrays.size()) return;
    constexpr double kDifference = kMoreTrips - kFewerTrips;
    std::optional<double> ends_at;
    for (const List& list : lists_) {
      const auto read = static_cast<double>(more[list.array].last_read - fewer[list.array].last_read) / kDifference;
      if (list.size == 1 || read <= 0) continue;
      const double last = static_cast<double>(list.size - 1 - more[list.array].last_read) / read + kMoreTrips;
      ends_at = std::min(ends_at.value_or(last), last);
    }
    if (!ends_at) return;
    double covers_at = 0;
    for (std::uint32_t i = 0; i < program_.arrays.size(); ++i) {
      const double moved = (more[i].unsized_bytes - fewer[i].unsized_bytes) / kDifference;
      if (moved > 0)
        covers_at = std::max(covers_at, unpadded_bytes(program_.arrays[i].shape, program_.arrays[i].bits) / moved);
    }
    if (covers_at > 0) data_.covered = std::min(1.0, *ends_at / covers_at);
    covers_rows_ = covers_at > 0 && covers_at < *ends_at;
    trips_ = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(covers_rows_ ? std::ceil(covers_at) : std::floor(*ends_at)));
    if (covers_rows_) data_.most_trips = *ends_at / static_cast<double>(*trips_);
  }

  void assume_bounds() {
    std::size_t dynamic = 0;
    for (std::int64_t& bound : data_.grid) {
      if (bound >= 0) continue;
      const auto known = dynamic < bounds_.size() ? bounds_[dynamic] : std::nullopt;
      ++dynamic;
      bound = known ? *known : trips_.value_or(std::max<std::int64_t>(longest_list(), 1));
      if (!known) say("A bound of the grid that depends on data is assumed to be the length of the lists.");
    }
  }

  const KernelProgram& program_;
  PrefetchedData& data_;
  std::vector<std::optional<std::int64_t>> bounds_;  // of the dynamic dimensions of the grid
  std::optional<std::int64_t> trips_;                // of the loop whose end depends on data, if it can be told
  bool covers_rows_ = false;                         // whether the rows end that loop, not the lists
  std::vector<List> lists_;
  std::vector<List> constants_;
};

}  // namespace

absl::StatusOr<PrefetchedData> prefetched_data(const KernelProgram& program, const KernelCode& code,
                                               const std::vector<GivenList>& given, const KernelProbe& probe,
                                               bool is_idle) {
  PrefetchedData data;
  data.grid = program.grid;
  data.arrays.resize(program.arrays.size());
  Assumptions assumptions(program, code, data);
  for (const GivenList& list : given) {
    if (const absl::Status status = assumptions.give(list); !status.ok()) return status;
  }
  assumptions.make(probe, is_idle);
  return data;
}

}  // namespace hloroof::internal::inline kernel
