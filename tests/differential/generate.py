"""Random modules of one instruction in ENTRY, over all opcodes: the cases of counts.py --generate."""
import random

FLOATS = ["f32", "bf16", "f16", "f64", "f8e4m3fn"]
INTEGERS = ["s32", "u8", "s64", "u32", "s4", "s16"]
UNARY_FLOAT = """abs acos acosh asin asinh atanh cbrt ceil cosh cosine erf exponential exponential-minus-one floor
log log-plus-one logistic negate round-nearest-afz round-nearest-even rsqrt sign sine sinh sqrt tan tanh""".split()
UNARY_INTEGER = "abs negate not popcnt count-leading-zeros sign".split()
BINARY_FLOAT = "add subtract multiply divide remainder maximum minimum power atan2".split()
BINARY_INTEGER = "and or xor shift-left shift-right-arithmetic shift-right-logical add multiply mulhi".split()


class Case:
    """A module under construction. Parameters are created on demand."""

    def __init__(self, rng):
        self.rng = rng
        self.parameters = []
        self.computations = []

    def parameter(self, shape):
        self.parameters.append(shape)
        return f"p{len(self.parameters) - 1}"

    def text(self, instruction):
        lines = [f"  p{i} = {shape} parameter({i})" for i, shape in enumerate(self.parameters)]
        return "\n".join(["HloModule m", ""] + self.computations + ["ENTRY e {"] + lines + [f"  ROOT r = {instruction}", "}", ""])

    def reducer(self, dtype, n=1):
        """A reducer of n values with a few operations of each kind."""
        params = [f"  a{i} = {dtype}[] parameter({i})" for i in range(2 * n)]
        body, results = [], []
        for i in range(n):
            body.append(f"  sum{i} = {dtype}[] add(a{i}, a{n + i})")
            if self.rng.random() < 0.3:
                body.append(f"  tan{i} = {dtype}[] tanh(sum{i})")
                body.append(f"  mul{i} = {dtype}[] multiply(tan{i}, sum{i})")
                results.append(f"mul{i}")
            else:
                results.append(f"sum{i}")
        if n == 1:
            body[-1] = body[-1].replace("  ", "  ROOT ", 1)
        else:
            body.append(f"  ROOT all = ({', '.join([dtype + '[]'] * n)}) tuple({', '.join(results)})")
        self.computations.append("\n".join(["red {"] + params + body + ["}", ""]))
        return "red"

    def dims(self, rank=None, high=9):
        rank = self.rng.randint(0, 4) if rank is None else rank
        return [self.rng.randint(1, high) for _ in range(rank)]

    def layout(self, rank):
        order = list(range(rank))
        if self.rng.random() < 0.5:
            self.rng.shuffle(order)
        else:
            order.reverse()
        return "{" + ",".join(map(str, order)) + "}"

    def shape(self, dtype, dims, layout=True):
        bits = ":E(4)" if dtype == "s4" and dims and self.rng.random() < 0.5 else ""
        text = self.layout(len(dims)) if dims and (layout or bits) else ""
        return f"{dtype}[{','.join(map(str, dims))}]" + (text[:-1] + bits + "}" if text else "")


def elementwise(c):
    dims = c.dims()
    if c.rng.random() < 0.6:
        dtype, ops = c.rng.choice(FLOATS), c.rng.choice([UNARY_FLOAT, BINARY_FLOAT])
    else:
        dtype, ops = c.rng.choice(INTEGERS), c.rng.choice([UNARY_INTEGER, BINARY_INTEGER])
    shape, op = c.shape(dtype, dims), c.rng.choice(ops)
    count = 1 if ops in (UNARY_FLOAT, UNARY_INTEGER) else 2
    return c.text(f"{shape} {op}({', '.join(c.parameter(shape) for _ in range(count))})")


