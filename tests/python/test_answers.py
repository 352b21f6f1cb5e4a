"""What a prediction answers: the same as the command, with the options that it was made with."""

import concurrent.futures
import gc
import json
import pickle
import re
import sys
import warnings
import xml.etree.ElementTree as ElementTree

import pytest

import hloroof

PRODUCT = """HloModule product, is_scheduled=true

ENTRY main {
  lhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  rhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT product = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""


@pytest.fixture
def prediction(ffn):
    return hloroof.predict_step_time(ffn, "tpu_v5e")


def members_of(root, schema):
    return set(json.loads((root / "tests" / "describe" / "schema" / f"{schema}.schema.json").read_text())["properties"])


def test_explain(root, prediction):
    answer = prediction.explain("all-gather.24")
    assert "Collective" in str(answer) and repr(answer) == str(answer).rstrip("\n")
    assert set(answer) == members_of(root, "explanation")
    assert answer["name"] == "all-gather.24" and answer["step_seconds"] == prediction.step_seconds
    assert str(prediction.explain("gather.24")) == str(answer)
    assert str(prediction.explain("all-gather.24", width=0)) != str(answer)
    with pytest.raises(hloroof.NotFoundError, match="all-gather.24"):
        prediction.explain("all-gather.2")


@pytest.fixture
def predictions(monkeypatch):
    """The devices of all predictions that the library makes for a StepPrediction."""
    made = []
    predict = hloroof._core.predict

    def counted(module, device, options):
        made.append(device)
        return predict(module, device, options)

    monkeypatch.setattr(hloroof._core, "predict", counted)
    return made


def test_all_answers_are_of_one_prediction(ffn, predictions):
    step = hloroof.predict_step_time(ffn, "tpu_v5e")
    first = str(step.explain("fusion.2"))
    assert all(str(step.explain("fusion.2")) == first for _ in range(9))
    step.report(), step.html(), step.trace(), step._repr_html_(), step.by_layer()
    assert predictions == ["tpu_v5e"]
    other = step.what_if("tpu_v6e")
    step.diff(other), other.diff(step), other.explain("fusion.2")
    assert predictions == ["tpu_v5e", "tpu_v6e"]
    again = pickle.loads(pickle.dumps(step))
    assert len(predictions) == 2  # until something asks
    assert str(again.explain("fusion.2")) == str(again.explain("fusion.2")) == first
    assert predictions == ["tpu_v5e", "tpu_v6e", "tpu_v5e"]


def test_views_that_show_what_ifs_have_them(prediction):
    assert re.search(r"^  ici .* ms +[\d.]+x$", prediction.report(["critical"]), re.M)  # the step if it were free


def test_sensitivity(prediction):
    assert prediction.sensitivity is None
    asked = prediction.what_if(sensitivity=True)
    numbers = {row.path: row for row in asked.sensitivity.numbers}
    link = numbers["ici.link_bandwidth"]
    assert link.saved_seconds > 0 > link.elasticity
    assert prediction.what_if(set={link.path: link.better_value}).step_seconds == link.step_seconds
    assert asked.sensitivity.free_ops[0].saved_seconds > 0
    assert "ici.link_bandwidth" in prediction.report(["sensitivity"])


def test_a_prediction_keeps_its_program(ffn):
    predicted = hloroof._core.predict(hloroof.parse(ffn), "tpu_v5e", hloroof._core.predict_options("tpu_v5e", "{}"))
    gc.collect()
    assert "fusion.2" in predicted.explain("fusion.2", 80)[0] and "<svg" in predicted.notebook() and predicted.html_report()


def test_threads_ask_one_prediction(prediction):
    names = [op.name for op in prediction.top_ops(8)]
    alone = [str(prediction.explain(name)) for name in names]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda name: str(prediction.explain(name)), names)) == alone


def test_options_are_kept(decode):
    slow = hloroof.predict_step_time(decode, "tpu_v5e", set={"hbm.bandwidth": "0.1x"})
    op = slow.top_ops(1)[0]
    assert slow.explain(op.name)["op"]["exposed_seconds"] == op.exposed_seconds
    assert slow.report(["summary"]).splitlines()[0] == str(slow).splitlines()[0]
    assert slow.what_if()._source.options == slow._source.options
    assert slow.what_if() == slow


def test_what_if(decode, ffn):
    base = hloroof.predict_step_time(decode, "tpu_v5e", set={"vector.f32_rate": "2x"})
    fast = base.what_if(set={"hbm.bandwidth": "2x"})
    assert list(fast.device.set) == ["vector.f32_rate", "hbm.bandwidth"]
    assert fast.step_seconds < base.step_seconds
    assert base.what_if("tpu_v6e").device.name == "tpu_v6e"
    assert base.what_if("tpu_v6e").device.set["vector.f32_rate"] != base.device.set["vector.f32_rate"]
    assert base.what_if(set=None).device.set == {}
    sharded = hloroof.predict_step_time(ffn, "tpu_v5e").what_if(mesh={"data": 4, "model": 2})
    assert [axis.name for axis in sharded.mesh] == ["data", "model"]
    with pytest.raises(TypeError, match="tpology"):
        base.what_if(tpology="4x4")


def test_diff(root, prediction, ffn):
    assert set(prediction.diff(prediction)) == members_of(root, "diff")
    faster = prediction.what_if("tpu_v6e")
    answer = prediction.diff(faster, fail_if=["step>+2%", "step<1s"])
    assert answer["step_change_seconds"] == pytest.approx(faster.step_seconds - prediction.step_seconds)
    assert [gate["failed"] for gate in answer["gates"]] == [False, True]
    assert "matched ops" in str(answer)
    assert prediction.diff(ffn, fail_if="step>+0%")["step_change_seconds"] == 0
    assert prediction.diff(faster, group_by="category").records() == prediction.diff(faster, group_by="category")["groups"]
    with pytest.raises(ValueError, match="expected none, computation"):
        prediction.diff(ffn, group_by="colour")
    with pytest.raises(ValueError, match="step"):
        prediction.diff(ffn, fail_if="nonsense")


def test_sweep(root, prediction):
    answer = prediction.sweep(devices=["tpu_v5e", "tpu_v6e"], set={"hbm.bandwidth": ["1x", "2x"], "vector.f32_rate": 1e13})
    points = answer["points"]
    assert set(answer) == members_of(root, "sweep") and len(points) == 4
    assert points[0]["device"] == "tpu_v6e"  # the fastest first
    assert {point["set"]["vector.f32_rate"] for point in points} == {1e13}
    here = [point for point in points if point["device"] == "tpu_v5e" and point["factors"]["hbm.bandwidth"] == 1]
    expected = prediction.what_if(set={"vector.f32_rate": 1e13})
    assert [point["step_seconds"] for point in here] == [expected.step_seconds]
    assert "hbm.bandwidth" in str(answer)
    topologies = prediction.sweep(topologies=["2x4", "4x2"], order="none")["points"]
    assert [point["topology"] for point in topologies] == ["2x4", "4x2"]
    with pytest.raises(ValueError, match="expected none, step, hfu or memory"):
        prediction.sweep(order="colour")


def test_a_sweep_keeps_the_options(decode):
    base = hloroof.predict_step_time(decode, "tpu_v5e", set={"vector.f32_rate": "2x", "hbm.bandwidth": "2x"})
    rows = base.sweep(set={"hbm.bandwidth": ["1x", "2x"]})["points"]
    assert [row["factors"] for row in rows] == [{"vector.f32_rate": 2, "hbm.bandwidth": f} for f in (1, 2)]
    assert rows[1]["step_seconds"] == base.step_seconds


def test_points_of_a_sweep_that_cannot_be_predicted(prediction):
    with pytest.warns(UserWarning, match="2x2"):
        points = prediction.sweep(topologies=["2x2", "2x4"])["points"]
    assert [point["topology"] for point in points] == ["2x4"]
    with pytest.raises(hloroof.InvalidInputError, match="2x2"):
        prediction.sweep(topologies=["2x2"])
    with pytest.warns(UserWarning, match="jit_ffn was compiled for a TPU .*, and h100_sxm would run another program"):
        points = prediction.sweep(devices=["tpu_v5e", "h100_sxm"])["points"]
    assert [point["device"] for point in points] == ["tpu_v5e"]
    anywhere = prediction.what_if(allow_other_backend=True)
    assert len(anywhere.sweep(devices=["tpu_v5e", "h100_sxm"])["points"]) == 2


def profile_of(prediction, path, factor=1.25):
    """XProf's hlo_stats of a run in which each op took `factor` times its prediction."""
    lines = ["HLO op name,#Occurrences,Total self time (us)"]
    lines += [f"{op.name},{op.executions:g},{op.exposed_seconds * 1e6 * factor}" for op in prediction.ops]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_compare(root, prediction, tmp_path):
    answer = prediction.compare(profile_of(prediction, tmp_path / "hlo_stats.csv"))
    assert set(answer) == members_of(root, "comparison")
    assert answer["measured_op_seconds"] == pytest.approx(1.25 * prediction.step_seconds, rel=0.01)
    assert "fusion.2" in str(answer)
    with pytest.raises(hloroof.NotFoundError, match="missing.csv"):
        prediction.compare("missing.csv")
    (tmp_path / "other.csv").write_text("HLO op name,#Occurrences,Total self time (us)\nnothing,1,5\n")
    with pytest.raises(hloroof.InvalidInputError):
        prediction.compare(tmp_path / "other.csv")


