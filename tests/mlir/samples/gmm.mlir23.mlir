"builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(%arg21: i32, %arg22: i32, %arg23: i32, %arg24: memref<9xi32, #tpu.memory_space<smem>>, %arg25: memref<39xi32, #tpu.memory_space<smem>>, %arg26: memref<39xi32, #tpu.memory_space<smem>>, %arg27: memref<1xi32, #tpu.memory_space<smem>>, %arg28: memref<128x128xbf16, #tpu.memory_space<vmem>>, %arg29: memref<1x128x128xbf16, #tpu.memory_space<vmem>>, %arg30: memref<128x128xf32, #tpu.memory_space<vmem>>, %arg31: memref<128x128xf32, #tpu.memory_space<vmem>>):
    %12 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    %13 = "stable_mosaic.arith.cmpi"(%arg23, %12) {predicate = 0 : i64} : (i32, i32) -> i1
    %14 = "stable_mosaic.arith.extui"(%13) : (i1) -> i32
    %15 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    %16 = "stable_mosaic.arith.cmpi"(%14, %15) {predicate = 1 : i64} : (i32, i32) -> i1
    "stable_mosaic.scf.if"(%16) ({
      %88 = "stable_mosaic.arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
      %89 = "stable_mosaic.vector.broadcast"(%88) : (f32) -> vector<128x128xf32>
      %90 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %91 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %92 = "stable_mosaic.vector.load"(%arg31, %90, %91) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      "stable_mosaic.tpu.vector_store"(%89, %arg31, %90, %91) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<128x128xf32>, memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
      "stable_mosaic.scf.yield"() : () -> ()
    }, {
      "stable_mosaic.scf.yield"() : () -> ()
    }) : (i1) -> ()
    %17 = "stable_mosaic.arith.constant"() {value = 15 : i32} : () -> i32
    %18 = "stable_mosaic.arith.cmpi"(%arg23, %17) {predicate = 0 : i64} : (i32, i32) -> i1
    %19 = "stable_mosaic.arith.extui"(%18) : (i1) -> i32
    %20 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    %21 = "stable_mosaic.arith.cmpi"(%19, %20) {predicate = 1 : i64} : (i32, i32) -> i1
    "stable_mosaic.scf.if"(%21) ({
      %40 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %41 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %42 = "stable_mosaic.vector.load"(%arg28, %40, %41) : (memref<128x128xbf16, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xbf16>
      %43 = "stable_mosaic.vector.shape_cast"(%42) : (vector<128x128xbf16>) -> vector<128x128xbf16>
      %44 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %45 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %46 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %47 = "stable_mosaic.vector.load"(%arg29, %44, %45, %46) : (memref<1x128x128xbf16, #tpu.memory_space<vmem>>, index, index, index) -> vector<1x128x128xbf16>
      %48 = "stable_mosaic.vector.shape_cast"(%47) : (vector<1x128x128xbf16>) -> vector<128x128xbf16>
      %49 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %50 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %51 = "stable_mosaic.vector.load"(%arg31, %49, %50) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      %52 = "stable_mosaic.arith.constant"() {value = dense<0.000000e+00> : vector<128x128xf32>} : () -> vector<128x128xf32>
      %53 = "stable_mosaic.tpu.matmul"(%43, %48, %52) {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs = false, transpose_lhs_hint = false, transpose_rhs = false} : (vector<128x128xbf16>, vector<128x128xbf16>, vector<128x128xf32>) -> vector<128x128xf32>
      %54 = "stable_mosaic.arith.addf"(%51, %53) {fastmath = #arith.fastmath<none>} : (vector<128x128xf32>, vector<128x128xf32>) -> vector<128x128xf32>
      %55 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %56 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %57 = "stable_mosaic.vector.load"(%arg31, %55, %56) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      "stable_mosaic.tpu.vector_store"(%54, %arg31, %55, %56) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<128x128xf32>, memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
      %58 = "stable_mosaic.arith.index_cast"(%arg22) : (i32) -> index
      %59 = "stable_mosaic.memref.load"(%arg25, %58) : (memref<39xi32, #tpu.memory_space<smem>>, index) -> i32
      %60 = "stable_mosaic.arith.index_cast"(%59) : (i32) -> index
      %61 = "stable_mosaic.memref.load"(%arg24, %60) : (memref<9xi32, #tpu.memory_space<smem>>, index) -> i32
      %62 = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32
      %63 = "stable_mosaic.arith.addi"(%59, %62) {overflowFlags = #arith.overflow<none>} : (i32, i32) -> i32
      %64 = "stable_mosaic.arith.index_cast"(%63) : (i32) -> index
      %65 = "stable_mosaic.memref.load"(%arg24, %64) : (memref<9xi32, #tpu.memory_space<smem>>, index) -> i32
      %66 = "stable_mosaic.arith.index_cast"(%arg22) : (i32) -> index
      %67 = "stable_mosaic.memref.load"(%arg26, %66) : (memref<39xi32, #tpu.memory_space<smem>>, index) -> i32
      %68 = "stable_mosaic.arith.constant"() {value = 128 : i32} : () -> i32
      %69 = "stable_mosaic.arith.muli"(%67, %68) {overflowFlags = #arith.overflow<none>} : (i32, i32) -> i32
      %70 = "stable_mosaic.tpu.iota"() {dimensions = array<i32: 0>} : () -> vector<128x128xi32>
      %71 = "stable_mosaic.vector.broadcast"(%69) : (i32) -> vector<128x128xi32>
      %72 = "stable_mosaic.arith.addi"(%70, %71) {overflowFlags = #arith.overflow<none>} : (vector<128x128xi32>, vector<128x128xi32>) -> vector<128x128xi32>
      %73 = "stable_mosaic.vector.broadcast"(%61) : (i32) -> vector<128x128xi32>
      %74 = "stable_mosaic.arith.cmpi"(%72, %73) {predicate = 5 : i64} : (vector<128x128xi32>, vector<128x128xi32>) -> vector<128x128xi1>
      %75 = "stable_mosaic.vector.broadcast"(%65) : (i32) -> vector<128x128xi32>
      %76 = "stable_mosaic.arith.cmpi"(%72, %75) {predicate = 2 : i64} : (vector<128x128xi32>, vector<128x128xi32>) -> vector<128x128xi1>
      %77 = "stable_mosaic.arith.andi"(%74, %76) : (vector<128x128xi1>, vector<128x128xi1>) -> vector<128x128xi1>
      %78 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %79 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %80 = "stable_mosaic.vector.load"(%arg31, %78, %79) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      %81 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %82 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %83 = "stable_mosaic.vector.load"(%arg30, %81, %82) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      %84 = "stable_mosaic.arith.select"(%77, %80, %83) : (vector<128x128xi1>, vector<128x128xf32>, vector<128x128xf32>) -> vector<128x128xf32>
      %85 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %86 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %87 = "stable_mosaic.vector.load"(%arg30, %85, %86) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      "stable_mosaic.tpu.vector_store"(%84, %arg30, %85, %86) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<128x128xf32>, memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
      "stable_mosaic.scf.yield"() : () -> ()
    }, {
      %22 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %23 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %24 = "stable_mosaic.vector.load"(%arg28, %22, %23) : (memref<128x128xbf16, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xbf16>
      %25 = "stable_mosaic.vector.shape_cast"(%24) : (vector<128x128xbf16>) -> vector<128x128xbf16>
      %26 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %27 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %28 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %29 = "stable_mosaic.vector.load"(%arg29, %26, %27, %28) : (memref<1x128x128xbf16, #tpu.memory_space<vmem>>, index, index, index) -> vector<1x128x128xbf16>
      %30 = "stable_mosaic.vector.shape_cast"(%29) : (vector<1x128x128xbf16>) -> vector<128x128xbf16>
      %31 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %32 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %33 = "stable_mosaic.vector.load"(%arg31, %31, %32) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      %34 = "stable_mosaic.arith.constant"() {value = dense<0.000000e+00> : vector<128x128xf32>} : () -> vector<128x128xf32>
      %35 = "stable_mosaic.tpu.matmul"(%25, %30, %34) {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs = false, transpose_lhs_hint = false, transpose_rhs = false} : (vector<128x128xbf16>, vector<128x128xbf16>, vector<128x128xf32>) -> vector<128x128xf32>
      %36 = "stable_mosaic.arith.addf"(%33, %35) {fastmath = #arith.fastmath<none>} : (vector<128x128xf32>, vector<128x128xf32>) -> vector<128x128xf32>
      %37 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %38 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
      %39 = "stable_mosaic.vector.load"(%arg31, %37, %38) : (memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> vector<128x128xf32>
      "stable_mosaic.tpu.vector_store"(%36, %arg31, %37, %38) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : (vector<128x128xf32>, memref<128x128xf32, #tpu.memory_space<vmem>>, index, index) -> ()
      "stable_mosaic.scf.yield"() : () -> ()
    }) : (i1) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {dimension_semantics = [#tpu.dimension_semantics<parallel>, #tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<arbitrary>], function_type = (i32, i32, i32, memref<9xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<1xi32, #tpu.memory_space<smem>>, memref<128x128xbf16, #tpu.memory_space<vmem>>, memref<1x128x128xbf16, #tpu.memory_space<vmem>>, memref<128x128xf32, #tpu.memory_space<vmem>>, memref<128x128xf32, #tpu.memory_space<vmem>>) -> (), iteration_bounds = array<i64: 32, -9223372036854775808, 16>, scalar_prefetch = 4 : i64, scratch_operands = 1 : i64, sym_name = "kernel", tpu.core_type = #tpu.core_type<tc>, window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 128, 128>}, {transform_indices = @transform_1, window_bounds = array<i64: 1, 128, 128>}, {transform_indices = @transform_2, window_bounds = array<i64: 128, 128>}]} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg14: i32, %arg15: i32, %arg16: i32, %arg17: memref<9xi32, #tpu.memory_space<smem>>, %arg18: memref<39xi32, #tpu.memory_space<smem>>, %arg19: memref<39xi32, #tpu.memory_space<smem>>, %arg20: memref<1xi32, #tpu.memory_space<smem>>):
    %9 = "stable_mosaic.arith.index_cast"(%arg15) : (i32) -> index
    %10 = "stable_mosaic.memref.load"(%arg19, %9) : (memref<39xi32, #tpu.memory_space<smem>>, index) -> i32
    %11 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%10, %arg16) : (i32, i32) -> ()
  }) {function_type = (i32, i32, i32, memref<9xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32), sym_name = "transform_0"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg7: i32, %arg8: i32, %arg9: i32, %arg10: memref<9xi32, #tpu.memory_space<smem>>, %arg11: memref<39xi32, #tpu.memory_space<smem>>, %arg12: memref<39xi32, #tpu.memory_space<smem>>, %arg13: memref<1xi32, #tpu.memory_space<smem>>):
    %3 = "stable_mosaic.arith.index_cast"(%arg8) : (i32) -> index
    %4 = "stable_mosaic.memref.load"(%arg11, %3) : (memref<39xi32, #tpu.memory_space<smem>>, index) -> i32
    %5 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %6 = "stable_mosaic.memref.load"(%arg13, %5) : (memref<1xi32, #tpu.memory_space<smem>>, index) -> i32
    %7 = "stable_mosaic.arith.subi"(%4, %6) {overflowFlags = #arith.overflow<none>} : (i32, i32) -> i32
    %8 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%7, %arg9, %arg7) : (i32, i32, i32) -> ()
  }) {function_type = (i32, i32, i32, memref<9xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32, i32), sym_name = "transform_1"} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: memref<9xi32, #tpu.memory_space<smem>>, %arg4: memref<39xi32, #tpu.memory_space<smem>>, %arg5: memref<39xi32, #tpu.memory_space<smem>>, %arg6: memref<1xi32, #tpu.memory_space<smem>>):
    %0 = "stable_mosaic.arith.index_cast"(%arg1) : (i32) -> index
    %1 = "stable_mosaic.memref.load"(%arg5, %0) : (memref<39xi32, #tpu.memory_space<smem>>, index) -> i32
    %2 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%1, %arg0) : (i32, i32) -> ()
  }) {function_type = (i32, i32, i32, memref<9xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<39xi32, #tpu.memory_space<smem>>, memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32), sym_name = "transform_2"} : () -> ()
}) {stable_mosaic.version = 15 : i64} : () -> ()
