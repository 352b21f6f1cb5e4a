#include <iterator>

#include "absl/types/span.h"
#include "lib/diagnose/diagnostics.h"

namespace hloroof::internal::inline diagnose {

namespace {

constexpr DiagnosisKind kKinds[] = {
#define HLOROOF_DIAGNOSTIC(enumerator, code, meaning, remedy) {DiagnosticCode::enumerator, code, meaning, remedy},
#include "hloroof/diagnostic.def"
#undef HLOROOF_DIAGNOSTIC
};

}  // namespace

absl::Span<const DiagnosisKind> diagnosis_kinds() { return {kKinds, std::size(kKinds)}; }

}  // namespace hloroof::internal::inline diagnose

namespace hloroof::inline v0 {
using namespace internal;

std::string_view to_string(DiagnosticCode code) { return kKinds[static_cast<std::size_t>(code)].name; }

}  // namespace hloroof::inline v0
