#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "lib/fronts/lsp/features.h"
#include "lib/page/html_report.h"

namespace hloroof::internal::inline lsp {

absl::StatusOr<std::string> write_report_page(const EditorView& view) {
  view.document.predict(view.settings);
  const Predicted* predicted = view.document.predicted();
  if (predicted == nullptr) {
    return view.document.prediction_status().ok() ? absl::UnavailableError("the text has errors")
                                                  : view.document.prediction_status();
  }
  PageWriter writer;
  writer.add(path_of_uri(view.document.uri()), predicted->prediction);
  const std::string page = writer.take();

  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return absl::UnavailableError("there is no folder for temporary files: " + error.message());
  constexpr std::string_view kSuffix = ".html";
  std::string path = (folder / "hloroof-XXXXXX.html").string();
  const int file = mkstemps(path.data(), static_cast<int>(kSuffix.size()));
  if (file < 0) return absl::UnavailableError("cannot write a file in " + folder.string());
  std::size_t written = 0;
  while (written < page.size()) {
    const ssize_t size = write(file, page.data() + written, page.size() - written);
    if (size <= 0) break;
    written += static_cast<std::size_t>(size);
  }
  close(file);
  if (written < page.size()) return absl::UnavailableError("cannot write " + path + "; is the disk full?");
  return path;
}

}  // namespace hloroof::internal::inline lsp
