#include "lib/results/glossary.h"

namespace hloroof::internal::inline results {
namespace {

constexpr GlossaryTerm kTerms[] = {
#define HLOROOF_TERM(term, meaning) {term, meaning},
#include "lib/results/glossary.def"
#undef HLOROOF_TERM
};

}  // namespace

std::span<const GlossaryTerm> glossary() { return kTerms; }

}  // namespace hloroof::internal::inline results
