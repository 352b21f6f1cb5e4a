"""hloroof.jax.reschedule(confirm=...): orders that are compiled to the end."""

import importlib.util
import subprocess
import sys

import pytest

import hloroof
import hloroof.jax
from hloroof._confirm import ConfirmedOrder, Finished, confirm_orders, device_assignment, judge, scheduled
from hloroof._hook import hooks as hooks_of_jax

CAME = ConfirmedOrder(found_seconds=10, final_seconds=9, compiler_seconds=12, memory_bytes=1000)


@pytest.mark.parametrize(
    "others, limit, kept, said",
    [
        # final seconds and bytes
        ([(8, 1000)], None, 1, "shortest predicted final text"),
        ([(8.5, 1000), (8, 900)], None, 2, "another order is better"),
        ([(9.5, 1000)], None, 0, "slower than that of the order that came in"),
        ([(9, 1000)], None, 0, "another order is better"),
        ([(9, 900)], None, 1, "shortest"),
        ([(8, 1100)], None, 0, "10 % more memory than the order that came in"),
        ([(8, 1010)], None, 1, "shortest"),
        ([(8, 1011)], None, 0, "1.1 % more memory"),
        ([(8, 1100), (8.5, 1000)], None, 2, "more memory"),
        ([(8, 1100)], 2000, 1, "shortest"),
        ([(8, 1100)], 500, 0, "1.2e+02 % more memory than the memory limit"),
        ([(None, None)], None, 0, "it does not compile"),
        ([], None, 0, ""),
    ],
)
def test_the_final_text_decides(others, limit, kept, said):
    orders = [CAME]
    for seconds, memory in others:
        reason = "it does not compile: too large" if seconds is None else ""
        orders.append(ConfirmedOrder(5, seconds, seconds, memory, reason=reason))
    judged = judge(orders, limit)
    assert judged.kept == kept
    assert [order.is_kept for order in judged.orders] == [index == kept for index in range(len(orders))]
    assert all(order.reason for order in judged.orders)
    assert not others or said in judged.orders[1].reason
    lines = str(judged).splitlines()
    assert len(lines) == 1 + len(orders) and lines[1].startswith("as it came")
    assert [": " in line and "not kept" not in line for line in lines[1:]].index(True) == kept


class Compiler:
    """Compiles nothing: a module is its own final text."""

    def __init__(self, *refused):
        self.refused = refused
        self.jobs = []

    def finish(self, job):
        self.jobs.append(job)
        if len(self.jobs) - 1 in self.refused:
            raise hloroof.CompileError("it crashed\nat some place")
        return Finished(str(hloroof.parse(job.proto)), 100)


@pytest.fixture
def orders(ffn):
    """The order that came in, and a better one."""
    module = hloroof.parse(ffn)
    edit = hloroof.Editor(module, "tpu_v5e:2x4")
    before = edit.step_seconds
    found = hloroof.reschedule(module, "tpu_v5e:2x4", trials=200, seconds=100)
    assert found.after.step_seconds <= before
    return [(found.program, found.after.step_seconds * 2), (module, before)]


def test_each_order_is_compiled_and_predicted(orders):
    compiler = Compiler()
    confirmed = confirm_orders(orders, compiler, "tpu_v5e:2x4", compiler_options={"a": "b"})
    assert [job.proto for job in compiler.jobs] == [module.to_proto() for module, _ in orders]
    assert compiler.jobs[0].options == {"a": "b"}
    for (module, seconds), order in zip(orders, confirmed.orders):
        assert order.found_seconds == seconds
        by_model = hloroof.predict_step_time(module, "tpu_v5e:2x4")
        assert (order.final_seconds, order.bound) == (by_model.step_seconds, by_model.bound)
        by_compiler = hloroof.predict_step_time(module, "tpu_v5e:2x4", estimates="compiler")
        assert order.compiler_seconds == by_compiler.step_seconds != order.final_seconds
        assert order.memory_bytes == 100


def test_an_order_that_does_not_compile_is_refused(orders):
    confirmed = confirm_orders(orders, Compiler(1), "tpu_v5e:2x4")
    assert confirmed.kept == 0 and confirmed.orders[1].reason == "it does not compile: it crashed"
    assert confirmed.orders[1].final_seconds is None
    with pytest.raises(hloroof.CompileError, match="crashed"):
        confirm_orders(orders, Compiler(0), "tpu_v5e:2x4")


MODULE = """HloModule m, is_scheduled=true, num_partitions=4

ENTRY main {
  p = bf16[8,128]{1,0} parameter(0)
  q = f8e4m3fn[8]{0} parameter(1)
  n = bf16[8,128]{1,0} negate(p)
  ROOT r = (bf16[8,128]{1,0}, s32[]) tuple(n, s32[] constant(1))
}
"""


def test_the_job_has_what_a_module_says():
    text = MODULE.replace("s32[] constant(1)", "c").replace("  ROOT", "  c = s32[] constant(1)\n  ROOT")
    job = scheduled(hloroof.parse(text), "tpu_v5e", {})
    assert job.arguments == [("bf16", (8, 128)), ("f8e4m3fn", (8,))]
    assert job.results == [("bf16", (8, 128)), ("s32", ())] and job.is_tuple
    assert list(job.devices) == [0, 1, 2, 3] and job.topology == "v5e:2x2"
    one = scheduled(hloroof.parse("HloModule m, is_scheduled=true\n\nENTRY main {\n  ROOT p = f32[8]{0} parameter(0)\n}\n"), "tpu_v5e", {})
    assert list(one.devices) == [0] and one.results == [("f32", (8,))] and not one.is_tuple
    assert scheduled(hloroof.parse(text), "tpu_v5e", {}, "4x4").topology == "v5e:4x4"
    with pytest.raises(ValueError, match="replicas"):
        scheduled(hloroof.parse(text.replace("num_partitions", "replica_count")), "tpu_v5e", {})
    with pytest.raises(ValueError, match="slices"):
        scheduled(hloroof.parse(text), "tpu_v5e:2x2*2", {})


