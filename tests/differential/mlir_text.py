"""Checks that we read MLIR bytecode as MLIR does: mlir_text.py TOOL SAMPLES DUMPS...

For each body of a Pallas kernel below the folders DUMPS, for the files *.mlirbc in SAMPLES, and for modules that this script
generates in all versions of the format, MLIR and we must print the same text in the generic form, with locations. Comments and the
place of a module's own properties are not compared. Our print of f80 and f128 is known to differ.
"""

import base64
import hashlib
import io
import pathlib
import re
import sys

from parsers import SKIPPED, Ours, dumps

# The first or last line of a module that has properties or attributes.
MODULE_LINE = re.compile(r' *("builtin.module"\(\) <\{|\}\) \{.*\} : \(\) -> \(\) loc)')

# Attributes and types of the builtin dialect, each printed as the attribute of an operation.
CASES = """
affine_map<() -> ()>
affine_map<(d0) -> (d0)>
affine_map<(d0, d1) -> (d1, d0)>
affine_map<(d0, d1, d2) -> (d1, d2)>
affine_map<(d0)[s0] -> (d0 + s0 * 2, d0 floordiv 4)>
affine_map<(d0, d1)[s0, s1] -> ((d0 + d1) * 3 - s0 * 2 - 7, d0 - d1, -d0 + s1, (d0 mod 3) ceildiv 2, d0 - (d1 + s0))>
affine_map<(d0) -> (7)>
affine_map<(d0, d1) -> (0, d1)>
affine_set<(d0)[s0] : (d0 >= 0, d0 - s0 == 0)>
memref<4xf32>
memref<f32>
memref<4xf32, strided<[2], offset: 3>>
memref<4xf32, strided<[1]>>
memref<4xf32, strided<[?], offset: ?>>
memref<?x4xf32, affine_map<(d0, d1) -> (d1, d0)>, 1>
memref<4xf32, 1 : i32>
memref<*xf32>
memref<*xf32, 2>
vector<4x2xf32>
vector<[4]x2xf32>
tensor<*xf32>
tensor<2x?xf32, "e">
tensor<f32>
tuple<>
tuple<i32, f32>
complex<f32>
none
index
(i32) -> i32
() -> ()
() -> (i32, f32)
(i32) -> ((i32) -> i32)
si7
ui33
bf16
f16
f64
f80
f128
tf32
f8E5M2
f8E4M3
f8E4M3FN
f8E5M2FNUZ
f8E4M3FNUZ
f8E4M3B11FNUZ
f8E3M4
f4E2M1FN
f6E2M3FN
f6E3M2FN
f8E8M0FNU
!a.b<c>
#a.b<c>
true
false
-5 : i8
5 : ui8
-5 : si16
300 : i16
-3 : i64
9223372036854775807 : i64
18446744073709551615 : ui64
-1 : i70
1 : i128
-123456789012345678901234567890 : i128
5 : index
1.5 : f16
65504.0 : f16
1.0 : bf16
0.1 : bf16
0.001953125 : bf16
0xFF80 : bf16
0.1 : f32
-0.0 : f32
3.40282347E+38 : f32
-2.38197633E+38 : f32
0.707106769 : f32
1.44269502 : f32
1.17549435E-38 : f32
1.0E-45 : f32
123456.7 : f32
1234567.0 : f32
16777216.0 : f32
0x7FC00000 : f32
0x7F800000 : f32
0.1 : f64
1.0e300 : f64
4.9e-324 : f64
2.2250738585072014e-308 : f64
123456789.0 : f64
0.3333333333333333 : f64
0.0009765625 : f64
0x7FF8000000000001 : f64
448.0 : f8E4M3FN
0x7F : f8E4M3FN
57344.0 : f8E5M2
0x80 : f8E4M3FNUZ
240.0 : f8E4M3FNUZ
0.001953125 : f8E4M3
30.0 : f8E4M3B11FNUZ
6.0 : f4E2M1FN
7.5 : f6E2M3FN
28.0 : f6E3M2FN
0.25 : f8E8M0FNU
15.5 : f8E3M4
0.1 : tf32
"a\\22b\\5C\\0A\\C3\\A9"
""
"x" : i32
@a
@"a b"
@a::@b::@"c d"
unit
[]
[1, 2 : i32, 1.0, 1.0 : f32, unit, [true]]
{}
{a = 1 : i32, b, "c d" = [1], e.f$ = {x}}
array<i1: true, false>
array<i8: -1, 2>
array<f32: 1.5, 0.1>
array<i64>
dense<1> : vector<4xi32>
dense<[1, -2]> : tensor<2xi64>
dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
dense<> : tensor<0xi32>
dense<5> : tensor<i32>
dense<[true, false, true]> : tensor<3xi1>
dense<true> : tensor<3xi1>
dense<false> : tensor<9xi1>
dense<[true, true, true, true, true, true, true, true, false]> : tensor<9xi1>
dense<true> : tensor<i1>
dense<[1, 2]> : tensor<2xi4>
dense<[1, -2]> : vector<2xindex>
dense<[1.0, 0.1]> : tensor<2xbf16>
dense<0xFF800000> : vector<8x128xf32>
dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i32>>
dense<["a", "b"]> : tensor<2x!a.b>
dense<"a"> : tensor<2x!a.b>
sparse<[[0]], [1.0]> : tensor<2xf32>
distinct[0]<1 : i32>
loc(unknown)
loc("f":1:2)
loc("f":1:2 to 3:4)
loc("f":1:2 to :4)
loc("n")
loc("n"("f":1:2))
loc(callsite("a" at "b"("f":1:2)))
loc(fused["a", "b"])
loc(fused<1 : i32>["a"])
dense_resource<key> : tensor<4xi8>
""".strip().splitlines()
CASES.append("dense<[%s]> : tensor<120xi16>" % ", ".join(map(str, range(120))))
CASES.append("dense<[%s]> : tensor<120xf32>" % ", ".join("%d.5" % i for i in range(120)))

