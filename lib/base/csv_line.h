// One line of a table of measurements as its fields.
#ifndef HLOROOF_LIB_BASE_CSV_LINE_H_
#define HLOROOF_LIB_BASE_CSV_LINE_H_

#include <string>
#include <vector>

namespace hloroof::inline v0 {

// The fields between commas. Double quotes hold commas together and are dropped, and so is a CR. For tables of one
// record a line; records over several lines and doubled quotes are the business of who reads such files.
std::vector<std::string> split_csv_line(const std::string& line);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_BASE_CSV_LINE_H_
