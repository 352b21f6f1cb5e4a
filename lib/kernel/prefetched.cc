#include "lib/kernel/prefetched.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "lib/kernel/list_uses.h"

namespace hloroof::internal {
namespace {

constexpr std::int64_t kLongestList = std::int64_t{1} << 20;

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

// 0 .. extent - 1 in `size` steps that are as even as possible.
std::vector<std::int64_t> ramp(std::int64_t size, std::int64_t extent) {
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    values.push_back(
        static_cast<std::int64_t>(static_cast<double>(i) * static_cast<double>(extent) / static_cast<double>(size)));
  }
  return values;
}

// The blocks that a list of pairs names, row by row.
struct BlockPairs {
  std::vector<std::int64_t> outer;
  std::vector<std::int64_t> inner;
};

// How many of `columns` blocks the causal mask leaves in a row: those that begin before the row ends. Blocks of rows
// and of columns are of one size if `are_equal`; otherwise both dimensions have the same length.
std::int64_t causal_columns(std::int64_t row, std::int64_t rows, std::int64_t columns, bool are_equal) {
  if (are_equal) return std::min(row + 1, columns);
  return ((row + 1) * columns + rows - 1) / rows;
}

bool is_causal_size(std::int64_t size, std::int64_t rows, std::int64_t columns, bool are_equal) {
  std::int64_t sum = 0;
  for (std::int64_t row = 0; row < rows && sum <= size; ++row) sum += causal_columns(row, rows, columns, are_equal);
  return sum == size;
}

// `size` pairs of `rows` x `columns`: those below the diagonal if there are that many, otherwise equally long rows
// around the diagonal.
BlockPairs block_pairs(std::int64_t size, std::int64_t rows, std::int64_t columns) {
  BlockPairs pairs;
  const bool are_equal = is_causal_size(size, rows, columns, true);
  const bool is_causal = are_equal || is_causal_size(size, rows, columns, false);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = size * row / rows;
    const std::int64_t count =
        is_causal ? causal_columns(row, rows, columns, are_equal) : size * (row + 1) / rows - first;
    const std::int64_t diagonal = rows > 1 ? (columns - 1) * row / (rows - 1) : 0;
    const std::int64_t begin =
        is_causal ? 0 : std::clamp<std::int64_t>(diagonal - count + 1, 0, std::max<std::int64_t>(columns - count, 0));
    for (std::int64_t i = 0; i < count; ++i) {
      pairs.outer.push_back(row);
      pairs.inner.push_back(std::min(begin + i, columns - 1));
    }
  }
  pairs.outer.resize(static_cast<std::size_t>(size), rows - 1);
  pairs.inner.resize(static_cast<std::size_t>(size), columns - 1);
  return pairs;
}

// A standard normal deviate for each index: evenly spread quantiles in an order without structure.
double normal_deviate(std::int64_t index) {
  constexpr double kGolden = 0.6180339887498949;
  const double whole = std::floor(static_cast<double>(index + 1) * kGolden);
  const double u = std::clamp(static_cast<double>(index + 1) * kGolden - whole, 1e-6, 1 - 1e-6);
  // Approximation of the logistic kind, within 0.02 of the quantile of the normal distribution.
  return std::log(u / (1 - u)) / 1.702;
}

// The sizes of groups to which `total` rows are assigned independently and with equal probabilities.
std::vector<std::int64_t> group_sizes(std::int64_t groups, std::int64_t total) {
  std::vector<std::int64_t> sizes;
  const double mean = static_cast<double>(total) / static_cast<double>(groups);
  std::int64_t rest = total;
  for (std::int64_t g = 0; g < groups; ++g) {
    const double size = mean + std::sqrt(mean) * normal_deviate(g);
    sizes.push_back(std::clamp<std::int64_t>(std::llround(size), 0, rest));
    rest -= sizes.back();
  }
  // The rounding, and what the deviates do not balance, is spread over all groups.
  for (std::int64_t g = 0; rest > 0; g = (g + 1) % groups) {
    const std::int64_t more = std::min(rest, std::max<std::int64_t>(rest / groups, 1));
    sizes[static_cast<std::size_t>(g)] += more;
    rest -= more;
  }
  return sizes;
}

