// Names of mesh axes, and how sentences call them.
#ifndef HLOROOF_LIB_ANALYSIS_AXIS_NAMES_H_
#define HLOROOF_LIB_ANALYSIS_AXIS_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/analysis.h"

namespace hloroof::internal::inline analysis {

inline constexpr std::string_view kSlicesAxis = "slices";  // the axis between slices, if it is only one

// Whether XLA invented this name of an axis: "axis_2". XLA numbers the axes of each op's groups anew, so that the same
// name may be another axis in another op, and none is one that the user knows.
bool is_scratch_axis_name(std::string_view name);

// Names the axes that have no name after what is known of them: "8-way", or "2-way stride-4" where the mesh has several
// of that size. Such a name is short enough for tables, and has no comma, so that options take it.
void describe_unnamed_axes(std::vector<MeshAxis>& axes);

// Whether the name is of the form that describe_unnamed_axes() makes.
bool is_description_of_axis(std::string_view name);

// "2-way stride-4", the description that is unique in every mesh.
std::string description_of_axis(std::int64_t size, std::int64_t stride);

// The axis with its size and stride: "data (8-way, stride 16)", "8-way stride-16 axis".
std::string axis_with_stride(const MeshAxis& axis);

// The axis with its size in a sentence: "axis data of 8", "the 8-way axis".
std::string axis_with_size(const MeshAxis& axis);

// The axis in a sentence: "the 8-way axis", or its name, "data".
std::string axis_in_sentence(std::string_view name);

// Several of them: "data and the 8-way axis". Empty if there are none.
std::string axes_in_sentence(const std::vector<std::string>& names);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_AXIS_NAMES_H_