def test_the_devices_of_a_proto():
    def field(number, value):
        return bytes([number << 3 | 2, len(value)]) + value

    def partition(*ids):
        return field(3, field(1, bytes(ids)))

    replicas = bytes([1 << 3, 1, 2 << 3, 2])
    assert device_assignment(field(1, b"m") + field(15, replicas + partition(3) + partition(1))) == [3, 1]
    assert device_assignment(field(15, field(3, bytes([1 << 3, 5])))) == [5]  # not packed
    assert device_assignment(field(1, b"m")) == []


def test_bad_arguments():
    with pytest.raises(ValueError, match="a number of orders"):
        hloroof.jax.reschedule("tpu_v5e", confirm=-1)
    with pytest.raises(ValueError, match="libtpu cannot compile for h100_sxm"):
        hloroof.jax.reschedule("h100_sxm", confirm=True)


@pytest.fixture
def compilers():
    pytest.importorskip("jax")
    if importlib.util.find_spec("libtpu") is None:
        pytest.skip("needs libtpu")
    try:
        hooks_of_jax()
    except ImportError as error:
        pytest.skip(str(error))


def run(code):
    """In a process of its own, because libtpu stays."""
    start = 'import os\nos.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")\n'
    done = subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
import hloroof, hloroof.jax
from jax.experimental import topologies
devices = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2").devices
mesh = jax.sharding.Mesh(np.array([devices[i] for i in (3, 1, 0, 2)]), ("d",))
split = jax.NamedSharding(mesh, jax.P("d", None))

def layers(x, ws):
    for w in ws:
        x = jnp.tanh(x @ w)
    return x, sum(w.astype(jnp.float32).sum() for w in ws)

def compiled():
    jax.clear_caches()
    array = jax.ShapeDtypeStruct((2048, 2048), jnp.bfloat16, sharding=split)
    return jax.jit(layers, donate_argnums=0).lower(array, [array] * 3).compile()
"""


def test_the_rest_of_a_compile_is_that_of_the_compile_itself(compilers):
    run(
        PROGRAM
        + """
from hloroof._confirm import Finisher, scheduled
from hloroof._hook import registered
seen = []
with registered(lambda proto: seen.append(proto), (), "post_scheduler", "tpu"):
    whole = compiled()
job = scheduled(hloroof.parse(seen[0]), "tpu_v5e:2x2", {})
assert job.devices == [3, 1, 0, 2], job.devices
with Finisher() as finisher:
    finished = finisher.finish(job)
stats = whole.memory_analysis()
assert finished.memory_bytes == max(stats.peak_memory_in_bytes,
    stats.argument_size_in_bytes + stats.output_size_in_bytes + stats.temp_size_in_bytes - stats.alias_size_in_bytes)
a, b = (hloroof.predict_step_time(text, "tpu_v5e:2x2") for text in (whole.as_text(), finished.text))
assert a.step_seconds == b.step_seconds and a.memory.hbm_peak_bytes == b.memory.hbm_peak_bytes, (a, b)
assert len(a.ops) == len(b.ops)
"""
    )


def test_a_compile_goes_on_with_the_confirmed_order(compilers, root):
    said = run(
        f"""
import sys
sys.path.insert(0, {str(root / "examples" / "python")!r})
import hloroof.jax, passes
how = dict(confirm=2, trials=300, seconds=100, on_error="raise", quiet=True)
with hloroof.jax.reschedule("tpu_v5e:2x2", platforms="tpu", **how) as seen:
    text = passes.compiled("tpu_v5e:2x2")
one, = seen
print(one)
if one.confirmation is None:
    assert not one.is_changed and not one.rescheduling.moves
else:
    print(one.confirmation)
    orders = one.confirmation.orders
    kept = orders[one.confirmation.kept]
    assert 2 <= len(orders) <= 3
    assert one.is_changed == (one.confirmation.kept > 0)
    assert hloroof.predict_step_time(text, "tpu_v5e:2x2").step_seconds == kept.final_seconds == one.step_seconds_after
    assert kept.final_seconds <= orders[0].final_seconds == one.step_seconds_before
    assert kept.memory_bytes <= 1.01 * orders[0].memory_bytes
"""
    )
    assert "post-scheduler" in said


def test_a_module_that_libtpu_refuses_is_an_error(compilers):
    run(
        PROGRAM
        + """
from hloroof._confirm import Finisher, scheduled
job = scheduled(hloroof.parse('''HloModule m, is_scheduled=true

ENTRY main {
  p = f32[8]{0} parameter(0)
  ROOT c = f32[8]{0} custom-call(p), custom_call_target="nobody knows this"
}
'''), "tpu_v5e", {})
with Finisher() as finisher:
    try:
        finisher.finish(job)
    except hloroof.CompileError as error:
        assert "nobody knows this" in str(error), error
    else:
        raise AssertionError("it compiled")
"""
    )
