// Names of instructions as tables print them and as users type them. A name that is too long for its column is printed
// as HEAD..TAIL, and `explain` finds the instruction by this form, so that what is printed can be pasted back.
#ifndef HLOROOF_LIB_DESCRIBE_SHORT_NAMES_H_
#define HLOROOF_LIB_DESCRIBE_SHORT_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hloroof::internal::inline describe {

// Whether `text` selects `name`: it is an end of the name, such as `fusion.11` or `.11` of `loop_fusion.11`, or it is
// HEAD..TAIL, and the name begins with HEAD, ends with TAIL and is longer than both together.
bool selects_name(std::string_view text, std::string_view name);

// Shortens the names of the ops of one or two predictions, which must outlive it.
class ShortNames {
 public:
  // A prediction is whatever has a list `ops` of things with a `name`: how a name is cut does not depend on what it
  // names.
  template <typename Prediction>
  requires requires(const Prediction& prediction) { prediction.ops; }
  explicit ShortNames(const Prediction& prediction) {
    add(prediction);
    sort();
  }
  template <typename Prediction>
  ShortNames(const Prediction& before, const Prediction& after) {
    add(before);
    add(after);
    sort();
  }

  // Of any names, which must outlive it.
  explicit ShortNames(std::vector<std::string_view> names) : names_(std::move(names)) { sort(); }

  // Returns `width` characters of `cell`, which is a name or contains one: "fusion.12 ×4", "wait for copy.3". Cuts the
  // name where no other name has the same beginning and end. Returns more if each cut to `width` is ambiguous: the
  // shortest that is not, or all of the name.
  std::string shorten_cell(const std::string& cell, std::size_t width) const;

 private:
  template <typename Prediction>
  void add(const Prediction& prediction) {
    for (const auto& op : prediction.ops) names_.push_back(op.name);
  }
  void sort();
  // Whether `cut`, which begins with `head` and a gap, selects one name.
  bool is_unique(std::string_view head, std::string_view cut) const;
  std::string shorten_name(std::string_view name, std::size_t width) const;

  std::vector<std::string_view> names_;  // sorted, each once
};

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_SHORT_NAMES_H_
