"""examples/ci: what its script says about a change, in a repository of two commits."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

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
        list(map(str, command)), cwd=folder, env={**os.environ, **settings, **{k: str(v) for k, v in environment.items()}}, capture_output=True, text=True
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


def test_install_asks_for_the_wheels_of_the_release(root, tmp_path):
    """With stand-ins for gh, which delivers a wheel, and for what would build."""
    version = re.search(r"^  VERSION ([0-9.]+)$", (root / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, script in {"gh": 'echo "$@" >"$LOG"; cp "$WHEEL" "${@: -1}" 2>/dev/null', "cmake": "exit 9"}.items():
        (tools / name).write_text(f"#!/bin/bash\n{script}\n")
        (tools / name).chmod(0o755)
    (tmp_path / "cmake").mkdir()
    (tmp_path / "cmake" / "setup.sh").touch()
    (tmp_path / "examples" / "ci").mkdir(parents=True)
    shutil.copy(root / "examples/ci/install.sh", tmp_path / "examples/ci")
    shutil.copy(root / "CMakeLists.txt", tmp_path)
    wheel = tmp_path / f"hloroof-{version}-py3-none-any.whl"
    info = f"hloroof-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("stand_in.py", f"def main(): print('hloroof {version}')\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: hloroof\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\nhloroof = stand_in:main\n")
        archive.writestr(f"{info}/RECORD", "")

    def install(wheel, prefix):
        return run(tmp_path, "bash", "examples/ci/install.sh", prefix, PATH=f"{tools}:{os.environ['PATH']}", PYTHON=sys.executable,
                   LOG=tmp_path / "log", WHEEL=wheel, HLOROOF_REPOSITORY="OWNER/hloroof", HLOROOF_REF="v0")  # fmt: skip

    done = install(wheel, "prefix")
    assert done.returncode == 0 and f"hloroof {version}\ninstall: from a wheel" in done.stdout, done.stderr
    assert (tmp_path / "log").read_text().startswith("release download v0 --repo OWNER/hloroof --pattern hloroof-*.whl --dir ")
    assert run(tmp_path, "prefix/bin/hloroof").stdout == f"hloroof {version}\n"
    without = install(tmp_path / "nothing", "other")
    assert without.returncode == 9 and "no wheel of hloroof" in without.stderr
    assert not (tmp_path / "other").exists()


def test_the_action_is_valid(root):
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((root / "examples/ci/action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert all(step.get("uses") or (step["run"] and step["shell"] == "bash") for step in action["runs"]["steps"])
    for name in ("install.sh", "compare_with_base.sh", "compile_programs.py", "programs.py"):
        assert (pathlib.Path(root) / "examples" / "ci" / name).exists()