MODULES = [
    """module @n attributes {a.x = 1 : i32} {
  "a.b"() ({
  ^bb0(%a: i32 loc("x":1:1), %b: i32):
    %0:2 = "a.c"(%a, %a, %b)[^bb1, ^bb2] : (i32, i32, i32) -> (i32, index)
  ^bb1:
    "a.d"(%0#1)[^bb1] : (index) -> ()
  ^bb2(%c: i32):
    %1 = "a.e"(%c, %0#0) ({
      %2 = "r"() : () -> i32
      "a.y"(%2, %c) : (i32, i32) -> ()
    }, {
    }, {
    ^bb0:
    }) : (i32, i32) -> f32
  }) : () -> ()
  "a.f"(%8, %9#1) : (f32, i1) -> ()
  %8 = "a.g"() : () -> f32
  %9:2 = "a.h"(%8) : (f32) -> (i1, i1)
}""",
    # Isolated regions, which are sections of their own from version 2 on.
    """module { module @inner { module { "a.b"() : () -> () } } "a.c"() ({ module { } }) : () -> () }""",
    """"a.b"() {x = dense_resource<k> : tensor<4xi8>} : () -> ()
{-# dialect_resources: { builtin: { k: "0x0400000001020304" } } #-}""",
]


def import_mlir():
    try:
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _tpu_ext
    except ImportError:
        print("skipped: this Python has no jaxlib with MLIR bindings")
        sys.exit(SKIPPED)
    context = ir.Context()
    context.allow_unregistered_dialects = True
    _tpu_ext.register_dialect(context)
    return ir, context


def bodies(folders):
    """The different bodies of the dumps, by the dump that has them first."""
    seen = set()
    for path in dumps(folders):
        for match in re.finditer(rb'"body": ?"([A-Za-z0-9+/=]+)"', path.read_bytes()):
            body = base64.b64decode(match.group(1))
            digest = hashlib.sha1(body).digest()
            if digest not in seen:
                seen.add(digest)
                yield path.name, body


def generated(ir, context):
    """Bytecode of MODULES and CASES in each version."""
    for source in MODULES + ['"a.b"() {x = %s} : () -> ()' % case for case in CASES]:
        try:
            module = ir.Module.parse(source, context)
        except ir.MLIRError as error:
            # An older MLIR does not know all types.
            print("not read by MLIR: %s: %s" % (source, str(error).splitlines()[1:2]))
            continue
        for version in range(7):
            output = io.BytesIO()
            module.operation.write_bytecode(output, desired_version=version)
            yield "version %d of %s" % (version, source[:200]), output.getvalue()


def normalized(text):
    """The lines to compare, and the sorted names of modules."""
    # Comments behind block labels name the predecessors.
    text = re.sub(r"^( *\^bb.*:)  //.*$", r"\1", text, flags=re.M)
    # A context makes the keys of resources unique.
    text = re.sub(r"dense_resource<(\w+?)(_\d+)?>", r"dense_resource<\1>", text)
    # MLIR prints the name of a module as a property. Before version 5 it is an attribute in the bytes, and from then on it is in
    # properties that only the dialect can decode.
    names = re.findall(r'\bsym_name = "([^"]*)"', "\n".join(line for line in text.split("\n") if MODULE_LINE.match(line)))
    text = re.sub(r'"builtin.module"\(\) <.*?> \(\{', '"builtin.module"() ({', text)
    lines = [
        re.sub(r"\{\} ", "", re.sub(r'(, )?sym_name = "[^"]*"', "", line)) if line.lstrip().startswith("}) {") else line
        for line in text.rstrip("\n").split("\n")
    ]
    return lines, sorted(names)


def main():
    tool, samples, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    ir, context = import_mlir()
    ours = Ours(tool)
    same = different = unread = operations = 0
    inputs = [(path.name, path.read_bytes()) for path in sorted(pathlib.Path(samples).glob("*.mlirbc"))]
    inputs += list(generated(ir, context))
    inputs += list(bodies(folders))
    for name, body in inputs:
        if not body.startswith(b"ML\xefR"):
            print("not bytecode: %s" % name)
            continue
        try:
            expected = ir.Module.parse(body, context).operation.get_asm(
                print_generic_op_form=True, use_local_scope=True, enable_debug_info=True
            )
        except ir.MLIRError as error:
            print("not read by MLIR: %s: %s" % (name, str(error).splitlines()[1:2]))
            unread += 1
            continue
        ok, answer = ours.ask("locations", body)
        if not ok:
            print("not read by us: %s: %s" % (name, answer))
            different += 1
            continue
        a, expected_names = normalized(expected)
        b, names = normalized(answer.decode("utf-8", "replace"))
        operations += sum(" : (" in line for line in a)
        has_decoded_names = body[4] >> 1 < 5
        if has_decoded_names and names != expected_names:
            print("the names of modules differ: %s and %s" % (expected_names, names))
            b = []
        if a == b:
            same += 1
            continue
        different += 1
        print("different: %s" % name)
        for line, (x, y) in enumerate(zip(a, b)):
            if x != y:
                print("  line %d\n    MLIR: %s\n    ours: %s" % (line + 1, x[:600], y[:600]))
                break
        else:
            print("  %d lines in MLIR, %d in ours" % (len(a), len(b)))
    print("%d modules equal (%d operations), %d different, %d not read by MLIR" % (same, operations, different, unread))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