def test_compare_folder(root):
    samples = root / "tests" / "profile" / "samples"
    answer = hloroof.compare(samples / "tpu")
    assert set(answer) == members_of(root, "comparison")
    assert answer["device"] == "tpu_v5e" and answer["device_kind"] == "TPU v5 lite"
    assert [device["host"] + " " + device["name"] for device in answer["devices"] if device["straggler"]] == ["host-b TPU:1"]
    assert hloroof.compare(samples / "cpu")["steps"] == 5
    assert hloroof.compare(samples / "cpu")["device"] == "cpu"
    with pytest.raises(hloroof.InvalidInputError, match="tpu_v5e is not one"):
        hloroof.compare(samples / "cpu", "tpu_v5e")
    with pytest.raises(ValueError, match="device="):
        hloroof.compare(samples / "tpu", set={"hbm.bandwidth": "2x"})


def test_files(prediction, tmp_path):
    page = prediction.html(tmp_path / "step.html")
    assert page.lstrip().startswith("<!") and (tmp_path / "step.html").read_text() == page
    trace = prediction.trace(str(tmp_path / "step.json"))
    assert (tmp_path / "step.json").read_text() == trace
    events = json.loads(trace)["traceEvents"]
    ends = [event["ts"] + event["dur"] for event in events if event.get("ph") == "X"]
    assert max(ends) == pytest.approx(1e6 * prediction.step_seconds)


