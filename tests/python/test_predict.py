"""Tests the inputs, results and errors of predictions."""

import dataclasses
import gzip
import pathlib
import pickle
import pydoc
import threading
import time
import types

import pytest

import hloroof
from hloroof import _prediction

PRODUCT = """HloModule product, is_scheduled=true

ENTRY main {
  lhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  rhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT product = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""


def test_a_product():
    p = hloroof.predict_step_time(PRODUCT, "tpu_v5e")
    assert p.totals.flops == 2 * 4096**3
    assert p.step_seconds > p.totals.flops / 197e12
    assert p.bound == "mxu"
    assert p.memory.fits and p.memory.arguments_bytes == 2 * 2 * 4096**2
    assert p.coverage.unknown == 0
    assert [op.name for op in p.top_ops(1)] == ["product"]


def test_to_dict_is_the_json_member_for_member(ffn):
    import json

    _, text = hloroof._core.predict(hloroof.parse(ffn), "tpu_v5e", hloroof._core.predict_options("tpu_v5e", "{}")).texts()
    data = json.loads(text)
    p = hloroof.predict_step_time(ffn, "tpu_v5e")
    assert p.to_dict() == data
    assert _prediction.StepPrediction.from_dict(data) == p
    longest = max(p.ops, key=lambda op: op.seconds)
    assert p.terms_of(longest) == p.terms[longest.terms] and p.terms_of(longest).seconds == pytest.approx(longest.seconds)
    assert any(op.terms is None for op in p.ops) and all(p.terms_of(op) is None for op in p.ops if op.terms is None)
    with pytest.raises(ValueError, match="hloroof.prediction/1"):
        _prediction.StepPrediction.from_dict({**data, "schema": "hloroof.prediction/1"})
    exposed = [c.exposed_seconds for c in p.top_collectives(99)]
    assert exposed == sorted(exposed, reverse=True) and len(exposed) == len(p.collectives) and len(p.top_collectives(2)) == 2
    assert len(p.ops) > 10 and len(p.collectives) > 3 and p.mesh and p.diagnostics


def test_results_are_plain(ffn):
    p = hloroof.predict_step_time(ffn, "tpu_v5e")
    again = pickle.loads(pickle.dumps(p))
    assert again == p and str(again) == str(p)
    assert repr(p).startswith("StepPrediction(jit_ffn on tpu_v5e 2x4: ") and ", bound by mxu" in repr(p)
    assert "step time" in str(p) and "TOTAL" in str(p)
    page = p._repr_html_()
    assert page.startswith("<h4>jit_ffn on tpu_v5e 2x4</h4>") and "fusion.2" in page
    with pytest.raises(AttributeError):
        p.step_seconds = 0


def test_html_escapes_what_the_program_says():
    text = PRODUCT.replace("rhs_contracting_dims={0}", 'rhs_contracting_dims={0}, metadata={op_name="<script>"}')
    assert "<script>" not in hloroof.predict_step_time(text, "tpu_v5e")._repr_html_()


def test_records_make_a_data_frame(ffn):
    pandas = pytest.importorskip("pandas")
    p = hloroof.predict_step_time(ffn, "tpu_v5e")
    frame = pandas.DataFrame(p.records())
    assert len(frame) == len(p.ops)
    assert frame["exposed_seconds"].sum() == pytest.approx(p.step_seconds, rel=0.01)
    assert set(frame["device"]) == {"tpu_v5e"}


class Compiled:
    """Quacks like jax.stages.Compiled."""

    def as_text(self):
        return PRODUCT


class Lowered:
    """Quacks like jax.stages.Lowered, whose as_text() is StableHLO unless asked for HLO."""

    def as_text(self, dialect=None, *, debug_info=False):
        return PRODUCT if dialect == "hlo" else "module @product {}"

    def compile(self):
        raise AssertionError("what was lowered is not to be compiled for whatever is at hand")


def test_what_a_program_may_be(tmp_path):
    expected = hloroof.predict_step_time(PRODUCT, "tpu_v5e")
    plain = tmp_path / "product.hlo"
    plain.write_text(PRODUCT)
    packed = tmp_path / "product.hlo.gz"
    packed.write_bytes(gzip.compress(PRODUCT.encode()))
    module = hloroof.parse(PRODUCT)
    for program in [
        plain,
        packed,
        str(plain),
        str(packed),
        PRODUCT.encode(),
        packed.read_bytes(),
        module,
        pickle.loads(pickle.dumps(module)),
        Compiled(),
        Lowered(),
    ]:
        assert hloroof.predict_step_time(program, "tpu_v5e") == expected
    with pytest.raises(hloroof.NotFoundError, match="missing.hlo"):
        hloroof.predict_step_time("missing.hlo", "tpu_v5e")
    assert repr(module) == "Module(product, 3 instructions)"
    assert module.is_scheduled and module.num_partitions == 1
    with pytest.raises(TypeError, match="expected HLO text, the path of a dump"):
        hloroof.predict_step_time(3, "tpu_v5e")


def test_errors_are_exceptions_with_the_whole_message():
    with pytest.raises(hloroof.InvalidInputError) as error:
        hloroof.predict_step_time(PRODUCT.replace("dot(lhs, rhs)", "dot(lhs, rhx)"), "tpu_v5e")
    assert isinstance(error.value, ValueError) and isinstance(error.value, hloroof.Error)
    message = str(error.value)
    assert message.startswith("<text>:6:") and "rhx" in message and message.splitlines()[2].strip().startswith("^")

    with pytest.raises(hloroof.NotFoundError, match="nearest are tpu_v5p, tpu_v5e"):
        hloroof.predict_step_time(PRODUCT, "tpu_v5x")
    with pytest.raises(LookupError):
        hloroof.explain(PRODUCT, "no_such_op", "tpu_v5e")
    unknown = PRODUCT.replace(" dot(", " frobnicate(")
    assert hloroof.predict_step_time(unknown, "tpu_v5e").coverage.unknown == 1
    with pytest.raises(hloroof.InvalidInputError, match="frobnicate"):
        hloroof.predict_step_time(unknown, "tpu_v5e", strict=True)
    with pytest.raises(ValueError, match="estimates"):
        hloroof.predict_step_time(PRODUCT, "tpu_v5e", estimates="guess")


def test_options_change_what_they_name(decode, tmp_path):
    base = hloroof.predict_step_time(decode, "tpu_v5e")
    slow = hloroof.predict_step_time(decode, "tpu_v5e", set={"hbm.bandwidth": 1e11})
    assert slow.step_seconds > 2 * base.step_seconds
    call = PRODUCT.replace(
        "dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        'custom-call(lhs, rhs), custom_call_target="mine"',
    )
    given = hloroof.predict_step_time(call, "tpu_v5e", custom_calls={"mine": {"seconds": 0.5}})
    assert given.step_seconds == pytest.approx(0.5, rel=0.01)
    assert [op.source for op in given.ops if op.name == "product"] == ["user"]
    with pytest.raises(ValueError, match="flips"):
        hloroof.predict_step_time(call, "tpu_v5e", custom_calls={"mine": {"flips": 1}})
    assert hloroof.predict_step_time(PRODUCT, "tpu_v5e", topology="4x4").device.topology == "4x4"


def test_the_options_of_all_functions():
    """The options are a TypedDict. A value of None, and the default of the library, are as if the option were not given."""
    keywords = hloroof.Options.__annotations__
    assert all(name in hloroof.predict_step_time.__doc__ for name in keywords)
    defaults = {name: None for name in keywords}
    defaults.update(estimates="model", default_trip_count=1, imbalance=1, strict=False, set={}, mesh_order=[], trip_counts={})
    step = hloroof.predict_step_time(PRODUCT, "tpu_v5e")
    assert step == step.what_if(**defaults) == hloroof.predict_step_time(PRODUCT, "tpu_v5e", **defaults)
    with pytest.raises(TypeError, match="tpology"):
        hloroof.predict_step_time(PRODUCT, "tpu_v5e", tpology="2x2")


def test_options_take_mappings_sequences_and_numbers_of_any_kind():
    class Count:
        def tolist(self):  # as the scalars and arrays of NumPy
            return 3

    loop = pathlib.Path(__file__).parents[2] / "examples" / "decode_step.v5e.hlo"
    step = hloroof.predict_step_time(loop, "tpu_v5e", default_trip_count=Count(), set=types.MappingProxyType({"hbm.bandwidth": "2x"}))
    assert step == hloroof.predict_step_time(loop, "tpu_v5e", default_trip_count=3, set={"hbm.bandwidth": "2x"})
    with pytest.raises(hloroof.InvalidInputError, match="slices: expected a whole number from 1"):
        hloroof.predict_step_time(PRODUCT, "tpu_v5e", slices=0)


def test_printing_shows_what_the_command_prints(decode):
    prediction = hloroof.predict_step_time(decode, "tpu_v5e")
    assert str(prediction).startswith(prediction.report(["summary", "breakdown"]))


def test_memory_means_the_peak_of_hbm(decode):
    """XLA's peak, which has host memory as well, is another number."""
    prediction = hloroof.predict_step_time(decode, "tpu_v5e")
    memory = dataclasses.replace(prediction.memory, peak_bytes=100, hbm_peak_bytes=1)
    offloaded = dataclasses.replace(prediction, memory=memory)
    assert "1 B of" in offloaded._repr_html_()


