"""hloroof.Editor: reading, editing, predicting after edits, and what happens to handles of what is gone."""

import pytest

import hloroof

SCHEDULED = """HloModule m, is_scheduled=true, num_partitions=8

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }

f { p = f32[1024,1024]{1,0} parameter(0) ROOT n = f32[1024,1024]{1,0} negate(p) }

ENTRY e {
  x = f32[1024,1024]{1,0} parameter(0)
  w = f32[1024,1024]{1,0:T(8,128)} parameter(1)
  y = f32[1024,1024]{1,0} fusion(x), kind=kLoop, calls=f
  c = f32[1024,1024]{0,1} copy(y)
  z = f32[1024,1024]{1,0} dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={source_file="t.py" source_line=7}
  r = f32[1024,1024]{1,0} all-reduce(z), channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true, to_apply=add
  two = f32[] constant(2)
  ROOT t = (f32[1024,1024]{1,0}, f32[]) tuple(r, two), my_attribute=7
}
"""


@pytest.fixture
def edit():
    return hloroof.Editor(SCHEDULED, "tpu_v5e:2x4")


def test_walking(edit):
    assert [c.name for c in edit.computations] == ["add", "f", "e"]
    assert edit.entry.is_entry and edit.entry.root.name == "t" and edit.is_scheduled
    assert [p.name for p in edit.entry.parameters] == ["x", "w"]
    assert [op.opcode for op in edit.entry.instructions][2:5] == ["fusion", "copy", "dot"]
    y, z, r = (edit.instruction(name) for name in "yzr")
    assert [op.name for op in z.operands] == ["c", "w"] and [op.name for op in y.users] == ["c"]
    assert y.computations == {"calls": [edit.computations[1]]} and y.attributes == {"kind": "kLoop"}
    assert z.attributes["lhs_contracting_dims"] == "{1}" and z.source == ("t.py", 7)
    assert r.replica_groups == [[0, 1, 2, 3], [4, 5, 6, 7]] and y.replica_groups is None
    assert edit.instruction("t").attributes == {"my_attribute": "7"}
    assert edit.instruction("w").number == 1 and z.number is None
    assert edit.instruction("two").literal == "2" and z.literal is None
    assert z.computation == edit.entry and not z.is_root and str(r).startswith("%r = f32[1024,1024]{1,0} all-reduce(")
    assert len({y, z, edit.instruction("y")}) == 2
    with pytest.raises(hloroof.NotFoundError, match="nosuch"):
        edit.instruction("nosuch")


def test_shapes(edit):
    w, t = edit.instruction("w").shape, edit.instruction("t").shape
    assert (w.element_type, w.dimensions, w.minor_to_major, w.tiles, w.memory_space) == ("f32", [1024, 1024], [1, 0], [[8, 128]], 0)
    assert w.logical_bytes == w.padded_bytes == 4 << 20
    assert t.element_type == "tuple" and [str(s) for s in t.elements] == ["f32[1024,1024]{1,0}", "f32[]"]
    assert t.elements[0] == edit.instruction("z").shape and hash(t.elements[0]) == hash(edit.instruction("z").shape)
    assert w != t.elements[0]


def test_every_edit_reads_back(edit):
    x, y, c, z, r = (edit.instruction(name) for name in "xyczr")
    before = edit.step_seconds
    edit.replace_all_uses(c, y)
    edit.erase(c)
    assert not c.is_alive and z.operands[0] == y
    assert edit.step_seconds < before
    n = edit.insert_before(z, "negate", [y], name="mine")
    assert n.shape == y.shape and n.name == "mine"
    s = edit.insert_before(z, "reduce", [n, edit.insert_before(z, "constant", shape="f32[]", literal="0")],
                           shape="f32[1024]{0}", attributes={"dimensions": [1], "to_apply": edit.computations[0]})
    assert s.attributes["dimensions"] == "{1}" and s.computations["to_apply"][0].name == "add"
    b = edit.append(edit.entry, "broadcast", [s], shape=y.shape, attributes={"dimensions": [0]})
    edit.set_operand(b, 0, s)
    edit.set_operands(z, [n, edit.instruction("w")])
    edit.set_attribute(r, "replica_groups", [[0, 1], [2, 3], [4, 5], [6, 7]])
    edit.set_attribute(r, "channel_id", 5)
    edit.set_attribute(edit.instruction("t"), "metadata", '{op_name="u"}')
    edit.set_attribute(edit.instruction("t"), "metadata", None)
    assert r.replica_groups == [[0, 1], [2, 3], [4, 5], [6, 7]] and r.attributes["channel_id"] == "5"
    edit.set_layout(n, [0, 1], tiles=[[8, 128]], memory_space=1)
    assert str(n.shape) == "f32[1024,1024]{0,1:T(8,128)S(1)}"
    edit.set_shape(n, "f32[1024,1024]{1,0}")
    edit.infer_shape(n)
    assert edit.clone(n).operands == [y]
    edit.verify()
    again = hloroof.Editor(str(edit), "tpu_v5e:2x4")
    assert [str(op) for op in again.entry.instructions] == [str(op) for op in edit.entry.instructions]
    assert again.step_seconds == edit.step_seconds == edit.predict().step_seconds
    assert edit.peak_memory_bytes == edit.predict().memory.hbm_peak_bytes
    assert str(edit.module) == str(edit)
    assert x.is_alive


