// Commands that print a table about each of the files they read.
#ifndef HLOROOF_LIB_FRONTS_CLI_TABLE_COMMAND_H_
#define HLOROOF_LIB_FRONTS_CLI_TABLE_COMMAND_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lib/fronts/cli/common_options.h"
#include "lib/fronts/cli/context.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/report/views.h"

namespace hloroof::internal {

struct TableFlags {
  std::vector<std::string> files;
  Request predict;
  std::string format = "text";
  std::string output;
  std::size_t limit = 20;
  bool wide = false;
};

// The options that concern the table; `rows` names what it lists.
std::vector<Option> table_options(TableFlags& flags, const std::string& rows);

ViewOptions table_view_options(const TableFlags& flags, const Context& context);

// How a command writes what it knows of each file.
template <typename Report>
struct TableFormats {
  std::string (*json)(const std::vector<Report>&);
  std::string (*csv)(const std::vector<Report>&);
  std::string (*view)(const Report&, const ViewOptions&);
  const std::string& (*file)(const Report&);
};

// Writes `reports` in the format of the flags. Text and Markdown name each file if there are several.
template <typename Report>
void write_tables(const TableFlags& flags, const std::vector<Report>& reports, const TableFormats<Report>& formats,
                  Context& context) {
  std::string text;
  if (flags.format == "json") {
    text = formats.json(reports);
  } else if (flags.format == "csv") {
    text = formats.csv(reports);
  } else {
    const ViewOptions view = table_view_options(flags, context);
    for (const Report& report : reports) {
      if (!text.empty()) text += "\n";
      if (reports.size() > 1) text += (view.markdown ? "### " : "") + formats.file(report) + "\n";
      text += formats.view(report, view);
    }
  }
  if (absl::Status status = write_output(context, flags.output, text); !status.ok()) context.fail(status);
}

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_FRONTS_CLI_TABLE_COMMAND_H_
