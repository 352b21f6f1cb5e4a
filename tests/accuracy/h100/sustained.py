"""Rates of products, attention and streams over seconds, with the clock and the power of the GPU."""

import sys, os, threading

sys.path.insert(0, os.path.dirname(__file__))
from measure import *
import pynvml

pynvml.nvmlInit()
H = pynvml.nvmlDeviceGetHandleByIndex(0)
print("power limit", pynvml.nvmlDeviceGetEnforcedPowerLimit(H) / 1000, pynvml.nvmlDeviceGetName(H))
bf, f32, f8 = jnp.bfloat16, jnp.float32, jnp.float8_e4m3fn
rows = []


def sample(stop, out):
    t0 = time.perf_counter()
    while not stop.is_set():
        try:
            out.append(
                (
                    time.perf_counter(),
                    pynvml.nvmlDeviceGetClockInfo(H, pynvml.NVML_CLOCK_SM),
                    pynvml.nvmlDeviceGetPowerUsage(H) / 1000,
                    pynvml.nvmlDeviceGetTemperature(H, 0),
                )
            )
        except Exception as e:
            print(e)
            return
        time.sleep(0.02)


def loop(name, fn, args, work, seconds=2.5, unit=1e12):
    c = jax.jit(fn).lower(*args).compile()
    jax.block_until_ready(c(*args))
    time.sleep(1.0)
    stop, out = threading.Event(), []
    th = threading.Thread(target=sample, args=(stop, out))
    th.start()
    t0 = time.perf_counter()
    marks = []
    one = None
    # Batches of calls that take about 10 ms, so that the rate is seen as it falls.
    n = 1
    t = time.perf_counter()
    jax.block_until_ready(c(*args))
    one = time.perf_counter() - t
    n = max(1, int(0.01 / one))
    t0 = time.perf_counter()
    pending = None
    while time.perf_counter() - t0 < seconds:
        for _ in range(n):
            r = c(*args)
        if pending is not None:
            jax.block_until_ready(pending)
            marks.append(time.perf_counter() - t0)
        pending = r
    jax.block_until_ready(pending)
    marks.append(time.perf_counter() - t0)
    stop.set()
    th.join()
    rates = [(m1, work * n / (m1 - m0) / unit) for m0, m1 in zip(marks, marks[1:])]

    def mean(a, b):
        x = [m for m in [0] + marks if a <= m <= b]
        return work * n * (len(x) - 1) / (x[-1] - x[0]) / unit if len(x) > 1 else 0

    late = [o for o in out if o[0] - t0 > 0.6 * seconds]
    line = [name, n] + [
        "%.1f" % mean(a, b)
        for a, b in ((0, 0.03), (0.03, 0.06), (0.06, 0.1), (0.1, 0.2), (0.2, 0.5), (0.5, 1), (1, 1.5), (1.5, seconds))
    ]
    line += [statistics.median(o[1] for o in late), "%.0f" % statistics.median(o[2] for o in late), late[-1][3]]
    print(*line, flush=True)
    rows.append(line)


key = jax.random.key(0)


def rnd(shape, d):
    return jax.random.normal(key, shape, bf).astype(d)


print("name batch r30ms r60 r100 r200 r500 r1000 r1500 rlast clock power temp")
dot = lambda a, b: jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=a.dtype)
for n in (2048, 4096, 8192, 16384):
    a, b = rnd((n, n), bf), rnd((n, n), bf)
    loop(f"bf16_{n}", dot, (a, b), 2 * n**3)
a = jnp.zeros((8192, 8192), bf)
loop("bf16_8192_zeros", dot, (a, a), 2 * 8192**3)
a, b = rnd((8192, 8192), bf) * 0.02, rnd((8192, 8192), bf)
loop("bf16_8192_small", dot, (a, b), 2 * 8192**3)
a, b = rnd((8192, 4096), bf), rnd((4096, 28672), bf)
loop("bf16_8192x28672x4096", dot, (a, b), 2 * 8192 * 4096 * 28672)
a, b = rnd((8192, 8192), f32), rnd((8192, 8192), f32)
loop("tf32_8192", dot, (a, b), 2 * 8192**3)
a, b = rnd((8192, 8192), f32), rnd((8192, 8192), f32)
loop("f32_highest_8192", lambda a, b: jax.lax.dot(a, b, precision="highest"), (a, b), 2 * 8192**3, 2)
for n in (4096, 8192):
    a, b = rnd((n, n), f8), rnd((n, n), f8)
    loop(
        f"f8_{n}",
        lambda a, b: jax.lax.dot_general(a.astype(bf), b.astype(bf), (((1,), (1,)), ((), ()))) * jnp.bfloat16(2),
        (a, b),
        2 * n**3,
    )
a = jax.random.randint(key, (8192, 8192), -127, 127, jnp.int8)
loop(
    "s8_8192",
    lambda a, b: jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32),
    (a, a),
    2 * 8192**3,
)
for d, s, b in ((128, 4096, 4), (64, 4096, 4), (128, 16384, 1)):
    q = rnd((b, s, 2048 // d, d), bf)
    att = lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn")
    loop(f"att_fwd_{d}_{s}", att, (q, q, q), 2 * b * s * s * 2048)
    loop(f"att_bwd_{d}_{s}", lambda q, k, v, t: jax.vjp(att, q, k, v)[1](t), (q, q, q, q), 2 * b * s * s * 2048 * 3.5)
x = rnd((2**28,), f32)
loop("stream_add1", lambda x: x + 1, (x,), 2 * 2**30, unit=1e9)
x = rnd((2**26,), bf)
loop("stream_gelu_bf16", lambda x: jax.nn.gelu(x), (x,), 2 * 2**27, unit=1e9)
