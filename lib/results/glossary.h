// The words of the reports and their meanings, from glossary.def.
#ifndef HLOROOF_LIB_RESULTS_GLOSSARY_H_
#define HLOROOF_LIB_RESULTS_GLOSSARY_H_

#include <span>
#include <string_view>

namespace hloroof::internal::inline results {

struct GlossaryTerm {
  std::string_view term;     // "mxu"
  std::string_view meaning;  // without an article in front and a period at the end; names are in backticks
};

std::span<const GlossaryTerm> glossary();

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_GLOSSARY_H_
