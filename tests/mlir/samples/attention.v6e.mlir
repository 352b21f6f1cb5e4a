module {
  func.func @main(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: memref<1x1x512x128xbf16, #tpu.memory_space<vmem>>, %arg5: memref<1x1x512x128xbf16, #tpu.memory_space<vmem>>, %arg6: memref<1x1x512x128xbf16, #tpu.memory_space<vmem>>, %arg7: memref<1x1x512x128xf32, #tpu.memory_space<vmem>>, %arg8: memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, %arg9: memref<1x1x512x1xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 4, 16, 16, 16>, scratch_operands = 2 : i64, window_params = [{transform_indices = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>}, {transform_indices = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, 0)>}, {transform_indices = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, 0)>}, {transform_indices = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>}]} {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = arith.cmpi eq, %c0_i32, %arg3 : i32
    scf.if %0 {
      %cst_3 = arith.constant dense<0.000000e+00> : vector<1x1x512x128xf32>
      vector.store %cst_3, %arg7[%c0, %c0, %c0, %c0] : memref<1x1x512x128xf32, #tpu.memory_space<vmem>>, vector<1x1x512x128xf32>
      %cst_4 = arith.constant dense<0xFF800000> : vector<1x1x512x1xf32>
      vector.store %cst_4, %arg8[%c0, %c0, %c0, %c0] : memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, vector<1x1x512x1xf32>
      %cst_5 = arith.constant dense<0.000000e+00> : vector<1x1x512x1xf32>
      vector.store %cst_5, %arg9[%c0, %c0, %c0, %c0] : memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, vector<1x1x512x1xf32>
    }
    %1 = vector.load %arg4[%c0, %c0, %c0, %c0] : memref<1x1x512x128xbf16, #tpu.memory_space<vmem>>, vector<1x1x512x128xbf16>
    %2 = vector.shape_cast %1 : vector<1x1x512x128xbf16> to vector<512x128xbf16>
    %3 = vector.load %arg5[%c0, %c0, %c0, %c0] : memref<1x1x512x128xbf16, #tpu.memory_space<vmem>>, vector<1x1x512x128xbf16>
    %4 = vector.shape_cast %3 : vector<1x1x512x128xbf16> to vector<512x128xbf16>
    %cst = arith.constant dense<0.000000e+00> : vector<512x512xf32>
    %5 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %2, %4, %cst {precision = #tpu.contract_precision<bf16>} : vector<512x128xbf16>, vector<512x128xbf16> into vector<512x512xf32>
    %6 = vector.shape_cast %5 : vector<512x512xf32> to vector<1x1x512x512xf32>
    %cst_0 = arith.constant dense<0xFF800000> : vector<1x1x512xf32>
    %7 = vector.multi_reduction <maximumf>, %6, %cst_0 [3] : vector<1x1x512x512xf32> to vector<1x1x512xf32>
    %8 = vector.shape_cast %7 : vector<1x1x512xf32> to vector<1x1x512x1xf32>
    %9 = vector.broadcast %8 : vector<1x1x512x1xf32> to vector<1x1x512x512xf32>
    %10 = arith.subf %6, %9 : vector<1x1x512x512xf32>
    %11 = math.exp %10 : vector<1x1x512x512xf32>
    %cst_1 = arith.constant dense<0.000000e+00> : vector<1x1x512xf32>
    %12 = vector.multi_reduction <add>, %11, %cst_1 [3] : vector<1x1x512x512xf32> to vector<1x1x512xf32>
    %13 = vector.shape_cast %12 : vector<1x1x512xf32> to vector<1x1x512x1xf32>
    %14 = vector.load %arg8[%c0, %c0, %c0, %c0] : memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, vector<1x1x512x1xf32>
    %15 = arith.maximumf %14, %8 : vector<1x1x512x1xf32>
    %16 = vector.load %arg9[%c0, %c0, %c0, %c0] : memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, vector<1x1x512x1xf32>
    %17 = arith.subf %14, %15 : vector<1x1x512x1xf32>
    %18 = math.exp %17 : vector<1x1x512x1xf32>
    %19 = arith.mulf %18, %16 : vector<1x1x512x1xf32>
    %20 = arith.subf %8, %15 : vector<1x1x512x1xf32>
    %21 = math.exp %20 : vector<1x1x512x1xf32>
    %22 = arith.mulf %21, %13 : vector<1x1x512x1xf32>
    %23 = arith.addf %19, %22 : vector<1x1x512x1xf32>
    %24 = vector.load %arg7[%c0, %c0, %c0, %c0] : memref<1x1x512x128xf32, #tpu.memory_space<vmem>>, vector<1x1x512x128xf32>
    %25 = arith.subf %14, %15 : vector<1x1x512x1xf32>
    %26 = math.exp %25 : vector<1x1x512x1xf32>
    %27 = arith.mulf %26, %16 : vector<1x1x512x1xf32>
    %28 = arith.divf %27, %23 : vector<1x1x512x1xf32>
    %29 = vector.broadcast %28 : vector<1x1x512x1xf32> to vector<1x1x512x128xf32>
    %30 = arith.mulf %29, %24 : vector<1x1x512x128xf32>
    %31 = vector.load %arg6[%c0, %c0, %c0, %c0] : memref<1x1x512x128xbf16, #tpu.memory_space<vmem>>, vector<1x1x512x128xbf16>
    %32 = vector.shape_cast %31 : vector<1x1x512x128xbf16> to vector<512x128xbf16>
    %33 = arith.subf %8, %15 : vector<1x1x512x1xf32>
    %34 = math.exp %33 : vector<1x1x512x1xf32>
    %35 = arith.divf %34, %23 : vector<1x1x512x1xf32>
    %36 = vector.broadcast %35 : vector<1x1x512x1xf32> to vector<1x1x512x512xf32>
    %37 = arith.mulf %36, %11 : vector<1x1x512x512xf32>
    %38 = vector.shape_cast %37 : vector<1x1x512x512xf32> to vector<512x512xf32>
    %39 = arith.truncf %38 : vector<512x512xf32> to vector<512x512xbf16>
    %cst_2 = arith.constant dense<0.000000e+00> : vector<512x128xf32>
    %40 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %39, %32, %cst_2 {precision = #tpu.contract_precision<bf16>} : vector<512x512xbf16>, vector<512x128xbf16> into vector<512x128xf32>
    %41 = vector.shape_cast %40 : vector<512x128xf32> to vector<1x1x512x128xf32>
    %42 = arith.addf %30, %41 : vector<1x1x512x128xf32>
    %43 = vector.shape_cast %42 : vector<1x1x512x128xf32> to vector<1x1x512x128xf32>
    vector.store %43, %arg7[%c0, %c0, %c0, %c0] : memref<1x1x512x128xf32, #tpu.memory_space<vmem>>, vector<1x1x512x128xf32>
    vector.store %15, %arg8[%c0, %c0, %c0, %c0] : memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, vector<1x1x512x1xf32>
    vector.store %23, %arg9[%c0, %c0, %c0, %c0] : memref<1x1x512x1xf32, #tpu.memory_space<vmem>>, vector<1x1x512x1xf32>
    return
  }
}