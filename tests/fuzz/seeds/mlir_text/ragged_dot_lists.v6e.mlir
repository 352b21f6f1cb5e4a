module {
  func.func private @main(%arg0: memref<8xi32, #tpu.memory_space<smem>>, %arg1: memref<9xi32, #tpu.memory_space<smem>>, %arg2: memref<23xi32, #tpu.memory_space<smem>>, %arg3: memref<23xi32, #tpu.memory_space<smem>>, %arg4: memref<1xi32, #tpu.memory_space<smem>>, %arg5: memref<8xi32, #tpu.memory_space<smem>>) attributes {scalar_prefetch = 1 : i64, scratch_operands = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c8 = arith.constant 8 : index
    memref.store %c0_i32, %arg1[%c0] : memref<9xi32, #tpu.memory_space<smem>>
    %c256_i32 = arith.constant 256 : i32
    %0 = arith.subi %c256_i32, %c1_i32 : i32
    %1 = scf.for %arg6 = %c0 to %c8 step %c1 iter_args(%arg7 = %c0_i32) -> (i32) {
      %3 = memref.load %arg0[%arg6] : memref<8xi32, #tpu.memory_space<smem>>
      %4 = arith.addi %3, %arg7 : i32
      %5 = arith.addi %arg6, %c1 : index
      memref.store %4, %arg1[%5] : memref<9xi32, #tpu.memory_space<smem>>
      %6 = memref.load %arg1[%arg6] : memref<9xi32, #tpu.memory_space<smem>>
      %7 = arith.divsi %6, %c256_i32 : i32
      %8 = arith.muli %7, %c256_i32 : i32
      %9 = arith.addi %4, %0 : i32
      %10 = arith.divsi %9, %c256_i32 : i32
      %11 = arith.muli %10, %c256_i32 : i32
      %12 = arith.subi %11, %8 : i32
      %13 = arith.cmpi eq, %3, %c0_i32 : i32
      %14 = arith.select %13, %c0_i32, %12 : i32
      %15 = arith.divsi %14, %c256_i32 : i32
      memref.store %15, %arg5[%arg6] : memref<8xi32, #tpu.memory_space<smem>>
      scf.yield %4 : i32
    }
    %c8_i32 = arith.constant 8 : i32
    %c23_i32 = arith.constant 23 : i32
    %c15_i32 = arith.constant 15 : i32
    %2:2 = scf.for %arg6 = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%arg7 = %c0_i32, %arg8 = %c0_i32) -> (i32, i32)  : i32 {
      %3 = arith.index_cast %arg6 : i32 to index
      %4 = memref.load %arg5[%3] : memref<8xi32, #tpu.memory_space<smem>>
      %5:2 = scf.for %arg9 = %c0_i32 to %4 step %c1_i32 iter_args(%arg10 = %arg7, %arg11 = %arg8) -> (i32, i32)  : i32 {
        %6 = arith.index_cast %arg10 : i32 to index
        memref.store %arg6, %arg2[%6] : memref<23xi32, #tpu.memory_space<smem>>
        memref.store %arg11, %arg3[%6] : memref<23xi32, #tpu.memory_space<smem>>
        %7 = arith.addi %arg6, %c1_i32 : i32
        %8 = arith.index_cast %7 : i32 to index
        %9 = memref.load %arg1[%8] : memref<9xi32, #tpu.memory_space<smem>>
        %10 = arith.addi %arg11, %c1_i32 : i32
        %11 = arith.muli %10, %c256_i32 : i32
        %12 = arith.cmpi sge, %9, %11 : i32
        %13 = arith.cmpi ne, %arg11, %c15_i32 : i32
        %14 = arith.andi %12, %13 : i1
        %15 = arith.addi %arg10, %c1_i32 : i32
        %16 = arith.addi %arg11, %c1_i32 : i32
        %17 = arith.select %14, %16, %arg11 : i32
        scf.yield %15, %17 : i32, i32
      }
      scf.yield %5#0, %5#1 : i32, i32
    }
    memref.store %2#0, %arg4[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %c7_i32 = arith.constant 7 : i32
    scf.for %arg6 = %2#0 to %c23_i32 step %c1_i32  : i32 {
      %3 = arith.index_cast %arg6 : i32 to index
      memref.store %c7_i32, %arg2[%3] : memref<23xi32, #tpu.memory_space<smem>>
      memref.store %c15_i32, %arg3[%3] : memref<23xi32, #tpu.memory_space<smem>>
    }
    return
  }
}