"""examples/ci: what its script says about a change, in a repository of two commits."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

COMMAND = shutil.which("hloroof") or os.environ.get("HLOROOF")

PROGRAMS = '''
class Compiled:
    def as_text(self):
        return """{new}"""

programs = {{"decode": Compiled(), "scores": lambda: Compiled(){more}}}
'''


def run(folder, *command, **environment):
    settings = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    return subprocess.run(
        list(map(str, command)), cwd=folder, env={**os.environ, **settings, **environment}, capture_output=True, text=True
    )


def product(rows):
    return f"""HloModule product, is_scheduled=true

ENTRY main {{
  x = bf16[{rows},4096]{{1,0:T(8,128)(2,1)}} parameter(0)
  y = bf16[4096,4096]{{1,0:T(8,128)(2,1)}} parameter(1)
  ROOT z = bf16[{rows},4096]{{1,0:T(8,128)(2,1)}} dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
"""


@pytest.fixture
def repository(tmp_path):
    file = tmp_path / "ci" / "programs.py"
    file.parent.mkdir()
    assert run(tmp_path, "git", "init", "-q").returncode == 0
    for rows, more in ((4096, ', "old": Compiled()'), (8192, ', "added": Compiled()')):
        file.write_text(PROGRAMS.format(new=product(rows), more=more))
        run(tmp_path, "git", "add", "-A")
        assert run(tmp_path, "git", "commit", "-qm", str(rows)).returncode == 0
    return tmp_path


@pytest.mark.skipif(COMMAND is None or shutil.which("git") is None, reason="needs git and the command hloroof (HLOROOF=PATH)")
@pytest.mark.parametrize("condition, code", [("step>+200%", 0), ("step>+2%", 3)])
def test_compare_with_base(root, repository, condition, code):
    script = root / "examples" / "ci" / "compare_with_base.sh"
    done = run(repository, "bash", script, "HEAD~1", "ci/programs.py", "tpu_v5e", "diff.md", condition,
               PYTHON=sys.executable, HLOROOF=COMMAND)  # fmt: skip
    assert done.returncode == code, done.stderr
    text = (repository / "diff.md").read_text()
    assert text.startswith("## Predicted step time on tpu_v5e\n")
    assert "### added: new" in text and "**old** is gone." in text and "| step time |" in text
    assert text.count("**decode**") == 1 and ("- passed" if code == 0 else "- **failed**") in text
    assert run(repository, "git", "worktree", "list").stdout.count("\n") == 1  # nothing is left


def test_programs_that_are_none(root, tmp_path):
    (tmp_path / "programs.py").write_text("programs = 3\n")
    done = run(tmp_path, sys.executable, root / "examples/ci/compile_programs.py", "programs.py", ".")
    assert done.returncode == 1 and "programs.py: expected a dict `programs`" in done.stderr


def test_the_action_is_valid(root):
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((root / "examples/ci/action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert all(step.get("uses") or (step["run"] and step["shell"] == "bash") for step in action["runs"]["steps"])
    for name in ("compare_with_base.sh", "compile_programs.py", "programs.py"):
        assert (pathlib.Path(root) / "examples" / "ci" / name).exists()
