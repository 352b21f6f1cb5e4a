#include "lib/fronts/cli/table_command.h"

namespace hloroof::internal {

std::vector<Option> table_options(TableFlags& flags, const std::string& rows) {
  return {format_option(flags.format, "text|json|csv|markdown"), output_option(flags.output),
          limit_option(flags.limit, rows), wide_option(flags.wide)};
}

ViewOptions table_view_options(const TableFlags& flags, const Context& context) {
  ViewOptions view;
  view.width = context.width(flags.wide, flags.output);
  view.color = context.terminal.color;
  view.markdown = flags.format == "markdown";
  view.rows.limit = flags.limit;
  return view;
}

}  // namespace hloroof::internal