def test_help_describes_functions_and_fields():
    import hloroof.jax
    import hloroof.testing
    from hloroof import tune

    for module in (hloroof, hloroof.jax, hloroof.testing, tune):
        for name in module.__all__:
            value = getattr(module, name)
            assert not callable(value) or value.__doc__, name
            if dataclasses.is_dataclass(value):
                shown = [line for line in value.__doc__.splitlines() if line.startswith("- ")]
                fields = [f.name for f in dataclasses.fields(value) if not f.name.startswith("_")]
                assert [line.partition(":")[0] for line in shown] == [f"- {name}" for name in fields], name
    text = pydoc.render_doc(hloroof.StepPrediction, renderer=pydoc.plaintext)
    assert "- step_seconds: float - Predicted step time." in text and "prediction.what_if(" in text
    assert "- peak_bytes: float - " in hloroof.Memory.__doc__ and "- path: Optional[pathlib.Path] - " in hloroof.jax.CompiledProgram.__doc__


def test_the_other_functions(ffn):
    assert {"tpu_v5e", "tpu_v5p", "tpu_v6e", "h100_sxm"} <= set(hloroof.device_names())
    assert "Resources" in hloroof.report(ffn, "tpu_v5e", ["critical"])
    assert "Collective" in str(hloroof.explain(ffn, "all-gather.24", "tpu_v5e"))
    assert hloroof.html_report(ffn, "tpu_v5e").lstrip().startswith("<!")
    assert hloroof.count(PRODUCT)["flops"] == 2 * 4096**3
    assert hloroof.__version__.count(".") == 2