def test_by_layer(decode):
    prediction = hloroof.predict_step_time(decode, "tpu_v5e")
    layers = prediction.by_layer()
    assert list(layers) == prediction.layers
    assert "Time in the step by layer" in str(layers)
    assert sum(layer.seconds for layer in layers if layer.depth == 0) == pytest.approx(prediction.step_seconds)


def test_devices(root, prediction):
    assert prediction.devices()["name"] == "tpu_v5e"
    assert set(prediction.devices()) == members_of(root, "device_numbers")
    assert hloroof.devices("h100_sxm")["name"] == "h100_sxm"
    listed = hloroof.devices()
    assert [device["name"] for device in listed["devices"]] == hloroof.device_names()
    assert [device["name"] for device in hloroof.devices("tpu_v5e", "tpu_v6e")["devices"]] == ["tpu_v5e", "tpu_v6e"]
    with pytest.raises(hloroof.NotFoundError):
        hloroof.devices("tpu_v99")


def test_tables(prediction):
    pandas = pytest.importorskip("pandas")
    assert len(prediction.to_pandas()) == len(prediction.ops)
    assert list(prediction.by_layer().to_pandas()["path"]) == [layer.path for layer in prediction.layers]
    sweep = prediction.sweep(set={"hbm.bandwidth": ["1x", "2x"]}).to_pandas()
    assert isinstance(sweep, pandas.DataFrame) and list(sweep["fits"]) == [True, True]
    assert len(hloroof.devices().to_pandas()) == len(hloroof.device_names())
    assert "path" in prediction.devices().to_pandas()


