// Recognizes which backend of XLA compiled a module, and how far, from what the compiler wrote into the text.
//
//   ModuleOrigin origin = find_origin(module);
//   origin.backend;           // Backend::kGpu
//   origin.backend_evidence;  // "custom call gemm.1 calls __cublas$gemm"
//   origin.stage;             // CompileStage::kOptimized
//
// Names of instructions and programs are no evidence: users choose them. Without evidence the answer is kUnknown.
#ifndef HLOROOF_LIB_ANALYSIS_ORIGIN_H_
#define HLOROOF_LIB_ANALYSIS_ORIGIN_H_

#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// Returns all that the text shows. Reads the whole module.
ModuleOrigin find_origin(const Module& module);

// Fills in the backend and its evidence. Stops at the first evidence, which is near the top of most dumps.
void find_backend(const Module& module, ModuleOrigin& origin);

// Fills in the stage and its evidence. Stops at the first sign of an optimized module; a schedule is one.
void find_stage(const Module& module, ModuleOrigin& origin);

// Returns whether XLA wrote the text of a scheduled module, with layouts, and `origin` found neither a tile in them nor
// another backend. The TPU compiler tiles every array, so such a module is not for a TPU.
bool lacks_tiles(const Module& module, const ModuleOrigin& origin);

// Returns whether only the TPU compiler has such a layout: it tiles arrays, other backends do not.
bool has_tiled_layout(const Shape& shape);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_ORIGIN_H_
