// Writes attributes and types as text. Nested ones are on an explicit stack.
#ifndef HLOROOF_TESTS_MLIR_TEXT_WRITER_H_
#define HLOROOF_TESTS_MLIR_TEXT_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/mlir/attributes.h"
#include "tests/mlir/print.h"

namespace hloroof::internal::mlir {

// Whether the type of a number is written: always, unless it is i64 or f64, or never, as within sparse elements.
enum class TypeForm : std::uint8_t { kAlways, kUnlessDefault, kNever };

class TextWriter {
 public:
  TextWriter(const Module& module, const PrintOptions& options) : module_(module), options_(options) {}

  // Appends to text(). After a fault, they do nothing.
  void write(std::string_view text);
  void quoted(std::string_view text);   // in quotes, with escapes
  void keyword(std::string_view text);  // in quotes only if it is not an identifier
  void attribute(AttributeId id, TypeForm form = TypeForm::kAlways);
  void type(TypeId id);
  void location(AttributeId id);  // without loc( )

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  std::string& text() { return text_; }
  void fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

 private:
  struct Task {
    enum class Kind : std::uint8_t { kText, kKeyword, kAttribute, kType, kLocation };
    Kind kind = Kind::kText;
    TypeForm form = TypeForm::kAlways;
    std::uint32_t id = 0;
    std::string text;
  };

  void run(Task first);
  void expand(const Task& task);
  void expand_attribute(const Attribute& attribute, TypeForm form);
  void expand_location(AttributeId id, const Attribute& attribute);
  void expand_type(const Type& type);
  void expand_shaped(std::string_view name, const Type& type);
  void expand_layout(const Type& type);
  void list(const std::vector<AttributeId>& ids, Task::Kind kind, TypeForm form);
  void list(const std::vector<TypeId>& ids);
  void typed(const Attribute& attribute, TypeForm form);
  void integer(const Attribute& attribute, TypeForm form);
  void dense_array(const Attribute& attribute);
  void dense_elements(const Attribute& attribute, TypeForm form);

  // These put a task on the stack in reverse: the first one that is added is written first.
  void add(std::string_view text) { pending_.push_back(Task{Task::Kind::kText, {}, 0, std::string(text)}); }
  void add(TypeId id) { pending_.push_back(Task{Task::Kind::kType, {}, id.index, {}}); }
  void add(AttributeId id, TypeForm form) { pending_.push_back(Task{Task::Kind::kAttribute, form, id.index, {}}); }
  void add_location(AttributeId id) { pending_.push_back(Task{Task::Kind::kLocation, {}, id.index, {}}); }

  const Module& module_;
  const PrintOptions& options_;
  std::string text_;
  absl::Status status_;
  std::vector<Task> stack_;
  std::vector<Task> pending_;          // the parts of the task that is being expanded
  std::vector<AttributeId> distinct_;  // in order of appearance
};

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_TEXT_WRITER_H_
