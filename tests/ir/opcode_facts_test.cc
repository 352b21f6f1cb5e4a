// The columns of opcode.def: that the rows agree with each other, and which opcodes the passes see as alike.
#include "lib/ir/opcode_facts.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

Opcode row(int i) { return static_cast<Opcode>(i); }

// The opcodes for which `holds`, in the order of the table.
template <typename Predicate>
std::string all_that(Predicate holds) {
  std::string result;
  for (int i = 0; i < kOpcodeCount; ++i) {
    if (holds(row(i))) result += (result.empty() ? "" : " ") + std::string(to_string(row(i)));
  }
  return result;
}

// "all-gather" for all-gather-start and all-gather-done; the text itself for what has no such ending.
std::string stem(Opcode opcode) {
  std::string text(to_string(opcode));
  for (const std::string suffix : {"-start", "-update", "-done"}) {
    if (text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix) {
      return text.substr(0, text.size() - suffix.size());
    }
  }
  return text;
}

TEST_CASE("each flow holds for the opcodes it was decided for") {
  struct Row {
    Flow flow;
    std::string opcodes;
  };
  const Row rows[] = {
      {Flow::kParameter, "parameter"},
      {Flow::kRenames, "add-dependency async-update bitcast domain opt-barrier"},
      {Flow::kPacks, "tuple"},
      {Flow::kPicks, "get-tuple-element"},
      {Flow::kCopies, "copy"},
      {Flow::kReshapes, "dynamic-reshape reshape"},
      {Flow::kConverts, "bitcast-convert convert"},
      {Flow::kReorders, "reverse transpose"},
      {Flow::kRepeats, "broadcast"},
      {Flow::kSelects, "dynamic-slice slice"},
      {Flow::kUpdates, "dynamic-update-slice scatter set-dimension-size"},
      {Flow::kFuses, "fusion"},
      {Flow::kCalls, "call"},
      {Flow::kLoops, "while"},
      {Flow::kBranches, "conditional"},
      {Flow::kAsyncWhole, "all-reduce-done all-reduce-start"},
      {Flow::kAsyncFirst, "copy-done copy-start recv recv-done"},
      {Flow::kAsyncSecond,
       "all-gather-done all-gather-start async-done async-start collective-permute-done collective-permute-start"},
  };
  for (const Row& r : rows) CHECK(all_that([&](Opcode o) { return flow(o) == r.flow; }) == r.opcodes);
  CHECK(flow(Opcode::kUnknown) == Flow::kOpaque);
}

TEST_CASE("a pass sees as alike what it was decided to see as alike") {
  CHECK(all_that(is_alias) == "add-dependency async-update bitcast domain get-tuple-element opt-barrier tuple");
  CHECK(all_that(keeps_order) ==
        "add-dependency async-update bitcast bitcast-convert convert copy domain dynamic-reshape opt-barrier reshape");
  CHECK(all_that([](Opcode o) { return keeps_elements(o) && !keeps_order(o); }) == "reverse transpose");
  CHECK(all_that(wraps_computation) == "async-start fusion");
  CHECK(all_that(calls_schedules) == "call conditional while");
  CHECK(all_that(has_done) == "all-gather all-reduce collective-permute copy recv send");
  CHECK(all_that(is_blocking_collective) ==
        "all-gather all-reduce all-to-all collective-broadcast collective-permute ragged-all-to-all reduce-scatter");
  CHECK(all_that([](Opcode o) { return is_collective(o) && !is_blocking_collective(o); }) ==
        "all-gather-start all-reduce-start collective-permute-start recv send");
  CHECK(all_that(continues_collective) ==
        "all-gather-done all-reduce-done async-done async-update collective-permute-done recv-done send-done");
  CHECK(all_that([](Opcode o) { return has_rule(o, Rule::kGlobalIds); }) ==
        "all-reduce all-reduce-start reduce-scatter");
  CHECK(all_that([](Opcode o) { return has_rule(o, Rule::kComputation); }) == "reduce-scatter scan");
}