def mixed_types(c):
    dims = c.dims()
    f, i = c.shape("f32", dims), c.shape("s32", dims)
    kind = c.rng.choice(["compare", "select", "clamp", "convert", "bitcast-convert", "is-finite", "complex", "real", "reduce-precision", "stochastic-convert"])
    if kind == "compare":
        return c.text(f"{c.shape('pred', dims)} compare({c.parameter(f)}, {c.parameter(f)}), direction=GT")
    if kind == "select":
        return c.text(f"{f} select({c.parameter(c.shape('pred', dims))}, {c.parameter(f)}, {c.parameter(f)})")
    if kind == "clamp":
        return c.text(f"{f} clamp({c.parameter('f32[]')}, {c.parameter(f)}, {c.parameter('f32[]')})")
    if kind == "convert":
        return c.text(f"{c.shape(c.rng.choice(FLOATS + INTEGERS), dims)} convert({c.parameter(f)})")
    if kind == "bitcast-convert":
        return c.text(f"{i} bitcast-convert({c.parameter(f)})")
    if kind == "is-finite":
        return c.text(f"{c.shape('pred', dims)} is-finite({c.parameter(f)})")
    if kind == "complex":
        return c.text(f"{c.shape('c64', dims)} complex({c.parameter(f)}, {c.parameter(f)})")
    if kind == "real":
        return c.text(f"{f} {c.rng.choice(['real', 'imag'])}({c.parameter(c.shape('c64', dims))})")
    if kind == "reduce-precision":
        return c.text(f"{f} reduce-precision({c.parameter(f)}), exponent_bits=5, mantissa_bits=10")
    return c.text(f"{c.shape('bf16', dims)} stochastic-convert({c.parameter(f)}, {c.parameter(c.shape('u32', dims))})")


