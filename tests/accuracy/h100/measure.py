"""Compiles programs, runs each under the profiler, and writes its HLO text and the time of each kernel."""

import csv, glob, os, sys, time, shutil, statistics, traceback, json
from concurrent.futures import ThreadPoolExecutor
import jax, jax.numpy as jnp
import numpy as np

START = time.time()
SMALL = bool(os.environ.get("TRY"))  # to try a script on a CPU
OUT = os.environ.get("OUT", "/tmp/out")


def elapsed():
    return time.time() - START


class Programs:
    def __init__(self):
        self.items = []

    def add(self, name, fn, *specs, donate=(), runs=None, options=None):
        self.items.append((name, fn, specs, donate, runs, options))


def shrunk(n):
    return max(16, n // 64) if SMALL and n > 64 else n


def make(spec, key):
    """A spec is (shape, dtype[, kind])."""
    shape, dtype = spec[0], spec[1]
    kind = spec[2] if len(spec) > 2 else None
    if kind == "zeros":
        return jnp.zeros(shape, dtype)
    if kind == "init":
        return (
            jax.random.normal(key, shape, jnp.bfloat16 if np.prod(shape) > 2**28 else jnp.float32)
            * (0.02 if len(shape) > 1 else 1)
        ).astype(dtype) + (0 if len(shape) > 1 else 1)
    if isinstance(kind, int):
        return jax.random.randint(key, shape, 0, kind, dtype)
    if jnp.issubdtype(dtype, jnp.integer):
        return jax.random.randint(key, shape, -100, 100).astype(dtype)
    return jax.random.normal(key, shape, jnp.bfloat16 if np.prod(shape) > 2**28 else jnp.float32).astype(dtype)


def is_spec(s):
    return (
        isinstance(s, tuple)
        and len(s) >= 2
        and isinstance(s[0], tuple)
        and all(isinstance(n, int) for n in s[0])
        and isinstance(s[1], type)
    )


def spec_of(spec):
    return jax.ShapeDtypeStruct(spec[0], spec[1])


def tree_specs(specs):
    return jax.tree.map(spec_of, specs, is_leaf=lambda s: is_spec(s))


def compile_all(programs, hlo_dir, workers=8):
    os.makedirs(hlo_dir, exist_ok=True)
    compiled = {}

    def one(item):
        name, fn, specs, donate, runs, options = item
        fn2 = lambda *a: fn(*a)
        fn2.__name__ = name
        begun = time.time()
        try:
            c = jax.jit(fn2, donate_argnums=donate).lower(*[tree_specs(s) for s in specs])
            c = c.compile(compiler_options=options)
            open(f"{hlo_dir}/{name}.hlo", "w").write(c.as_text())
            if time.time() - begun > 20:
                print(name, "compiled in %.0f s" % (time.time() - begun), flush=True)
            return name, c
        except Exception as e:
            print("COMPILE FAILED", name, str(e)[:300], flush=True)
            return name, None

    with ThreadPoolExecutor(workers) as pool:
        for name, c in pool.map(one, programs.items):
            compiled[name] = c
    return compiled


def events(folder):
    from jax.profiler import ProfileData

    out = []
    for f in glob.glob(folder + "/**/*.xplane.pb", recursive=True):
        data = ProfileData.from_file(f)
        for plane in data.planes:
            if "GPU" not in plane.name:
                continue
            for line in plane.lines:
                if "Stream" not in line.name:
                    continue
                for e in line.events:
                    st = {}
                    try:
                        for k, v in e.stats:
                            st[k] = v
                    except Exception:
                        pass
                    out.append(
                        (
                            line.name,
                            e.name,
                            st.get("hlo_module", ""),
                            st.get("hlo_op", ""),
                            e.start_ns,
                            e.duration_ns,
                            st,
                        )
                    )
    return out


def run_group(group, programs, deadline, runs=6, keep_trace=False, long_seconds=0, chunk=1000):
    base = f"{OUT}/{group}"
    os.makedirs(base, exist_ok=True)
    t0 = time.time()
    compiled = {}
    rows, walls, samples = [], [], []
    for index, (name, fn, specs, donate, nruns, _) in enumerate(programs.items):
        if index % chunk == 0:
            if elapsed() > deadline:
                print("out of time before", name, flush=True)
                break
            part = Programs()
            part.items = programs.items[index : index + chunk]
            t0 = time.time()
            compiled = compile_all(part, base + "/hlo")
            print(group, "compiled", len(compiled), "in %.1f s, at %.0f s" % (time.time() - t0, elapsed()), flush=True)
        c = compiled.get(name)
        if c is None:
            continue
        if elapsed() > deadline:
            print("out of time before", name, flush=True)
            break
        n = nruns or runs
        try:
            keys = iter(jax.random.split(jax.random.key(0), 4096))
            args = [jax.tree.map(lambda s: make(s, next(keys)), s, is_leaf=lambda s: is_spec(s)) for s in specs]

            def call():
                nonlocal args
                r = c(*args)
                if donate:
                    rs = r if isinstance(r, tuple) else (r,)
                    for i, d in enumerate(donate):
                        args[d] = rs[i]
                return r

            for _ in range(2):
                r = call()
            jax.block_until_ready(r)
            t = time.perf_counter()
            for _ in range(n):
                r = call()
            jax.block_until_ready(r)
            wall = (time.perf_counter() - t) / n
            if long_seconds and wall > 0.0005:
                m = max(3, int(long_seconds / wall))
                t = time.perf_counter()
                mid = None
                for i in range(m):
                    r = call()
                    if i % max(1, int(0.2 / wall)) == 0:
                        jax.block_until_ready(r)
                    if i == m // 2:
                        jax.block_until_ready(r)
                        mid = time.perf_counter()
                jax.block_until_ready(r)
                long = (time.perf_counter() - mid) / (m - 1 - m // 2)
            else:
                long = 0
            folder = f"/tmp/trace/{group}/{name}"
            shutil.rmtree(folder, ignore_errors=True)
            po = jax.profiler.ProfileOptions()
            po.host_tracer_level = 0
            po.python_tracer_level = 0
            with jax.profiler.trace(folder, profiler_options=po):
                for _ in range(n):
                    r = call()
                jax.block_until_ready(r)
            last = r if long_seconds else None
            del r, args
            ev = events(folder)
            if not samples and ev:
                samples.append(repr(ev[0]))
                print(repr(ev[0])[:1500], flush=True)
            for e in ev:
                rows.append((name, n, e[0], e[1][:160], e[2], e[3], e[4], e[5]))
            bad = (
                [
                    bool(jnp.isfinite(t.astype(jnp.float32)).all())
                    for t in jax.tree.leaves(last)
                    if jnp.issubdtype(t.dtype, jnp.floating)
                ]
                if last is not None
                else []
            )
            finite = all(bad)
            del last
            walls.append((name, n, wall * 1e6, long * 1e6))
            print(
                "%-28s finite %s wall %10.1f us, long %10.1f us, at %.0f s"
                % (name, finite, wall * 1e6, long * 1e6, elapsed()),
                flush=True,
            ) if long_seconds else None
            if not keep_trace:
                shutil.rmtree(folder, ignore_errors=True)
        except Exception as e:
            print("RUN FAILED", name, str(e)[:300], flush=True)
    with open(base + "/kernels.csv", "w") as f:
        w = csv.writer(f)
        w.writerow("program runs line kernel module op start_ns duration_ns".split())
        w.writerows(rows)
    with open(base + "/walls.csv", "w") as f:
        w = csv.writer(f)
        w.writerow("program runs wall_us long_us".split())
        w.writerows(walls)
    print(group, "done at %.0f s" % elapsed(), "programs", len(walls), "events", len(rows), flush=True)


def pack(group):
    os.system(f"cd {OUT} && tar c {group} | xz -T8 -2 > {group}.tar.xz && rm -r {group} && ls -l {group}.tar.xz")
