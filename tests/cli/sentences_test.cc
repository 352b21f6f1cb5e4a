// Every sentence of the first lines of a prediction: what it rests on, a program that must get it and one that must
// not. Run it with -s for the table. The programs are those of the stories of the large corpus, of which the truth is
// known.
#include <fstream>
#include <sstream>
#include <string>

#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

struct Sentence {
  const char* says;
  const char* rests_on;
  const char* has;
  const char* has_not;
};

const Sentence kSentences[] = {
    {"does NOT fit: it needs", "peak above the usable memory", "near15_9", "near15_6"},
    {"is spent in all-reduce", "seconds in blocking collectives", "dp_grad", "ffn_dp"},
    {"waits for collective-permute", "waits, by the collectives that cause them", "ffn_fsdp", "ffn_tp"},
    {"Other orders of its ops can hide at most", "ops that neither come before a start nor need its end", "scan",
     "vit_128"},
    {"It blocks the ops after it, so no order hides it", "the collective is one instruction", "vit_128", "scan"},
    {"its share falls as the batch per device grows", "80 % of what is sent are weights or gradients", "vit_128",
     "moe"},
    {"No schedule can hide all of that", "the link is busy for longer than all other ops take", "dp_grad", "vit_128"},
    {"times the batch per device could", "the same, and what is sent are weights or gradients", "ffn_fsdp", "ffn_tp"},
    {"What it sends grows with the batch", "what is sent are activations", "ffn_tp16", "dp_grad"},
    {"what it gathers is reduced or cut again", "gather-then-cut explains half of the communication", "logits",
     "ffn_fsdp"},
    {"these ops are near their roof", "time-weighted share of the peak of 85 %", "seedmm", "copydot"},
    {"of which large streams attain", "95 % of what streams attain in HBM", "near15_6", "copydot"},
    {"Most is lost in", "the op with the most seconds below its roof", "copydot", "seedmm"},
    {"repeat what other devices compute", "products of the same operands on several devices", "giant_bad",
     "giant_fixed"},
    {"moves tile padding", "padded over logical bytes of ops bound by HBM", "padded", "pallas"},
    {"copies arrays that a loop", "ops of a loop that move its arrays and compute nothing", "decode", "decode_list"},
    {"recomputed", "op_names of rematerialized products", "scan", "ffn_dp"},
    {"repeated by other devices", "redundant FLOPs", "giant_bad", "giant_fixed"},
    {"gradients (", "a collective of several arrays, all gradients", "vit_128", "ffn_tp"},
};

// What the command prints for a program, with each run of blanks as one.
std::string words_of(const std::string& folder, const char* name) {
  const CliResult result = run_hloroof({"predict", folder + name + ".hlo", "--device", "tpu_v5e"});
  CAPTURE(name, result.err);
  REQUIRE(result.code == kExitOk);
  std::istringstream in(result.out);
  std::string words;
  for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

TEST_CASE("each sentence is said where it is true, and not where it is not") {
  const std::string stories = shared_path("corpus/stories/");
  if (!std::ifstream(stories + "README.md").good()) HLOROOF_SKIP("the large corpus is not there");
  std::ostringstream table;
  for (const Sentence& s : kSentences) {
    CAPTURE(s.says, s.has, s.has_not);
    CHECK(words_of(stories, s.has).find(s.says) != std::string::npos);
    CHECK(words_of(stories, s.has_not).find(s.says) == std::string::npos);
    table << "  " << s.says << ": " << s.rests_on << "; in " << s.has << ", not in " << s.has_not << '\n';
  }
  INFO("sentence: evidence; where it is said\n" << table.str());
  SUCCEED();
}

}  // namespace
}  // namespace hloroof::internal