def test_fusing_and_outlining(edit):
    y, c = edit.instruction("y"), edit.instruction("c")
    fusion = edit.fuse([y, c], "kLoop")
    body = fusion.computations["calls"][0]
    assert [op.opcode for op in body.instructions] == ["parameter", "negate", "copy"]
    assert edit.erase_unused_computations() == 1
    assert not y.is_alive
    parts = edit.unfuse(fusion)
    assert {op.opcode for op in parts} == {"negate", "copy"}
    call = edit.outline([edit.instruction("z")], "product")
    assert call.opcode == "call" and call.computations["to_apply"][0].name == "product"
    copied = edit.clone_computation(call.computations["to_apply"][0])
    edit.set_attribute(call, "to_apply", copied)
    assert edit.erase_unused_computations() > 0
    edit.verify()


def test_building_a_computation(edit):
    build = edit.computation("largest")
    a, b = build.parameter("f32[]"), build.parameter("f32[]", name="other")
    assert build.op("maximum", [a, b]).shape == a.shape
    largest = build.finish()
    edit.set_attribute(edit.instruction("r"), "to_apply", largest)
    assert edit.instruction("r").computations["to_apply"] == [largest] and b.name == "other"
    edit.verify()
    edit.set_attribute(edit.instruction("y"), "calls", edit.computations[1])
    build = edit.computation("flipped", before=edit.computations[1])
    build.op("negate", [build.parameter("f32[1024,1024]{1,0}")])
    build.finish()
    assert [c.name for c in edit.computations] == ["add", "flipped", "f", "largest", "e"]
    build = edit.computation("pair")
    one = build.constant("f32[]", "1.5")
    build.op("tuple", [one, one])
    first = build.element(build.op("tuple", [one, one]), 0)
    assert build.finish(first).root == first
    with pytest.raises(hloroof.InvalidInputError, match="maximum"):
        edit.computation("bad").op("maximum", [])


def test_the_order(edit):
    names = lambda: [op.name for op in edit.entry.instructions]
    order = edit.entry.instructions
    two = edit.instruction("two")
    edit.move_before(two, edit.instruction("y"))
    assert names()[2] == "two"
    edit.set_order(edit.entry, order)
    assert names() == [op.name for op in order]
    for bad, said in ((order[::-1], "must precede"), (order[:-1], "the order has 7 instructions"), ([order[0], *order[:-1]], "twice")):
        with pytest.raises(hloroof.InvalidInputError, match=said):
            edit.set_order(edit.entry, bad)
        assert names() == [op.name for op in order]
    edit.set_root(edit.entry, edit.instruction("r"))
    assert edit.entry.root.name == "r"