def test_tables_say_what_they_need(prediction, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        prediction.to_pandas()


def test_a_pickled_prediction_answers(prediction):
    data = pickle.dumps(prediction)
    again = pickle.loads(data)
    assert str(again.explain("fusion.2")) == str(prediction.explain("fusion.2"))
    assert again.what_if(set={"hbm.bandwidth": "2x"}) == prediction.what_if(set={"hbm.bandwidth": "2x"})
    assert len(pickle.dumps(pickle.loads(data))) == len(data)  # also if nobody asked


def test_a_prediction_from_json_says_that_it_has_no_program(prediction):
    bare = hloroof.StepPrediction.from_dict(prediction.to_dict())
    assert bare == prediction
    assert "<svg" not in bare._repr_html_()
    for question in (lambda: bare.explain("fusion.2"), bare.html, bare.what_if, lambda: prediction.diff(bare)):
        with pytest.raises(hloroof.Error, match="made from JSON and has no program"):
            question()


def test_answers_are_mappings(prediction):
    answer = prediction.explain("fusion.2")
    assert dict(answer) == answer.to_dict() and len(answer) == len(list(answer))
    assert pickle.loads(pickle.dumps(answer)).to_dict() == answer.to_dict()
    assert answer._repr_html_().startswith("<pre") and "<script" not in answer._repr_html_()
    rows = pickle.loads(pickle.dumps(prediction.by_layer()))
    assert rows == prediction.by_layer() and str(rows) == str(prediction.by_layer())


def drawings_of(page):
    """The inline SVG of a page, each parsed."""
    parts = ["<svg" + part.partition("</svg>")[0] + "</svg>" for part in page.split("<svg")[1:]]
    return [ElementTree.fromstring(part) for part in parts]


def test_the_drawings_of_a_notebook(prediction):
    page = prediction._repr_html_()
    timeline, roofline = drawings_of(page)
    names = {"{http://www.w3.org/2000/svg}" + name for name in ("svg", "title", "text", "path", "rect", "circle")}
    for drawing in (timeline, roofline):
        assert {element.tag for element in drawing.iter()} <= names
        assert drawing.get("fill") == "currentColor"  # that of the notebook, light or dark
    for hidden in ("<script", "<style", "http://", "https://", "url(", "onload"):
        assert hidden not in page.replace("http://www.w3.org/2000/svg", "")
    said = " ".join(text for text in timeline.itertext())
    assert "fusion.2: 2.60 ms, mxu" in said and "wait for the transfer of" in said and "11.9 ms" in said
    circles = [element for element in roofline.iter() if element.tag.endswith("circle")]
    assert len(circles) == sum(op.total_seconds > 0 for op in prediction.ops)
    for circle in circles:
        assert 0 <= float(circle.get("cx")) <= 860 and 0 <= float(circle.get("cy")) <= 320
    for bar in timeline.iter("{http://www.w3.org/2000/svg}rect"):
        assert 0 <= float(bar.get("x")) and float(bar.get("x")) + float(bar.get("width")) <= 861


def test_the_drawings_of_programs_without_work():
    for text in ["HloModule m\nENTRY e {\n  ROOT p = f32[8]{0} parameter(0)\n}\n", PRODUCT.replace(" dot(", " frobnicate(")]:
        page = hloroof.predict_step_time(text, "tpu_v5e")._repr_html_()
        for drawing in drawings_of(page):
            assert "nan" not in ElementTree.tostring(drawing, encoding="unicode").replace("dominant", "")


def test_the_drawings_of_hostile_names():
    """Names of instructions have no such characters; op_names and the parts of messages do."""
    name = "<b>&amp;'x/]]>"
    text = PRODUCT.replace("rhs_contracting_dims={0}", f'rhs_contracting_dims={{0}}, metadata={{op_name="{name}"}}')
    page = hloroof.predict_step_time(text, "tpu_v5e")._repr_html_()
    assert "<b>&amp;" not in page and "&lt;b&gt;&amp;amp;" in page
    assert len(drawings_of(page)) == 2


def test_the_size_of_the_drawings_does_not_grow_with_the_program():
    lines = "".join(
        f"  a{i} = f32[1024,1024]{{1,0:T(8,128)}} {'add' if i % 3 else 'exponential'}({f'a{i - 1}, p' if i % 3 else f'a{i - 1}'})\n"
        for i in range(1, 20_000)
    )
    text = (
        "HloModule long, is_scheduled=true\nENTRY e {\n  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n"
        f"  a0 = f32[1024,1024]{{1,0:T(8,128)}} add(p, p)\n{lines}"
        "  ROOT r = f32[1024,1024]{1,0:T(8,128)} add(a19999, p)\n}\n"
    )
    page = hloroof.predict_step_time(text, "tpu_v5e")._repr_html_()
    assert len(page) < 300_000
    assert len(drawings_of(page)) == 2


def test_a_gpu(decode):
    text = PRODUCT.replace(":T(8,128)(2,1)", "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = hloroof.predict_step_time(text, "h100_sxm")._repr_html_()
    assert "tensor" in " ".join(drawings_of(page)[0].itertext())