def data_movement(c):
    rank = c.rng.randint(1, 4)
    dims = c.dims(rank)
    dtype = c.rng.choice(FLOATS + INTEGERS)
    shape = c.shape(dtype, dims)
    kind = c.rng.choice(["copy", "reshape", "transpose", "reverse", "pad", "concatenate", "broadcast", "slice", "dynamic-slice",
                         "dynamic-update-slice", "iota", "opt-barrier", "tuple", "copy-start", "get-dimension-size"])
    if kind in ("copy", "opt-barrier"):
        return c.text(f"{shape} {kind}({c.parameter(shape)})")
    if kind == "reshape":
        n = 1
        for d in dims:
            n *= d
        return c.text(f"{c.shape(dtype, [n])} reshape({c.parameter(shape)})")
    if kind == "transpose":
        order = list(range(rank))
        c.rng.shuffle(order)
        return c.text(f"{c.shape(dtype, [dims[i] for i in order])} transpose({c.parameter(shape)}), dimensions={{{','.join(map(str, order))}}}")
    if kind == "reverse":
        return c.text(f"{shape} reverse({c.parameter(shape)}), dimensions={{0}}")
    if kind == "pad":
        pads = [(c.rng.randint(-1, 3) if d > 2 else c.rng.randint(0, 3), c.rng.randint(0, 3), c.rng.randint(0, 2)) for d in dims]
        out = [d + lo + hi + (d - 1) * mid for d, (lo, hi, mid) in zip(dims, pads)]
        return c.text(f"{c.shape(dtype, out)} pad({c.parameter(shape)}, {c.parameter(c.shape(dtype, []))}), padding={'x'.join('_'.join(map(str, p)) for p in pads)}")
    if kind == "concatenate":
        return c.text(f"{c.shape(dtype, [2 * dims[0]] + dims[1:])} concatenate({c.parameter(shape)}, {c.parameter(shape)}), dimensions={{0}}")
    if kind == "broadcast":
        return c.text(f"{c.shape(dtype, [c.rng.randint(1, 9)] + dims)} broadcast({c.parameter(shape)}), dimensions={{{','.join(str(i + 1) for i in range(rank))}}}")
    if kind == "slice":
        ranges = [(s, c.rng.randint(s + 1, d), c.rng.randint(1, 3)) for d in dims for s in [c.rng.randint(0, d - 1)]]
        out = [(e - s + t - 1) // t for s, e, t in ranges]
        return c.text(f"{c.shape(dtype, out)} slice({c.parameter(shape)}), slice={{{', '.join(f'[{s}:{e}:{t}]' for s, e, t in ranges)}}}")
    sizes = [c.rng.randint(1, d) for d in dims]
    index = c.rng.choice(["s32[]", "s64[]"])
    if kind == "dynamic-slice":
        at = ", ".join(c.parameter(index) for _ in dims)
        return c.text(f"{c.shape(dtype, sizes)} dynamic-slice({c.parameter(shape)}, {at}), dynamic_slice_sizes={{{','.join(map(str, sizes))}}}")
    if kind == "dynamic-update-slice":
        at = ", ".join(c.parameter(index) for _ in dims)
        return c.text(f"{shape} dynamic-update-slice({c.parameter(shape)}, {c.parameter(c.shape(dtype, sizes))}, {at})")
    if kind == "iota":
        return c.text(f"{shape} iota(), iota_dimension=0")
    if kind == "tuple":
        return c.text(f"({shape}, {shape}, s32[]) tuple({c.parameter(shape)}, {c.parameter(shape)}, {c.parameter('s32[]')})")
    if kind == "copy-start":
        return c.text(f"({shape}, {shape}, u32[]) copy-start({c.parameter(shape)})")
    return c.text(f"s32[] get-dimension-size({c.parameter(shape)}), dimensions={{0}}")


def dot(c):
    batch, lhs_free, rhs_free, contracting = (c.dims(c.rng.randint(0, 2)) for _ in range(4))
    dtype = c.rng.choice(FLOATS)
    lhs = batch + lhs_free + contracting
    rhs = batch + contracting + rhs_free
    b, n, k = len(batch), len(lhs_free), len(contracting)
    numbers = lambda first, count: "{" + ",".join(str(first + i) for i in range(count)) + "}"
    return c.text(f"{c.shape(dtype, batch + lhs_free + rhs_free)} dot({c.parameter(c.shape(dtype, lhs))}, {c.parameter(c.shape(dtype, rhs))}), "
                  f"lhs_batch_dims={numbers(0, b)}, rhs_batch_dims={numbers(0, b)}, "
                  f"lhs_contracting_dims={numbers(b + n, k)}, rhs_contracting_dims={numbers(b, k)}")


def convolution(c):
    spatial = c.rng.randint(0, 3)
    groups = c.rng.choice([1, 1, 2, 3])
    batch_groups = c.rng.choice([1, 1, 1, 2]) if groups == 1 else 1
    batch, cin, cout = c.rng.randint(1, 4) * batch_groups, c.rng.randint(1, 4), c.rng.randint(1, 4) * groups * batch_groups
    sizes, outs, ins, window = [], [], [], {"size": [], "stride": [], "pad": [], "lhs_dilate": [], "rhs_dilate": []}
    for _ in range(spatial):
        while True:
            i, k, s = c.rng.randint(1, 12), c.rng.randint(1, 6), c.rng.randint(1, 3)
            lo, hi, bd, wd = c.rng.randint(-1, 6), c.rng.randint(-1, 6), c.rng.randint(1, 4), c.rng.randint(1, 4)
            padded = (i - 1) * bd + 1 + lo + hi
            reach = (k - 1) * wd + 1
            if padded >= reach:
                break
        ins.append(i)
        sizes.append(k)
        outs.append((padded - reach) // s + 1)
        for key, v in zip(window, (k, s, f"{lo}_{hi}", bd, wd)):
            window[key].append(str(v))
    letters = "".join(map(str, range(spatial)))
    lhs_labels, rhs_labels, out_labels = ("".join(c.rng.sample(x + letters, len(x + letters))) for x in ("bf", "io", "bf"))
    value = {"b": batch, "f": cin * groups}
    lhs = [ins[int(x)] if x.isdigit() else value[x] for x in lhs_labels]
    rhs = [sizes[int(x)] if x.isdigit() else {"i": cin, "o": cout}[x] for x in rhs_labels]
    out = [outs[int(x)] if x.isdigit() else {"b": batch // batch_groups, "f": cout}[x] for x in out_labels]
    attributes = "" if not spatial else "window={" + " ".join(f"{k}={'x'.join(v)}" for k, v in window.items()) + "}, "
    return c.text(f"{c.shape('f32', out)} convolution({c.parameter(c.shape('f32', lhs))}, {c.parameter(c.shape('f32', rhs))}), "
                  f"{attributes}dim_labels={lhs_labels}_{rhs_labels}->{out_labels}, feature_group_count={groups}, batch_group_count={batch_groups}")


def reduction(c):
    dims = c.dims(c.rng.randint(1, 4))
    dtype = "f32"
    kind = c.rng.choice(["reduce", "reduce", "reduce-window", "reduce-broadcast", "map", "sort", "select-and-scatter"])
    shape = c.shape(dtype, dims)
    if kind == "reduce":
        n = c.rng.choice([1, 1, 2])
        which = sorted(c.rng.sample(range(len(dims)), c.rng.randint(1, len(dims))))
        out = c.shape(dtype, [d for i, d in enumerate(dims) if i not in which])
        result = out if n == 1 else f"({', '.join([out] * n)})"
        operands = [c.parameter(shape) for _ in range(n)] + [c.parameter(f"{dtype}[]") for _ in range(n)]
        return c.text(f"{result} reduce({', '.join(operands)}), dimensions={{{','.join(map(str, which))}}}, to_apply={c.reducer(dtype, n)}")
    if kind == "map":
        every = ",".join(map(str, range(len(dims))))
        return c.text(f"{shape} map({c.parameter(shape)}, {c.parameter(shape)}), dimensions={{{every}}}, to_apply={c.reducer(dtype)}")
    if kind == "sort":
        c.computations.append("less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=LT\n}\n")
        return c.text(f"{shape} sort({c.parameter(shape)}), dimensions={{0}}, to_apply=less")
    if kind == "reduce-broadcast":
        i = c.rng.randrange(len(dims))
        size = ["1"] * len(dims)
        pad = ["0_0"] * len(dims)
        size[i], pad[i] = str(2 * dims[i] - 1), f"{dims[i] - 1}_{dims[i] - 1}"
        return c.text(f"{shape} reduce-window({c.parameter(shape)}, {c.parameter('f32[]')}), window={{size={'x'.join(size)} pad={'x'.join(pad)}}}, to_apply={c.reducer(dtype)}")
    sizes = [c.rng.randint(1, d) for d in dims]
    strides = [c.rng.randint(1, 3) for _ in dims]
    out = [(d - k) // s + 1 for d, k, s in zip(dims, sizes, strides)]
    window = f"window={{size={'x'.join(map(str, sizes))} stride={'x'.join(map(str, strides))}}}"
    if kind == "reduce-window":
        return c.text(f"{c.shape(dtype, out)} reduce-window({c.parameter(shape)}, {c.parameter('f32[]')}), {window}, to_apply={c.reducer(dtype)}")
    c.computations.append("ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=GE\n}\n")
    return c.text(f"{shape} select-and-scatter({c.parameter(shape)}, {c.parameter(c.shape(dtype, out))}, {c.parameter('f32[]')}), {window}, select=ge, scatter={c.reducer(dtype)}")


def indexed(c):
    rows, width, picks = c.rng.randint(2, 20), c.rng.randint(1, 9), c.rng.randint(1, 6)
    table, picked, indices = c.shape("f32", [rows, width]), c.shape("f32", [picks, width]), c.shape("s32", [picks])
    if c.rng.random() < 0.5:
        return c.text(f"{picked} gather({c.parameter(table)}, {c.parameter(indices)}), offset_dims={{1}}, collapsed_slice_dims={{0}}, "
                      f"start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{width}}}")
    n = c.rng.choice([1, 2])
    result = table if n == 1 else f"({', '.join([table] * n)})"
    operands = [c.parameter(table) for _ in range(n)] + [c.parameter(indices)] + [c.parameter(picked) for _ in range(n)]
    return c.text(f"{result} scatter({', '.join(operands)}), update_window_dims={{1}}, inserted_window_dims={{0}}, "
                  f"scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply={c.reducer('f32', n)}")


def others(c):
    n, m = c.rng.randint(1, 20), c.rng.randint(1, 20)
    kind = c.rng.choice(["fft", "triangular-solve", "cholesky", "rng", "rng-bit-generator", "all-reduce", "all-gather", "reduce-scatter",
                         "all-to-all", "collective-permute", "custom-call", "infeed", "conditional", "while", "call", "ragged-dot", "batch-norm", "topk"])
    square, wide = f"f32[{n},{n}]", f"f32[{n},{m}]"
    if kind == "fft":
        return c.text(f"c64[{m},{n}] fft({c.parameter(f'c64[{m},{n}]')}), fft_type=FFT, fft_length={{{n}}}")
    if kind == "triangular-solve":
        return c.text(f"{wide} triangular-solve({c.parameter(square)}, {c.parameter(wide)}), lower=true, left_side=true, transpose_a=NO_TRANSPOSE")
    if kind == "cholesky":
        return c.text(f"{square} cholesky({c.parameter(square)}), lower=true")
    if kind == "rng":
        return c.text(f"{wide} rng({c.parameter('f32[]')}, {c.parameter('f32[]')}), distribution=rng_normal")
    if kind == "rng-bit-generator":
        return c.text(f"(u64[2], u32[{n}]) rng-bit-generator({c.parameter('u64[2]')}), algorithm=rng_three_fry")
    if kind == "all-reduce":
        return c.text(f"({wide}, {square}) all-reduce({c.parameter(wide)}, {c.parameter(square)}), replica_groups={{}}, to_apply={c.reducer('f32')}")
    if kind == "all-gather":
        return c.text(f"f32[{2 * n},{m}] all-gather({c.parameter(wide)}), replica_groups={{{{0,1}}}}, dimensions={{0}}")
    if kind == "reduce-scatter":
        return c.text(f"{wide} reduce-scatter({c.parameter(f'f32[{2 * n},{m}]')}), replica_groups={{{{0,1}}}}, dimensions={{0}}, to_apply={c.reducer('f32')}")
    if kind == "all-to-all":
        return c.text(f"f32[{2 * n},{m}] all-to-all({c.parameter(f'f32[{2 * n},{m}]')}), replica_groups={{{{0,1}}}}, dimensions={{0}}")
    if kind == "collective-permute":
        return c.text(f"{wide} collective-permute({c.parameter(wide)}), source_target_pairs={{{{0,1}},{{1,0}}}}")
    if kind == "custom-call":
        return c.text(f"({wide}, s8[3]) custom-call({c.parameter(wide)}, {c.parameter(square)}), custom_call_target=\"anything\"")
    if kind == "infeed":
        return c.text(f"(({wide}, {square}), token[]) infeed({c.parameter('token[]')})")
    if kind == "ragged-dot":
        return c.text(f"f32[{n},{m}] ragged-dot({c.parameter(square)}, {c.parameter(f'f32[3,{n},{m}]')}, {c.parameter('s32[3]')}), "
                      "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}")
    if kind == "batch-norm":
        return c.text(f"{wide} batch-norm-inference({c.parameter(wide)}, {', '.join(c.parameter(f'f32[{m}]') for _ in range(4))}), epsilon=0.1, feature_index=1")
    if kind == "topk":
        return c.text(f"(f32[{n},1], s32[{n},1]) topk({c.parameter(wide)}), k=1, largest=true")
    bodies = {"first": f"  n = {wide} tanh(a)\n  ROOT r = {wide} multiply(n, a)", "second": f"  b = {wide} negate(a)\n  ROOT r = {wide} copy(b)"}
    for name, body in bodies.items():
        c.computations.append(f"{name} {{\n  a = {wide} parameter(0)\n{body}\n}}\n")
    if kind == "call":
        return c.text(f"{wide} call({c.parameter(wide)}), to_apply=first")
    if kind == "conditional":
        return c.text(f"{wide} conditional({c.parameter('s32[]')}, {c.parameter(wide)}, {c.parameter(wide)}), branch_computations={{first, second}}")
    c.computations.append(f"until {{\n  a = {wide} parameter(0)\n  k = f32[] constant(1)\n  ROOT r = pred[] compare(k, k), direction=LT\n}}\n")
    return c.text(f"{wide} while({c.parameter(wide)}), condition=until, body=second")


def fused_computation(c, name, depth):
    """A computation over two arrays, an index and a tuple, with the users that decide how much of a parameter is read."""
    a, u, t = "f32[12,10]", "f32[3,10]", "(f32[12,10], (f32[3,10], s32[]))"
    lines = [f"  a = {a} parameter(0)", f"  b = {a} parameter(1)", "  i = s32[] parameter(2)", f"  t = {t} parameter(3)"]
    whole, part = ["a", "b"], []
    counter = 0

    def add(shape, instruction, into):
        nonlocal counter
        counter += 1
        lines.append(f"  v{counter} = {shape} {instruction}")
        into.append(f"v{counter}")

    inner = fused_computation(c, name + "n", depth - 1) if depth > 0 else None
    for _ in range(c.rng.randint(1, 9)):
        x, y = c.rng.choice(whole), c.rng.choice(whole)
        kind = c.rng.randrange(13 if inner else 12)
        if kind == 0:
            add(a, f"add({x}, {y})", whole)
        elif kind == 1:
            add(a, f"tanh({x})", whole)
        elif kind == 2:
            add(u, f"slice({x}), slice={{[0:3], [0:10]}}", part)
        elif kind == 3:
            add(u, f"dynamic-slice({x}, i, i), dynamic_slice_sizes={{3,10}}", part)
        elif kind == 4 and part:
            add(a, f"dynamic-update-slice({x}, {c.rng.choice(part)}, i, i)", whole)
        elif kind == 5:
            add(a, f"bitcast({x})", whole)
        elif kind == 6:
            add(a, f"reshape({x})", whole)
        elif kind == 7:
            add(a, "get-tuple-element(t), index=0", whole)
        elif kind == 8:
            add("(f32[3,10], s32[])", "get-tuple-element(t), index=1", [])
            add(u, f"get-tuple-element(v{counter}), index=0", part)
        elif kind == 9:
            add(a, "constant({...})", whole)
        elif kind == 10:
            add(a, "iota(), iota_dimension=0", whole)
        elif kind == 11:
            add("f32[12,10,2]", f"broadcast({x}), dimensions={{0,1}}", [])
            add(a, f"copy({x})", whole)
        elif kind == 12:
            add(a, f"fusion({x}, {y}, i, t), kind=kLoop, calls={inner}", whole)
    if c.rng.random() < 0.3:
        lines.append(f"  ROOT out = ({a}, {a}) tuple({whole[-1]}, {c.rng.choice(whole)})") if depth == FUSION_DEPTH else None
    if not lines[-1].startswith("  ROOT"):
        lines[-1] = lines[-1].replace("  ", "  ROOT ", 1) if lines[-1].startswith(f"  {whole[-1]} ") else lines[-1]
    if "ROOT" not in lines[-1]:
        lines.append(f"  ROOT out = {a} negate({whole[-1]})")
    c.computations.append("\n".join([f"{name} {{"] + lines + ["}", ""]))
    return name


FUSION_DEPTH = 2


def fusion(c):
    name = fused_computation(c, "f", FUSION_DEPTH)
    a = "f32[12,10]"
    result = f"({a}, {a})" if f"ROOT out = ({a}" in c.computations[-1] else a
    operands = [c.parameter(x) for x in (a, a, "s32[]", f"({a}, (f32[3,10], s32[]))")]
    return c.text(f"{result} fusion({', '.join(operands)}), kind={c.rng.choice(['kLoop', 'kInput', 'kOutput', 'kCustom'])}, calls={name}")


FAMILIES = [elementwise, mixed_types, data_movement, dot, convolution, convolution, reduction, indexed, others, others, fusion, fusion, fusion]


def cases(count, seed):
    """`count` pairs of family and module text, the same for the same seed."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        family = rng.choice(FAMILIES)
        made.append((family.__name__, family(Case(rng))))
    return made