def test_checkpoints(edit):
    before, text = edit.step_seconds, str(edit)
    at = edit.checkpoint()
    made = edit.insert_before(edit.instruction("z"), "copy", [edit.instruction("y")])
    computation = edit.clone_computation(edit.computations[0])
    edit.set_operand(edit.instruction("z"), 0, made)
    assert edit.step_seconds > before
    edit.rollback(at)
    assert edit.step_seconds == before and str(edit) == text
    assert not made.is_alive and not computation.is_alive
    # The id is used again, and is not the old one.
    again = edit.insert_before(edit.instruction("z"), "negate", [edit.instruction("y")])
    assert again != made and not made.is_alive
    for gone in (lambda: made.name, lambda: computation.name, lambda: edit.erase(made), lambda: made.users):
        with pytest.raises(hloroof.InvalidInputError, match="erased, or taken back by a rollback"):
            gone()
    assert (repr(made), repr(computation)) == ("Instruction(erased)", "Computation(erased)")
    edit.release(at)
    with pytest.raises(hloroof.Error):
        edit.rollback(at)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda e: e.set_root(e.computations[1], e.instruction("y")), "another computation"),
        (lambda e: e.insert_before(e.instruction("z"), "cpy", []), "no opcode 'cpy'; did you mean copy"),
        (lambda e: e.set_attribute(e.instruction("r"), "replica_group", "{}"), "did you mean replica_groups"),
        (lambda e: e.set_attribute(e.instruction("r"), "replica_groups", "{{0,"), "replica_groups"),
        (lambda e: e.set_shape(e.instruction("z"), "f32[1024"), "f32"),
        (lambda e: e.move_before(e.instruction("z"), e.instruction("y")), "depends on"),
        (lambda e: e.set_layout(e.instruction("z"), [0, 0]), "once"),
        (lambda e: e.fuse([e.instruction("x")]), "parameter"),
        (lambda e: e.erase(hloroof.Editor(SCHEDULED).instruction("z")), "another editor's module"),
    ],
)
def test_wrong_edits_change_nothing(edit, wrong, said):
    text = str(edit)
    with pytest.raises(hloroof.InvalidInputError, match=said):
        wrong(edit)
    assert str(edit) == text
    edit.verify()


def test_what_a_compiler_would_not_accept_is_found(edit):
    edit.set_shape(edit.instruction("y"), "f32[8]{0}")
    with pytest.raises(hloroof.InvalidInputError, match=r"e\."):
        edit.verify()


def test_without_a_device():
    edit = hloroof.Editor(SCHEDULED)
    with pytest.raises(hloroof.IncompleteError, match="y is used by c"):
        edit.erase(edit.instruction("y"))
    with pytest.raises(hloroof.InvalidInputError, match="no device"):
        edit.step_seconds
    with pytest.raises(hloroof.InvalidInputError, match="no device"):
        edit.predict()


def test_the_module_stays_as_it_was():
    module = hloroof.parse(SCHEDULED)
    text = str(module)
    edit = hloroof.Editor(module)
    edit.set_root(edit.entry, edit.instruction("r"))
    assert str(module) == text != str(edit)


def test_a_handle_outlives_its_editor():
    op = hloroof.Editor(SCHEDULED).instruction("z")
    assert op.operands[1].name == "w"


def test_options_reach_the_predictor():
    edit = hloroof.Editor(SCHEDULED, "tpu_v5e", topology="2x4", set={"hbm.bandwidth": 1e11})
    assert edit.step_seconds > hloroof.Editor(SCHEDULED, "tpu_v5e", topology="2x4").step_seconds
    with pytest.raises(TypeError):
        hloroof.Editor(SCHEDULED, "tpu_v5e", nonsense=1)


def test_reschedule(root):
    text = """HloModule m, is_scheduled=true

ENTRY e {
  p = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(0)
  q = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(1)
  a = bf16[2048,2048]{1,0:T(8,128)(2,1)} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = (bf16[2048,2048]{1,0:T(8,128)(2,1)S(1)}, bf16[2048,2048]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}) copy-start(q)
  d = bf16[2048,2048]{1,0:T(8,128)(2,1)S(1)} copy-done(s)
  ROOT b = bf16[2048,2048]{1,0:T(8,128)(2,1)} dot(a, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
    found = hloroof.reschedule(text, "tpu_v5e", seconds=1e5, trials=200)
    assert found.after.step_seconds < found.before.step_seconds
    assert [move.op for move in found.moves] == ["s"] and found.moves[0].direction == "earlier"
    assert found.end == "trials" and found.trials == 200 and found.seed == 1
    again = hloroof.reschedule(text, "tpu_v5e", seconds=1e5, trials=200)
    assert again == found and again.program.to_proto() == found.program.to_proto()
    assert hloroof.reschedule(text, "tpu_v5e", seconds=1e5, trials=9, seed=4).seed == 4
    assert hloroof.predict_step_time(found.program, "tpu_v5e").step_seconds == found.after.step_seconds
    assert "s runs earlier" in str(found) and "1 moves" in repr(found)
    with pytest.raises(hloroof.InvalidInputError):
        hloroof.reschedule(text, "tpu_v5e", memory_limit=1)
    with pytest.raises(hloroof.InvalidInputError, match="no schedule"):
        hloroof.reschedule(text.replace(", is_scheduled=true", ""), "tpu_v5e")
    with pytest.raises(hloroof.InvalidInputError, match="was compiled for a TPU"):
        hloroof.reschedule(text, "h100_sxm", seconds=0)
    assert hloroof.reschedule(text, "h100_sxm", seconds=0, allow_other_backend=True).trials == 0
    for seconds in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds"):
            hloroof.reschedule(text, "tpu_v5e", seconds=seconds)
    for name, value in (("trials", 0), ("seed", -1), ("seed", 2**63)):
        with pytest.raises(ValueError, match=name):
            hloroof.reschedule(text, "tpu_v5e", **{name: value})


TWO_TRANSFERS = """HloModule m, is_scheduled=true, num_partitions=8

