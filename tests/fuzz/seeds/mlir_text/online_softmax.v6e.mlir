module {
  func.func @main(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<1x1024x1024xbf16, #tpu.memory_space<vmem>>, %arg4: memref<1x1024x128xbf16, #tpu.memory_space<vmem>>, %arg5: memref<1x1024x128xbf16, #tpu.memory_space<vmem>>, %arg6: memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, %arg7: memref<1x1024x1xbf16, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 64, 4, 4>, scratch_operands = 2 : i64, window_params = [{transform_indices = @qk_fn, window_bounds = array<i64: 1, 1024, 1024>}, {transform_indices = @v_fn, window_bounds = array<i64: 1, 1024, 128>}, {transform_indices = @oi_fn, window_bounds = array<i64: 1, 1024, 128>}]} {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = arith.cmpi eq, %c0_i32, %arg2 : i32
    scf.if %0 {
      %cst_3 = arith.constant dense<0.000000e+00> : vector<1x1024x128xbf16>
      vector.store %cst_3, %arg5[%c0, %c0, %c0] : memref<1x1024x128xbf16, #tpu.memory_space<vmem>>, vector<1x1024x128xbf16>
      %cst_4 = arith.constant dense<0xFF80> : vector<1x1024x1xbf16>
      vector.store %cst_4, %arg6[%c0, %c0, %c0] : memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1xbf16>
      %cst_5 = arith.constant dense<0.000000e+00> : vector<1x1024x1xbf16>
      vector.store %cst_5, %arg7[%c0, %c0, %c0] : memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1xbf16>
    }
    %1 = vector.load %arg3[%c0, %c0, %c0] : memref<1x1024x1024xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1024xbf16>
    %cst = arith.constant dense<0xFF80> : vector<1x1024xbf16>
    %2 = vector.multi_reduction <maximumf>, %1, %cst [2] : vector<1x1024x1024xbf16> to vector<1x1024xbf16>
    %3 = vector.shape_cast %2 : vector<1x1024xbf16> to vector<1x1024x1xbf16>
    %4 = vector.load %arg6[%c0, %c0, %c0] : memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1xbf16>
    %5 = arith.maximumf %4, %3 : vector<1x1024x1xbf16>
    %cst_0 = arith.constant dense<0.000000e+00> : vector<1x1024x1xbf16>
    %6 = arith.cmpf oeq, %4, %5 : vector<1x1024x1xbf16>
    %7 = arith.subf %4, %5 : vector<1x1024x1xbf16>
    %8 = arith.select %6, %cst_0, %7 : vector<1x1024x1xi1>, vector<1x1024x1xbf16>
    %9 = vector.broadcast %5 : vector<1x1024x1xbf16> to vector<1x1024x1024xbf16>
    %10 = arith.subf %1, %9 : vector<1x1024x1024xbf16>
    %11 = math.exp %10 : vector<1x1024x1024xbf16>
    %cst_1 = arith.constant dense<0.000000e+00> : vector<1x1024xbf16>
    %12 = vector.multi_reduction <add>, %11, %cst_1 [2] : vector<1x1024x1024xbf16> to vector<1x1024xbf16>
    %13 = vector.shape_cast %12 : vector<1x1024xbf16> to vector<1x1024x1xbf16>
    %14 = vector.load %arg7[%c0, %c0, %c0] : memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1xbf16>
    %15 = math.exp %8 : vector<1x1024x1xbf16>
    %16 = arith.mulf %15, %14 : vector<1x1024x1xbf16>
    %17 = arith.addf %16, %13 : vector<1x1024x1xbf16>
    %18 = vector.load %arg5[%c0, %c0, %c0] : memref<1x1024x128xbf16, #tpu.memory_space<vmem>>, vector<1x1024x128xbf16>
    %19 = math.exp %8 : vector<1x1024x1xbf16>
    %20 = arith.mulf %19, %14 : vector<1x1024x1xbf16>
    %21 = vector.broadcast %20 : vector<1x1024x1xbf16> to vector<1x1024x128xbf16>
    %22 = arith.mulf %21, %18 : vector<1x1024x128xbf16>
    %23 = vector.load %arg4[%c0, %c0, %c0] : memref<1x1024x128xbf16, #tpu.memory_space<vmem>>, vector<1x1024x128xbf16>
    %24 = vector.shape_cast %23 : vector<1x1024x128xbf16> to vector<1024x128xbf16>
    %25 = vector.shape_cast %11 : vector<1x1024x1024xbf16> to vector<1024x1024xbf16>
    %26 = vector.shape_cast %22 : vector<1x1024x128xbf16> to vector<1024x128xbf16>
    %27 = arith.extf %26 : vector<1024x128xbf16> to vector<1024x128xf32>
    %28 = tpu.matmul %25, %24, %27 {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, precision = #tpu.contract_precision<bf16>, transpose_lhs_hint = false} : vector<1024x1024xbf16>, vector<1024x128xbf16>, vector<1024x128xf32> -> vector<1024x128xf32>
    %29 = arith.truncf %28 : vector<1024x128xf32> to vector<1024x128xbf16>
    %30 = vector.shape_cast %29 : vector<1024x128xbf16> to vector<1x1024x128xbf16>
    %cst_2 = arith.constant dense<1.000000e+00> : vector<1x1024x1xbf16>
    %31 = arith.divf %cst_2, %17 : vector<1x1024x1xbf16>
    %32 = vector.broadcast %31 : vector<1x1024x1xbf16> to vector<1x1024x128xbf16>
    %33 = arith.mulf %30, %32 : vector<1x1024x128xbf16>
    %34 = vector.shape_cast %33 : vector<1x1024x128xbf16> to vector<1x1024x128xbf16>
    vector.store %34, %arg5[%c0, %c0, %c0] : memref<1x1024x128xbf16, #tpu.memory_space<vmem>>, vector<1x1024x128xbf16>
    vector.store %5, %arg6[%c0, %c0, %c0] : memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1xbf16>
    vector.store %17, %arg7[%c0, %c0, %c0] : memref<1x1024x1xbf16, #tpu.memory_space<vmem>>, vector<1x1024x1xbf16>
    return
  }
  func.func @qk_fn(%arg0: i32, %arg1: i32, %arg2: i32) -> (i32, i32, i32) {
    return %arg0, %arg1, %arg2 : i32, i32, i32
  }
  func.func @v_fn(%arg0: i32, %arg1: i32, %arg2: i32) -> (i32, i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %arg0, %arg2, %c0_i32 : i32, i32, i32
  }
  func.func @oi_fn(%arg0: i32, %arg1: i32, %arg2: i32) -> (i32, i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %arg0, %arg1, %c0_i32 : i32, i32, i32
  }
}