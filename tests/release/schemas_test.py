"""Checks what schemas.py refuses, on a tree with two schemas."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import schemas  # noqa: E402


def schema(name, **members):
    return {
        "$id": name,
        "title": "A result",
        "type": "object",
        "additionalProperties": False,
        "required": ["schema", "seconds"],
        "properties": {
            "schema": {"const": name},
            "seconds": {"type": "number", "unit": "s", "description": "A time."},
            "bound": {"enum": ["mxu", "hbm"]},
            **members,
        },
    }


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for each in ("tests/describe/schema", "tests/release", "data/hardware"):
            (self.top / each).mkdir(parents=True)
        self.release("0.1.0", released=False)
        self.write(schema("hloroof.result/1"))
        self.write(schema("hloroof.device/1"), "data/hardware/device.schema.json")
        self.assertEqual(schemas.publish(self.top), [])
        self.assertEqual(schemas.check(self.top), [])

    def release(self, version, released=True):
        (self.top / "CMakeLists.txt").write_text(f"project(\n  hloroof\n  VERSION {version}\n")
        (self.top / "CHANGES.md").write_text(f"# Changes\n\n## {version}{'' if released else ', unreleased'}\n")

    def write(self, content, path="tests/describe/schema/result.schema.json"):
        (self.top / path).write_text(json.dumps(content))

    def failures(self):
        return "\n".join(schemas.check(self.top))

    def test_a_change_of_a_released_schema_is_refused(self):
        self.release("0.1.0")
        unit = schema("hloroof.result/1", seconds={"type": "number", "unit": "ms"})
        gone = schema("hloroof.result/1")
        del gone["properties"]["bound"]
        optional = {**schema("hloroof.result/1"), "required": ["schema"]}
        fewer = schema("hloroof.result/1", bound={"enum": ["mxu"]})
        for changed, said in (
            (unit, '.seconds was {"required": true, "type": "number", "unit": "s"}'.lstrip(".")),
            (gone, "bound is gone"),
            (optional, "seconds was"),
            (fewer, "bound was"),
            (schema("hloroof.result/1", more={"type": "number"}), "more is new"),
        ):
            with self.subTest(said):
                self.write(changed)
                self.assertIn("hloroof.result/1, published with 0.1.0, has changed", self.failures())
                self.assertIn(said, self.failures())
                self.assertIn('Name the new form "hloroof.result/2"', self.failures())
                self.assertEqual(schemas.publish(self.top), ["hloroof.result/1 was published with 0.1.0 and cannot change"])
                self.assertIn("has changed", self.failures())

    def test_before_the_release_it_is_published_anew(self):
        self.write(schema("hloroof.result/1", more={"type": "number"}))
        self.assertIn("0.1.0 is not released: run", self.failures())
        self.assertEqual(schemas.publish(self.top), [])
        self.assertEqual(self.failures(), "")

    def test_a_new_number_is_published_beside_the_old_one(self):
        self.release("0.2.0", released=False)
        self.write(schema("hloroof.result/2", more={"type": "number"}))
        self.assertIn("hloroof.result/2 is not published", self.failures())
        self.assertEqual(schemas.publish(self.top), [])
        self.assertEqual(self.failures(), "")
        self.write(schema("hloroof.result/1", other={"type": "number"}))  # the old number again, for something else
        self.assertIn("other is new", self.failures())

    def test_prose_changes_and_enumerations_grow(self):
        self.release("0.1.0")
        prose = schema("hloroof.result/1", seconds={"type": "number", "unit": "s", "description": "The time of a step."})
        self.write({**prose, "title": "Another title"})
        self.assertEqual(self.failures(), "")
        self.write(schema("hloroof.result/1", bound={"enum": ["ici", "mxu", "hbm"]}))
        self.assertIn("has grown as it may", self.failures())
        self.assertEqual(schemas.publish(self.top), [])
        self.assertEqual(self.failures(), "")
        self.write(schema("hloroof.result/1"))  # without the value again
        self.assertIn("bound was", self.failures())

    def test_a_file_that_is_read_may_gain_members_that_it_can_lack(self):
        self.release("0.1.0")
        path = "data/hardware/device.schema.json"
        self.write(schema("hloroof.device/1", more={"type": "number"}), path)
        self.assertIn("has grown as it may", self.failures())
        needed = schema("hloroof.device/1", more={"type": "number"})
        needed["required"].append("more")
        self.write(needed, path)
        self.assertIn("more is new", self.failures())

    def test_names(self):
        for content in (schema("hloroof.other/1"), schema("hloroof.result/0"), schema("result")):
            self.write(content)
            self.assertIn("its $id is", self.failures())
        self.write({**schema("hloroof.result/1"), "$id": "hloroof.result/2"})
        self.assertIn('its $id is "hloroof.result/2", but its documents state "hloroof.result/1"', self.failures())


unittest.main()
