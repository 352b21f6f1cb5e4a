module {
  func.func @main(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<9xi32, #tpu.memory_space<smem>>, %arg4: memref<23xi32, #tpu.memory_space<smem>>, %arg5: memref<23xi32, #tpu.memory_space<smem>>, %arg6: memref<1xi32, #tpu.memory_space<smem>>, %arg7: memref<256x2048xbf16, #tpu.memory_space<vmem>>, %arg8: memref<1x2048x1792xbf16, #tpu.memory_space<vmem>>, %arg9: memref<256x1792xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 3, -9223372036854775808, 1>, scalar_prefetch = 4 : i64, scratch_operands = 0 : i64, window_params = [{pipeline_mode = #tpu.pipeline_mode<double_buffered>, transform_indices = @lhs_transform_indices, window_bounds = array<i64: 256, 2048>}, {pipeline_mode = #tpu.pipeline_mode<double_buffered>, transform_indices = @rhs_transform_indices, window_bounds = array<i64: 1, 2048, 1792>}, {transform_indices = @out_transform_indices, window_bounds = array<i64: 256, 1792>}]} {
    %c0 = arith.constant 0 : index
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = memref.load %arg4[%0] : memref<23xi32, #tpu.memory_space<smem>>
    %2 = arith.index_cast %1 : i32 to index
    %3 = memref.load %arg5[%0] : memref<23xi32, #tpu.memory_space<smem>>
    %c0_i32 = arith.constant 0 : i32
    %c256_i32 = arith.constant 256 : i32
    %4 = arith.muli %3, %c256_i32 : i32
    %5 = vector.broadcast %4 : i32 to vector<256x1792xi32>
    %6 = tpu.iota {dimensions = array<i32: 0>} : vector<256x1792xi32>
    %7 = arith.addi %5, %6 : vector<256x1792xi32>
    %8 = memref.load %arg3[%2] : memref<9xi32, #tpu.memory_space<smem>>
    %c1 = arith.constant 1 : index
    %9 = arith.addi %2, %c1 : index
    %10 = memref.load %arg3[%9] : memref<9xi32, #tpu.memory_space<smem>>
    %11 = vector.broadcast %8 : i32 to vector<256x1792xi32>
    %12 = arith.cmpi sge, %7, %11 : vector<256x1792xi32>
    %13 = vector.broadcast %10 : i32 to vector<256x1792xi32>
    %14 = arith.cmpi slt, %7, %13 : vector<256x1792xi32>
    %15 = arith.andi %12, %14 : vector<256x1792xi1>
    %cst = arith.constant dense<0.000000e+00> : vector<256x1792xf32>
    %16 = vector.load %arg7[%c0, %c0] : memref<256x2048xbf16, #tpu.memory_space<vmem>>, vector<256x2048xbf16>
    %17 = vector.load %arg8[%c0, %c0, %c0] : memref<1x2048x1792xbf16, #tpu.memory_space<vmem>>, vector<1x2048x1792xbf16>
    %18 = vector.shape_cast %17 : vector<1x2048x1792xbf16> to vector<2048x1792xbf16>
    %19 = tpu.matmul %16, %18, %cst {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16>, transpose_lhs_hint = false} : vector<256x2048xbf16>, vector<2048x1792xbf16>, vector<256x1792xf32> -> vector<256x1792xf32>
    %20 = arith.truncf %19 {output_fusion_insertion_point = true} : vector<256x1792xf32> to vector<256x1792xbf16>
    %21 = vector.load %arg9[%c0, %c0] : memref<256x1792xbf16, #tpu.memory_space<vmem>>, vector<256x1792xbf16>
    %22 = arith.select %15, %20, %21 : vector<256x1792xi1>, vector<256x1792xbf16>
    vector.store %22, %arg9[%c0, %c0] : memref<256x1792xbf16, #tpu.memory_space<vmem>>, vector<256x1792xbf16>
    return
  }
  func.func @lhs_transform_indices(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<9xi32, #tpu.memory_space<smem>>, %arg4: memref<23xi32, #tpu.memory_space<smem>>, %arg5: memref<23xi32, #tpu.memory_space<smem>>, %arg6: memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = memref.load %arg5[%0] : memref<23xi32, #tpu.memory_space<smem>>
    return %1, %arg2 : i32, i32
  }
  func.func @rhs_transform_indices(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<9xi32, #tpu.memory_space<smem>>, %arg4: memref<23xi32, #tpu.memory_space<smem>>, %arg5: memref<23xi32, #tpu.memory_space<smem>>, %arg6: memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32, i32) {
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = memref.load %arg4[%0] : memref<23xi32, #tpu.memory_space<smem>>
    return %1, %arg2, %arg0 : i32, i32, i32
  }
  func.func @out_transform_indices(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<9xi32, #tpu.memory_space<smem>>, %arg4: memref<23xi32, #tpu.memory_space<smem>>, %arg5: memref<23xi32, #tpu.memory_space<smem>>, %arg6: memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = memref.load %arg5[%0] : memref<23xi32, #tpu.memory_space<smem>>
    return %1, %arg0 : i32, i32
  }
}