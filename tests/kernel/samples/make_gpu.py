"""Writes the bodies that gpu_triton_test.cc and gpu_mosaic_test.cc read. Needs jax 0.10.2: python3 make_gpu.py"""

import io

from jaxlib.mlir import ir
from jaxlib.triton import dialect

TRITON = {
    # A product in a loop with constant bounds; the matrix unit adds to its result.
    "product": """
    %n = arith.constant 4 : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %f = arith.constant 0.0 : f32
    %acc = tt.splat %f : f32 -> tensor<64x32xf32>
    %p = tt.splat %arg0 : !tt.ptr<bf16> -> tensor<64x16x!tt.ptr<bf16>>
    %q = tt.splat %arg0 : !tt.ptr<bf16> -> tensor<16x32x!tt.ptr<bf16>>
    %off = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %rows = tt.expand_dims %off {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %full = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x16xi32>
    %pp = tt.addptr %p, %full : tensor<64x16x!tt.ptr<bf16>>, tensor<64x16xi32>
    %r = scf.for %i = %zero to %n step %one iter_args(%a = %acc) -> (tensor<64x32xf32>) : i32 {
      %x = tt.load %pp : tensor<64x16x!tt.ptr<bf16>>
      %y = tt.load %q : tensor<16x32x!tt.ptr<bf16>>
      %d = tt.dot %x, %y, %acc, inputPrecision = tf32 : tensor<64x16xbf16> * tensor<16x32xbf16> -> tensor<64x32xf32>
      %s = arith.addf %a, %d : tensor<64x32xf32>
      scf.yield %s : tensor<64x32xf32>
    }
    %e = math.exp %r : tensor<64x32xf32>
    %o = tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
    tt.store %o, %e : tensor<64x32x!tt.ptr<f32>>""",
    # Program y of the grid runs y + 1 trips.
    "causal": """
    %y = tt.get_program_id y : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %f = arith.constant 1.0 : f32
    %hi = arith.addi %y, %one : i32
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    scf.for %i = %zero to %hi step %one : i32 {
      %x = tt.load %p : tensor<128x!tt.ptr<f32>>
      %e = math.exp %x : tensor<128xf32>
      tt.store %p, %e : tensor<128x!tt.ptr<f32>>
    }""",
    # The bound of the loop is loaded.
    "loaded_bound": """
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %n = tt.load %arg2 : !tt.ptr<i32>
    scf.for %i = %zero to %n step %one : i32 {
      %x = tt.load %p : tensor<128x!tt.ptr<f32>>
      tt.store %p, %x : tensor<128x!tt.ptr<f32>>
    }""",
    # One branch runs where z is 0. The other branch depends on data.
    "branches": """
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %x = tt.load %p : tensor<128x!tt.ptr<f32>>
    %zero = arith.constant 0 : i32
    %z = tt.get_program_id z : i32
    %first = arith.cmpi eq, %z, %zero : i32
    scf.if %first {
      %e = math.tanh %x : tensor<128xf32>
      tt.store %p, %e : tensor<128x!tt.ptr<f32>>
    }
    %n = tt.load %arg2 : !tt.ptr<i32>
    %c = arith.cmpi eq, %n, %zero : i32
    scf.if %c {
      %e = math.sqrt %x : tensor<128xf32>
      tt.store %p, %e : tensor<128x!tt.ptr<f32>>
    }""",
    # A loop whose trips depend on what it carries: 1, 2, 4, ... below 100.
    "doubling": """
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %x = tt.load %p : tensor<128x!tt.ptr<f32>>
    %one = arith.constant 1 : i32
    %most = arith.constant 100 : i32
    %r = scf.while (%i = %one) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %most : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%j: i32):
      %e = math.exp %x : tensor<128xf32>
      tt.store %p, %e : tensor<128x!tt.ptr<f32>>
      %k = arith.addi %j, %j : i32
      scf.yield %k : i32
    }""",
    # An i1 that is true is -1 when its sign is extended: the program with y = 0 runs one trip, the others none.
    "extended_sign": """
    %y = tt.get_program_id y : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %x = tt.load %p : tensor<128x!tt.ptr<f32>>
    %first = arith.cmpi eq, %y, %zero : i32
    %minus = arith.extsi %first : i1 to i32
    %hi = arith.subi %zero, %minus : i32
    scf.for %i = %zero to %hi step %one : i32 {
      %e = math.exp %x : tensor<128xf32>
      tt.store %p, %e : tensor<128x!tt.ptr<f32>>
    }""",
    # A row is reduced and broadcast. A product feeds an addition, so that the two are one operation. Addresses, the
    # product with one and what repeats along a dimension cost nothing more.
    "rows": """
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<8x128x!tt.ptr<f32>>
    %ra = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %ea = tt.expand_dims %ra {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %ba = tt.broadcast %ea : tensor<1x128xi32> -> tensor<8x128xi32>
    %rb = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %eb = tt.expand_dims %rb {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %bb = tt.broadcast %eb : tensor<8x1xi32> -> tensor<8x128xi32>
    %sum = arith.addi %ba, %bb : tensor<8x128xi32>
    %pp = tt.addptr %p, %sum : tensor<8x128x!tt.ptr<f32>>, tensor<8x128xi32>
    %x = tt.load %pp : tensor<8x128x!tt.ptr<f32>>
    %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %w = arith.maxnumf %a, %b : f32
      tt.reduce.return %w : f32
    }) : (tensor<8x128xf32>) -> tensor<8xf32>
    %c1 = arith.constant 1.0 : f32
    %s1 = tt.splat %c1 : f32 -> tensor<8x128xf32>
    %y = arith.mulf %x, %s1 : tensor<8x128xf32>
    %me = tt.expand_dims %m {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
    %mb = tt.broadcast %me : tensor<8x1xf32> -> tensor<8x128xf32>
    %r = math.rsqrt %mb : tensor<8x128xf32>
    %t = arith.mulf %y, %r : tensor<8x128xf32>
    %u = arith.addf %t, %mb : tensor<8x128xf32>
    tt.store %pp, %u : tensor<8x128x!tt.ptr<f32>>""",
    # Work that is not known.
    "unknown_function": """
    %p = tt.splat %arg1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %x = tt.load %p : tensor<128x!tt.ptr<f32>>
    %e = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (tensor<128xf32>) -> tensor<128xf32>
    %g = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<128xf32>) -> tensor<128xf32>
    tt.store %p, %e : tensor<128x!tt.ptr<f32>>
    tt.store %p, %g : tensor<128x!tt.ptr<f32>>""",
}