TEST_CASE("flow agrees with the counting rule") {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = row(i);
    INFO(to_string(opcode));
    const Flow f = flow(opcode);
    CHECK((f == Flow::kElementwise || f == Flow::kConverts) == is_elementwise(opcode));
    CHECK((f == Flow::kFuses || calls_schedules(opcode)) == (work_class(opcode) == WorkClass::kCall));
    // What only gives memory another name does no work.
    const bool is_free = work_class(opcode) == WorkClass::kFree || async_role(opcode) == AsyncRole::kUpdate;
    if (is_alias(opcode) || f == Flow::kParameter) CHECK(is_free);
    // What has an operand 0 to follow takes one.
    const bool follows_first =
        keeps_elements(opcode) || f == Flow::kUpdates || f == Flow::kSelects || f == Flow::kPicks;
    if (follows_first) CHECK(operand_rule(opcode) != -1);
  }
}

TEST_CASE("every start has its done, and they agree") {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = row(i);
    if (async_role(opcode) == AsyncRole::kNone) continue;
    INFO(to_string(opcode));
    int others = 0;
    for (int k = 0; k < kOpcodeCount; ++k) {
      const Opcode other = row(k);
      const bool is_pair = async_role(opcode) == AsyncRole::kDone ? async_role(other) == AsyncRole::kStart
                                                                  : async_role(other) == AsyncRole::kDone;
      if (!is_pair || stem(other) != stem(opcode)) continue;
      ++others;
      CHECK(collective_kind(other) == collective_kind(opcode));
      CHECK(work_class(other) == work_class(opcode));
      if (async_role(opcode) != AsyncRole::kUpdate) CHECK(flow(other) == flow(opcode));
    }
    CHECK(others == 1);
  }
}

TEST_CASE("what is spelled as a start, update or done is one") {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = row(i);
    if (stem(opcode) == to_string(opcode)) continue;
    INFO(to_string(opcode));
    CHECK(async_role(opcode) != AsyncRole::kNone);
  }
}

TEST_CASE("a collective has the name of its kind") {
  int kinds[kCollectiveKindCount] = {};
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = row(i);
    INFO(to_string(opcode));
    const std::optional<CollectiveKind> kind = collective_kind(opcode);
    const bool is_link = kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv;
    CHECK((work_class(opcode) == WorkClass::kCollective) == (kind.has_value() && !is_link));
    if (!kind) continue;
    if (stem(opcode) == to_string(opcode)) ++kinds[static_cast<int>(*kind)];
    const std::optional<Opcode> whole = opcode_from_string(stem(opcode));
    REQUIRE(whole.has_value());
    CHECK(collective_kind(*whole) == kind);
  }
  for (int count : kinds) CHECK(count == 1);
}

TEST_CASE("a choice of operand counts is no fixed arity") {
  CHECK(all_that([](Opcode o) { return operand_rule(o) < -1; }) ==
        "async-done async-update concatenate conditional convolution dynamic-reshape dynamic-slice "
        "dynamic-update-slice reduce reduce-window scatter sort");
  for (int i = 0; i < kOpcodeCount; ++i) {
    INFO(to_string(row(i)));
    CHECK(arity(row(i)) == std::max(operand_rule(row(i)), -1));
    if (operand_rule(row(i)) < -1) CHECK(has_rules(row(i)));
  }
}

// All words of the sources that could be enumerators, such as kTanh, except those of opcode.def and of the kernels,
// whose tables say which opcode an operation of another language costs as much as.
std::set<std::string> enumerators_in_sources() {
  std::set<std::string> words;
  for (const char* folder : {"include", "lib"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path(folder))) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".def") continue;
      const std::string path = entry.path().generic_string();
      if (entry.path().filename() == "opcode.def" || path.find("lib/kernel/") != std::string::npos) continue;
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      std::string word;
      for (const char c : text + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
          word += c;
        } else {
          if (word.size() > 1 && word[0] == 'k') words.insert(word);
          word.clear();
        }
      }
    }
  }
  return words;
}

constexpr const char* kEnumerators[] = {
#define HLOROOF_OPCODE(enumerator, ...) #enumerator,
#include "hloroof/opcode.def"
};

// To add one that is like these is to add a row.
TEST_CASE("opcodes that are their row and nothing else") {
  const std::set<std::string> elsewhere = enumerators_in_sources();
  const std::string alone =
      all_that([&](Opcode opcode) { return elsewhere.count(kEnumerators[static_cast<int>(opcode)]) == 0; });
  CHECK(alone ==
        "acos acosh asin asinh atanh cosh cosine "
        "exponential-minus-one log log-plus-one logistic mulhi rsqrt sine sinh sqrt stochastic-convert tan tanh");
}

}  // namespace
}  // namespace hloroof::internal