ENTRY main {
  p = bf16[1024,1024]{1,0} parameter(0)
  one = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  first = bf16[8192,1024]{1,0} all-gather-done(one)
  a = bf16[8192,1024]{1,0} negate(first)
  b = bf16[1024,1024]{1,0} tanh(p)
  two = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(b), channel_id=2, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  second = bf16[8192,1024]{1,0} all-gather-done(two)
  ROOT r = (bf16[8192,1024]{1,0}, bf16[8192,1024]{1,0}) tuple(a, second)
}
"""


def names(instructions):
    return " ".join(one.name for one in instructions)


def test_the_rules_of_an_order():
    edit = hloroof.Editor(TWO_TRANSFERS)
    rules = edit.order_rules()
    p, one, first, a, b, two, second, r = edit.entry.instructions
    assert rules.must_precede(one, two) and not rules.must_precede(two, one)  # devices agree on the order of collectives
    assert rules.may_pass(first, b) and not rules.may_pass(a, first) and not rules.may_pass(b, p)
    assert rules.starts_of(second) == [two] and rules.starts_of(two) == []
    assert first in rules.before(a) and r in rules.after(a)
    assert names(rules.moved_along(two, first)) == "b two"
    with pytest.raises(hloroof.InvalidInputError, match="p neither moves nor lets others pass"):
        rules.moved_along(two, p)
    rules.move_before(two, first)
    assert names(edit.entry.instructions) == "p one b two first a second r"
    order = [p, one, b, two, second, first, a, r]
    rules.set_order(edit.entry, order)
    assert edit.entry.instructions == order
    swapped = [p, b, two, one, second, first, a, r]
    with pytest.raises(hloroof.InvalidInputError, match="two must stay behind one"):
        rules.set_order(edit.entry, swapped)
    assert edit.entry.instructions == order
    edit.verify()


def test_the_rules_belong_to_one_editor_and_a_schedule():
    edit, other = hloroof.Editor(TWO_TRANSFERS), hloroof.Editor(TWO_TRANSFERS)
    rules = edit.order_rules()
    assert isinstance(rules, hloroof.OrderRules)
    with pytest.raises(hloroof.InvalidInputError, match="another editor"):
        rules.may_pass(edit.entry.instructions[1], other.entry.instructions[2])
    copy = edit.clone(edit.instruction("b"))
    assert not rules.may_pass(copy, edit.instruction("second")) and rules.before(copy) == []
    with pytest.raises(hloroof.InvalidInputError, match="no schedule"):
        hloroof.Editor(TWO_TRANSFERS.replace(", is_scheduled=true", "")).order_rules()


def test_a_collective_becomes_a_start_and_a_done():
    edit = hloroof.Editor(TWO_TRANSFERS)
    assert edit.next_channel_id() == 3
    b = edit.instruction("b")
    attributes = {"channel_id": edit.next_channel_id(), "replica_groups": "[1,8]<=[8]", "dimensions": [0], "use_global_device_ids": True}
    root = edit.entry.root
    whole = edit.insert_before(root, "all-gather", [b], shape="bf16[8192,1024]{1,0}", attributes=attributes)
    edit.set_operands(root, [root.operands[0], whole])
    start, done = edit.split_collective(whole)
    assert (start.opcode, done.opcode) == ("all-gather-start", "all-gather-done")
    assert not whole.is_alive and root.operands[1] == done and done.operands == [start]
    assert edit.next_channel_id() == 4
    edit.verify()
    with pytest.raises(hloroof.InvalidInputError, match="b is tanh"):
        edit.split_collective(b)


def test_a_clone_differs_in_what_is_given(edit):
    y, c, z = (edit.instruction(name) for name in "ycz")
    later = edit.clone(y, operands=[edit.instruction("x")], shape="bf16[1024,1024]{1,0}", before=edit.instruction("r"))
    assert str(later.shape) == "bf16[1024,1024]{1,0}" and later.previous == z and later.next == edit.instruction("r")
    other = edit.clone(z, operands=[y, edit.instruction("w")], attributes={"lhs_contracting_dims": [0]})
    assert other.operands[0] == y and other.attributes["lhs_contracting_dims"] == "{0}" and z.operands[0] == c
    with pytest.raises(hloroof.InvalidInputError, match="does not precede"):
        edit.clone(y, operands=[z])


def test_neighbours_and_positions(edit):
    order, op = [], edit.entry.instructions[0]
    while op is not None:
        order.append(op)
        op = op.next
    assert order == edit.entry.instructions and order[3].previous == order[2] and order[0].previous is None
    assert [op.position for op in order] == sorted(op.position for op in order) and order[0].position < order[1].position
    assert [op.name for op in edit.instructions][:4] == ["a", "b", "s", "p"]
    assert edit.instructions[-8:] == order


def test_patterns(edit):
    z = edit.instruction("z")
    assert edit.match(z, "dot(%a, %b)") == {"a": edit.instruction("c"), "b": edit.instruction("w")}
    assert edit.match(z, "dot(fusion(%x), *)") is None
    assert edit.match(z, "%d = dot(fusion(%x), *)", through=["copy"]) == {"d": z, "x": edit.instruction("x")}
    assert [found["op"].name for found in edit.find_all("%op = add(%x, %y)")] == ["s"]
    assert edit.find_all("dot(all-gather(%x), %y)") == []
    for pattern, said in (("dot(", "expects an opcode"), ("dott(%x)", "expects an opcode"), ("dot(%x", "expects , or")):
        with pytest.raises(hloroof.InvalidInputError, match=said):
            edit.find_all(pattern)
    with pytest.raises(hloroof.InvalidInputError, match="did you mean bitcast"):
        edit.match(z, "dot", through=["bitcas"])


def test_collectives_are_combined_and_taken_apart(edit):
    r = edit.instruction("r")
    other = edit.clone(r, attributes={"channel_id": edit.next_channel_id()})
    root = edit.entry.root
    edit.set_shape(edit.clone(root), root.shape)
    twice = edit.insert_before(root, "add", [r, other])
    combined = edit.combine_collectives([r, other])
    assert len(combined.operands) == 2 and combined.attributes["channel_id"] == "1" and not r.is_alive
    edit.verify()
    apart = edit.uncombine_collective(combined)
    assert [op.attributes["channel_id"] for op in apart] == ["1", "2"] and twice.operands == apart
    edit.verify()
    with pytest.raises(hloroof.InvalidInputError, match="single result"):
        edit.uncombine_collective(apart[0])
    with pytest.raises(hloroof.InvalidInputError, match="two or more"):
        edit.combine_collectives(apart[:1])


def test_a_product_is_sliced(edit):
    at = edit.checkpoint()
    for dimension, opcode in ((0, "concatenate"), (1, "add")):
        parts, whole = edit.slice_dot(edit.instruction("z"), 0, dimension, 4)
        assert len(parts) == 4 and whole.opcode == opcode and edit.instruction("r").operands == [whole]
        edit.verify()
        assert edit.step_seconds == edit.predict().step_seconds
        edit.rollback(at)
    with pytest.raises(hloroof.InvalidInputError, match="not 3 equal parts"):
        edit.slice_dot(edit.instruction("z"), 0, 0, 3)


def test_waits_follow_the_edits():
    edit = hloroof.Editor(TWO_TRANSFERS, "tpu_v5e:2x4")
    waits = edit.waits
    assert [wait.seconds for wait in waits] == sorted((wait.seconds for wait in waits), reverse=True)
    assert waits and isinstance(waits[0], hloroof.OpWait) and waits[0].transfer.opcode.endswith("-start")
    ops = {op.name: op.wait_seconds for op in edit.predict().ops}
    for op in {wait.op for wait in waits}:
        assert sum(wait.seconds for wait in waits if wait.op == op) == pytest.approx(ops[op.name])
    with pytest.raises(hloroof.InvalidInputError, match="no device"):
        hloroof.Editor(TWO_TRANSFERS).waits
