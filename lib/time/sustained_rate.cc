#include "lib/time/sustained_rate.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/hardware/device_facts.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline time {
namespace {

using Sustained = MatrixUnit::Sustained;

// Adds a sentence to the note of a term.
template <class Text>
double also_noted(double term, const Text& /*text*/) {
  return term;
}
template <class Text>
Traced also_noted(Traced term, const Text& text) {
  std::string& note = term.term().note;
  note = note.empty() ? text() : absl::StrCat(note, "; ", text());
  return term;
}

std::string busy_text(double products_busy) {
  return absl::StrCat("the products of the step take ", format_seconds(products_busy), " at the burst rate");
}

}  // namespace

bool has_sustained_rates(const Device& device) {
  const Sustained& sustained = device.matrix.sustained;
  if (sustained.starts_after.is_none()) return false;
  return !sustained.bf16.is_none() || !sustained.f16.is_none() || !sustained.f32.is_none() || !sustained.f8.is_none();
}

const Fact<double>* rate_at_cap(const MatrixWork& product, const void* slot, const Device& device) {
  if (product.programs > 0 || product.is_attention || !has_sustained_rates(device)) return nullptr;
  const MatrixPeak& peak = device.matrix.peak;
  const Sustained& sustained = device.matrix.sustained;
  const Fact<double>* const rate = slot == &peak.bf16                        ? &sustained.bf16
                                   : slot == &peak.f16                       ? &sustained.f16
                                   : slot == &peak.f32 || slot == &peak.tf32 ? &sustained.f32
                                   : slot == &peak.f8                        ? &sustained.f8
                                                                             : nullptr;
  return rate != nullptr && !rate->is_none() ? rate : nullptr;
}

double sustained_share(double products_busy, const Device& device, MissingNumbers* missing) {
  if (!has_sustained_rates(device) || products_busy <= 0) return 0;
  const Sustained& sustained = device.matrix.sustained;
  const Numbers<double> n(device, missing);
  if (!n.has(sustained.starts_after)) return 0;
  const double starts = *sustained.starts_after;
  const double holds = n.known_or(sustained.holds_after, starts);
  if (products_busy >= holds) return 1;
  return products_busy <= starts ? 0 : (products_busy - starts) / (holds - starts);
}

double burst_seconds(const Work& work, const Device& device) {
  if (work.is_free || work.seconds) return 0;
  double seconds = 0;
  for (const MatrixWork& product : work.matrix) seconds += matrix_time(product, device).seconds;
  return seconds;
}

template <class Num>
Num capped_seconds(const MatrixWork& product, Num burst, double passes, const void* slot, double products_busy,
                   const Numbers<Num>& n) {
  const Device& device = n.device();
  const Fact<double>* const rate = products_busy > 0 ? rate_at_cap(product, slot, device) : nullptr;
  if (rate == nullptr) return burst;
  const Sustained& sustained = device.matrix.sustained;
  const double share = sustained_share(products_busy, device, n.missing());
  if (share <= 0) {
    const bool matters = rate->has_value() && product.flops * passes / **rate > value(burst);
    if (!matters || !sustained.starts_after) return burst;
    return also_noted(std::move(burst), [&] {
      return absl::StrCat("burst rate: ", busy_text(products_busy), ", and the power cap lowers it from ",
                          format_seconds(*sustained.starts_after), " on");
    });
  }
  if (!n.has(*rate)) return burst;
  const Num capped = noted(n.amount("at the power cap", product.flops * passes, "flop") / n.at(**rate, rate), [&] {
    return absl::StrCat("sustained rate: ", busy_text(products_busy), ", ",
                        share >= 1 ? std::string("long enough for the power cap to hold")
                                   : absl::StrFormat("%.0f %% of the way to where the power cap holds", 100 * share));
  });
  Num sustained_seconds = slowest("matrix product", burst, capped);
  // A product that is slower for another reason takes as long at either rate.
  if (share >= 1 || value(capped) <= value(burst)) return sustained_seconds;
  const Num starts = n.at(*sustained.starts_after, &sustained.starts_after);
  const Num holds = n.known_or(sustained.holds_after, starts);
  return sum("matrix product",
             named("before the power cap", std::move(burst)) * n.computed(1 - share, "1", starts, holds),
             named("under the power cap", std::move(sustained_seconds)) * n.computed(share, "1", starts, holds));
}
template double capped_seconds(const MatrixWork&, double, double, const void*, double, const Numbers<double>&);
template Traced capped_seconds(const MatrixWork&, Traced, double, const void*, double, const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