def test_a_device_file_of_ones_own(root, tmp_path):
    text = (root / "data" / "hardware" / "tpu_v5e.json").read_text()
    own = tmp_path / "own.json"
    own.write_text(text)
    ours = hloroof.predict_step_time(PRODUCT, str(own))
    assert ours.step_seconds == hloroof.predict_step_time(PRODUCT, "tpu_v5e").step_seconds


def test_the_gil_is_released():
    """A counting thread makes progress while another thread parses a large text."""
    lines = "".join(f"  a{i} = f32[8,128]{{1,0:T(8,128)}} add(p, p)\n" for i in range(200_000))
    text = f"HloModule large\nENTRY e {{\n  p = f32[8,128]{{1,0:T(8,128)}} parameter(0)\n{lines}  ROOT r = f32[8,128]{{1,0:T(8,128)}} add(p, p)\n}}\n"
    counted = []
    running = threading.Event()

    def count():
        running.set()
        while not stop.is_set():
            counted.append(time.monotonic())
            time.sleep(0)

    stop = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    running.wait()
    begin = time.monotonic()
    hloroof.parse(text)
    end = time.monotonic()
    stop.set()
    thread.join()
    # If the parser held the GIL, the counts would all be at the beginning and the end.
    inside = [t for t in counted if begin + 0.25 * (end - begin) < t < begin + 0.75 * (end - begin)]
    assert inside


def test_threads_agree(ffn):
    module = hloroof.parse(ffn)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(hloroof.predict_step_time(module, "tpu_v5e"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(result == results[0] for result in results)


def test_lists_of_kernels():
    path = pathlib.Path(__file__).parents[1] / "kernel" / "samples" / "looped.hlo"
    assumed = hloroof.predict_step_time(path, "tpu_v6e")
    stated = hloroof.predict_step_time(path, "tpu_v6e", kernel_lists={"looped_blocks.0": [2]})
    assert stated.totals.flops == 2 * 2 * 2 * 128**3 < assumed.totals.flops == 2 * 11 * 2 * 128**3
    assert stated.step_seconds < assumed.step_seconds
    with pytest.raises(ValueError, match="NAME.OPERAND"):
        hloroof.predict_step_time(path, "tpu_v6e", kernel_lists={"looped_blocks": [2]})
    with pytest.raises(hloroof.InvalidInputError, match="expected 1 number"):
        hloroof.predict_step_time(path, "tpu_v6e", kernel_lists={"looped_blocks.0": [2, 3]})
    with pytest.raises(hloroof.InvalidInputError, match="a list of integers"):
        hloroof.predict_step_time(path, "tpu_v6e", kernel_lists={"looped_blocks.0": [2.5]})
