"""hloroof.scale: a program at another size."""

from fractions import Fraction

import hloroof
import pytest


def test_scale_is_the_command(root):
    path = root / "tests/scale/mlp_step.v5e_8.hlo"
    scaled = hloroof.scale(path, "tpu_v5e", axes={"data": 16}, batch="2x")
    assert scaled["schema"] == "hloroof.scale/1"
    assert (scaled["given"]["devices"], scaled["scaled"]["devices"]) == (8, 16)
    assert scaled["given"]["step_seconds"] == hloroof.predict_step_time(path, "tpu_v5e").step_seconds
    assert scaled["scaled"]["step_seconds"] == hloroof.predict_step_time(scaled.program, "tpu_v5e").step_seconds
    assert [change["to"] for change in scaled.records()] == ["16", scaled["changes"][1]["to"]]
    assert "What is assumed" in str(scaled) and "2x4" in repr(scaled)
    assert scaled.program.num_partitions == 16


def test_forms_of_the_arguments(root):
    text = (root / "tests/scale/mlp_step.v5e_8.hlo").read_text()
    for batch in ("2x", 2, 2.0, Fraction(2), Fraction(4, 2)):
        assert hloroof.scale(text, "tpu_v5e", batch=batch) == hloroof.scale(text, "tpu_v5e", batch="2x")
    by_role = hloroof.scale(text, "tpu_v5e", axes={"data": 16})
    assert hloroof.scale(hloroof.parse(text), "tpu_v5e:4x4", axes={0: 16}).to_dict() == by_role.to_dict()
    assert hloroof.scale(text, "tpu_v5e", axes={0: 16}, set={"ici.link_bandwidth": "2x"})["scaled"] != by_role["scaled"]


def test_parts_and_factors(root):
    path = root / "tests/scale/mlp_step.v5e_8.hlo"
    with pytest.raises(hloroof.InvalidInputError, match='no parameter "nothing" with a dimension 1'):
        hloroof.scale(path, "tpu_v5e", axes={"data": 16}, shards={"nothing": 1})
    with pytest.raises(hloroof.InvalidInputError, match="layers"):
        hloroof.scale(path, "tpu_v5e", layers="many")
    plain = hloroof.scale(path, "tpu_v5e", axes={"data": 16})
    assert hloroof.scale(path, "tpu_v5e", axes={"data": 16}, as_given=True)["scaled"] == plain["scaled"]


def test_refusals(root):
    path = root / "tests/scale/mlp_step.v5e_8.hlo"
    with pytest.raises(hloroof.InvalidInputError, match="what to scale is not given"):
        hloroof.scale(path, "tpu_v5e")
    with pytest.raises(hloroof.InvalidInputError, match="hlo:5:4: error: parameter param_0.33 cannot be scaled"):
        hloroof.scale(path, "tpu_v5e", axes={"data": 24})
    with pytest.raises(hloroof.InvalidInputError, match="no factor"):
        hloroof.scale(path, "tpu_v5e", batch=-1)
    with pytest.raises(ValueError, match="layers"):
        hloroof.scale(path, "tpu_v5e", layers=0)
    with pytest.raises(TypeError, match="nonsense"):
        hloroof.scale(path, "tpu_v5e", layers=2, nonsense=1)