MOSAIC = {
    # 2 x 3 blocks of 256 threads: the first warpgroup multiplies, one thread of the second waits for transfers.
    "threads": """
  func.func @main(%t: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c256 = arith.constant 256 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c3, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
      %id = gpu.thread_id x
      %c128 = arith.constant 128 : index
      %wg = arith.divui %id, %c128 : index
      %elect = nvvm.elect.sync -> i1
      %f = arith.constant dense<1.0> : vector<2xf32>
      %zero = arith.constant 0 : index
      %bytes = arith.constant 4096 : i32
      %bar = llvm.mlir.zero : !llvm.ptr<3>
      scf.index_switch %wg
      case 0 {
        scf.for %i = %zero to %c3 step %c1 {
          llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {$0}, $1;", "" : () -> ()
          llvm.inline_asm "ex2.approx.ftz.f32 $0, $1;", "" : () -> ()
          %g = arith.addf %f, %f : vector<2xf32>
        }
        scf.yield
      }
      default {
        %b = gpu.block_id x
        %first = arith.cmpi eq, %b, %zero : index
        %both = arith.andi %first, %elect : i1
        scf.if %both {
          llvm.inline_asm has_side_effects "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;", "r,r" %bar, %bytes : (!llvm.ptr<3>, i32) -> ()
        }
        scf.yield
      }
      gpu.terminator
    }
    return
  }""",
}


def main():
    for name, body in TRITON.items():
        with ir.Context() as context, ir.Location.unknown():
            dialect.register_dialect(context)
            context.load_all_available_dialects()
            arguments = "%arg0: !tt.ptr<bf16>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<i32>"
            module = ir.Module.parse(f"tt.func public @{name}({arguments}) {{{body}\n    tt.return\n}}")
            module.operation.verify()
            out = io.BytesIO()
            module.operation.write_bytecode(out)
            open(f"gpu_{name}.mlirbc", "wb").write(out.getvalue())
    from jax._src.interpreters import mlir
    from jax._src.lib import mosaic_gpu_dialect
    from jax.experimental.mosaic.gpu import core

    for name, body in MOSAIC.items():
        with mlir.make_ir_context() as context, ir.Location.unknown():
            mosaic_gpu_dialect.register_dialect(context)
            context.load_all_available_dialects()
            module = core._run_serde_pass(ir.Module.parse(body), serialize=True, ir_version=None)
            out = io.BytesIO()
            module.operation.write_bytecode(out, desired_version=0)
            open(f"gpu_{name}.mlirbc", "wb").write(out.getvalue())


main()
