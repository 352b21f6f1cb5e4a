// Computes the seconds of the attention kernels that libraries have for GPUs: cuDNN's, and their kin.
//
// Their exponentials alternate with the products, so that the kernels run at rates of their own, below those of
// matmuls. Published tables of such kernels (AICONFIGURATOR in data/hardware/sources.json,
// tests/accuracy/attention_test.cc) agree with a rate that depends on the head and on the keys kept per query, of which
// a block of queries reads and writes once what does not depend on the keys:
//
//     rate = r(head) * keys / (keys + keys_half)
//
// and with one block of queries for each multiprocessor in addition, for the blocks with which a kernel ends.
#include <algorithm>
#include <optional>

#include "absl/strings/str_format.h"
#include "lib/time/matrix_forms.h"

namespace hloroof::internal::inline time {
namespace {

using Attention = GpuCore::Attention;

// The head sizes whose rates a device file states.
constexpr double kSmall = 64;
constexpr double kMiddle = 128;
constexpr double kLarge = 256;

// Whether libraries have attention kernels for the product.
bool is_library_attention(const MatrixWork& product, MatrixType type) {
  return product.is_attention && product.programs <= 0 && product.kept_keys > 0 &&
         (type == MatrixType::kBf16 || type == MatrixType::kF16 || type == MatrixType::kF8);
}

// The forward rate for the head size of `product`, which lies between those of the two measured sizes next to it.
template <class Num>
Num forward_rate(const Attention& attention, double head, const Num& rate_128, const Numbers<Num>& n) {
  if (head == kMiddle) return rate_128;
  const bool is_small = head < kMiddle;
  Num other = n.known_or(is_small ? attention.forward.head_64 : attention.forward.head_256, rate_128);
  if (head <= kSmall) return head < kSmall ? other * n.computed(head / kSmall, "1", other) : other;
  if (head >= kLarge) return other;
  const double share = is_small ? (kMiddle - head) / (kMiddle - kSmall) : (head - kMiddle) / (kLarge - kMiddle);
  return n.computed(value(rate_128) + share * (value(other) - value(rate_128)), "flop/s", rate_128, other);
}

}  // namespace

const Fact<double>* attention_rate(const MatrixWork& product, MatrixType type, const Device& device) {
  const GpuCore* const core = device.gpu();
  if (core == nullptr || !is_library_attention(product, type)) return nullptr;
  const Attention& attention = core->attention;
  if (!attention.forward.head_128 || (product.is_gradient && !attention.backward)) return nullptr;
  if (product.is_gradient) return &attention.backward;
  if (product.n <= kSmall && attention.forward.head_64) return &attention.forward.head_64;
  if (product.n >= kLarge && attention.forward.head_256) return &attention.forward.head_256;
  return &attention.forward.head_128;
}

template <class Num>
std::optional<MatrixTime<Num>> attention_time(const MatrixWork& product, const ProductPeak<Num>& peak,
                                              const Numbers<Num>& n) {
  const GpuCore* const core = n.device().gpu();
  if (core == nullptr || !is_library_attention(product, peak.type)) return std::nullopt;
  const Attention& attention = core->attention;
  if (!n.has(attention.forward.head_128)) return std::nullopt;
  if (product.is_gradient && !n.has(attention.backward)) return std::nullopt;
  const Num rate_128 = n.at(*attention.forward.head_128, &attention.forward.head_128);
  Num rate = forward_rate(attention, product.n, rate_128, n);
  if (product.is_gradient) {
    const double of_head = value(rate) / value(rate_128);
    const Num backward = n.at(*attention.backward, &attention.backward);
    rate = of_head == 1 ? backward : backward * n.computed(of_head, "1", rate, rate_128);
  }
  if (peak.type == MatrixType::kF8) rate = rate * n.known_or(attention.f8_gain, 1.0);
  const Num half = n.known_or(attention.keys_half, 0.0);
  const Num of_keys = n.computed(product.kept_keys / (product.kept_keys + value(half)), "1", half);

  // Libraries split the keys of few blocks of queries over the multiprocessors that would have none.
  const double units = std::max(static_cast<double>(core->vector.compute_units), 1.0);
  const auto tile = static_cast<double>(core->matrix.tile);
  const double of_queries = product.batch * tiles_of(product.m, tile);
  const double blocks = std::max(of_queries, std::min(units, of_queries * tiles_of(product.kept_keys, tile)));
  const Num ending = n.computed(1 + units / blocks, "1", n.at(core->vector.compute_units), n.at(core->matrix.tile));

  MatrixTime<Num> time;
  time.has_vector = true;
  time.seconds = noted(n.amount("attention", product.flops, "flop") / (rate * of_keys) * ending, [&] {
    return absl::StrFormat(
        "rate of library attention, %s: heads of %.0f, %.5g keys kept per query, %.0f blocks on %.0f multiprocessors",
        product.is_gradient ? "gradient" : "forward", product.n, product.kept_keys, blocks, units);
  });
  return time;
}
template std::optional<MatrixTime<double>> attention_time(const MatrixWork&, const ProductPeak<double>&,
                                                          const Numbers<double>&);
template std::optional<MatrixTime<Traced>> attention_time(const MatrixWork&, const ProductPeak<Traced>&,
                                                          const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
