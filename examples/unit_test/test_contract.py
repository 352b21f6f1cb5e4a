"""Contracts of programs as tests with pytest. No device is needed, nothing runs, and there is no noise.

    pytest examples/unit_test/test_contract.py

People test such things with regular expressions on ``compiled.as_text()``: how often "all-gather" occurs, or that a shape does not.
An expression counts a start and its done twice, misses a collective inside a fusion or with another spelling, and breaks when a new
compiler renames what it matches. The checks here ask what the program does, and a failure shows the ops responsible.

Here the programs are dumps. In a test of your own, ``hloroof.predict_step_time(jax.jit(f).lower(*arguments).compile(), "tpu_v5e:2x4")``
takes what JAX compiles, also ahead of time for a TPU that is not there.
"""

import pathlib

import pytest

import hloroof
from hloroof.testing import (
    assert_collectives,
    assert_no_new,
    assert_snapshot,
    bound_by,
    exposed_communication_below,
    fits_in_memory,
    has_no_diagnostic,
    mfu_above,
    no_slower_than,
    peak_memory_below,
    step_faster_than,
    unknown_at_most,
)

EXAMPLES = pathlib.Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def ffn():
    """A feed-forward block on 4 x 2 chips: weights are sharded over the axis of 4, activations over that of 2."""
    return hloroof.predict_step_time(EXAMPLES / "ffn_block.v5e_2x4.hlo", "tpu_v5e")


def test_budget(ffn):
    assert unknown_at_most(ffn, 0)  # a budget is meaningful only if the whole program is known
    assert step_faster_than(ffn, 15e-3)
    assert mfu_above(ffn, 0.4)
    assert bound_by(ffn, "mxu")
    assert fits_in_memory(ffn)
    assert has_no_diagnostic(ffn, "unknown-trip-count")
    assert exposed_communication_below(ffn, 0.4 * ffn.step_seconds)


# "The sharding does not gather what it should not." With an expression:
#     assert "all-reduce" not in hlo
#     assert len(re.findall(r" all-gather(-start)?\(", hlo)) == 2    # but one of the two is an async fusion without that text
def test_collectives(ffn):
    assert_collectives(ffn, all_gather=2, reduce_scatter=1, collective_permute=range(1, 7), others=0, bytes_below=65 * 2**20)
    assert_collectives(ffn, over="2-way", all_gather=1, reduce_scatter=1, others=0, exposed_below=2e-3)


# "The products overlap with the communication of their operands" (collective matmul). With an expression:
#     assert hlo.count("collective-permute-start") >= 4
def test_the_gather_of_weights_is_overlapped(ffn):
    ring = [c for c in ffn.collectives if c.kind == "collective-permute"]
    assert len(ring) >= 4
    assert sum(c.exposed_seconds for c in ring) < 0.15 * ffn.step_seconds


# "No copy of the cache", "no array of the full vocabulary". With an expression:
#     assert not re.search(r"copy\(.*bf16\[16,16,8,2048,64\]", hlo)
def test_no_copy_of_the_cache():
    before = hloroof.predict_step_time(EXAMPLES / "decode_step.v5e.hlo", "tpu_v5e")
    after = hloroof.predict_step_time(EXAMPLES / "decode_step_free_cache.v5e.hlo.gz", "tpu_v5e")
    assert_no_new(after, before, "copies", "collectives", "unknown")
    assert no_slower_than(after, before)
    assert peak_memory_below(after, 4 * 2**30)
    assert not any("16,16,8,2048,64" in buffer.shape for buffer in after.memory.live_at_peak if buffer.name.startswith("copy"))


def test_snapshot(ffn):
    """The file has each number with its tolerance; ``pytest --hloroof-update`` writes it anew."""
    assert_snapshot(ffn, pathlib.Path(__file__).parent / "ffn_block.snapshot.json", tolerance=0.05)