class Assumptions {
 public:
  Assumptions(const KernelProgram& program, const KernelCode& code, PrefetchedData& data)
      : program_(program), data_(data) {
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
      } else {
        lists_.push_back(std::move(list));
      }
    }
  }

  void make() {
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
  void say(std::string assumption) { data_.assumptions.push_back(std::move(assumption)); }

  // Two lists of the same length name pairs of blocks, as the lists of active blocks of attention do. Lists of the same
  // length that select nothing mark the first and the last pair of each row, or the kind of each block.
  void assume_pairs() {
    for (List& a : lists_) {
      for (List& b : lists_) {
        if (a.array >= b.array || is_set(a) || is_set(b) || a.size != b.size || a.shape.size() != 1) continue;
        const std::int64_t rows = a.use.extent;
        const std::int64_t columns = b.use.extent;
        if (rows < 1 || columns < 1 || a.size > rows * columns) continue;
        const bool a_is_outer = a.use.selects_output || !b.use.selects_output;
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
      }
      if (is_flag) has_starts = true;
      set(list, std::move(values));
    }
  }

  // Lists with an element for each block of rows and columns of the grid: [heads, rows, columns], or flat.
  void assume_grids() {
    for (List& list : lists_) {
      if (is_set(list)) continue;
      const bool is_mask = list.use.extent == 0 && list.use.compared_to.size() > 1;
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

  std::int64_t widest_extent() const {
    std::int64_t widest = 0;
    for (const List& list : lists_) {
      if (list.shape.size() >= 2 && list.shape.size() == program_.grid.size())
        widest = std::max(widest, list.use.extent);
    }
    return widest;
  }

  // The last two dimensions of a list that has those of the grid, or two dimensions of the grid whose blocks it
  // numbers.
  std::pair<std::int64_t, std::int64_t> rows_and_columns(const List& list) const {
    if (list.shape.size() >= 2 && list.shape.size() == program_.grid.size()) {
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
    std::int64_t groups = 0;
    for (const KernelArray& array : program_.arrays) {
      if (!array.is_output && array.shape.size() >= 3) groups = std::max(groups, array.shape.front());
    }
    std::int64_t rows = 0;
    for (const KernelArray& array : program_.arrays) {
      if (array.shape.size() == 2 && (groups == 0 || array.shape.front() > groups)) {
        rows = std::max(rows, array.shape.front());
      }
    }
    for (const KernelArray& array : program_.arrays) {
      // The gradient of the matrices: [groups, k, n].
      if (groups == 0 && array.is_output && array.shape.size() >= 3) groups = array.shape.front();
    }
    if (groups <= 0 || rows <= 0) return;
    const std::vector<std::int64_t> sizes = group_sizes(groups, rows);
    for (List& list : lists_) {
      if (is_set(list) || list.use.extent > 0 || list.shape.size() != 1) continue;
      if (list.size == groups && groups > 1) {
        set(list, sizes);
        say("The rows are assumed to be assigned to the groups at random with equal probabilities.");
      } else if (list.size == groups + 1) {
        std::vector<std::int64_t> offsets = {0};
        for (const std::int64_t size : sizes) offsets.push_back(offsets.back() + size);
        set(list, std::move(offsets));
      }
    }
  }

  // The blocks are visited in order.
  void assume_indices() {
    for (List& list : lists_) {
      if (is_set(list) || list.use.extent == 0) continue;
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
      const std::int64_t length = list.use.bounds_a_loop ? longest_list() : 0;
      set(list, {length});
      if (length > 0) say("A loop over a list is assumed to run to its end.");
    }
  }

  void assume_bounds() {
    std::size_t dynamic = 0;
    for (std::int64_t& bound : data_.grid) {
      if (bound >= 0) continue;
      const auto known = dynamic < program_.bounds.size() ? program_.bounds[dynamic] : std::nullopt;
      ++dynamic;
      bound = known ? *known : std::max<std::int64_t>(longest_list(), 1);
      if (!known) say("A bound of the grid that depends on data is assumed to be the length of the lists.");
    }
  }

  const KernelProgram& program_;
  PrefetchedData& data_;
  std::vector<List> lists_;
};

}  // namespace

PrefetchedData prefetched_data(const KernelProgram& program, const KernelCode& code) {
  PrefetchedData data;
  data.grid = program.grid;
  data.arrays.resize(program.arrays.size());
  Assumptions(program, code, data).make();
  return data;
}

}  // namespace hloroof::internal
