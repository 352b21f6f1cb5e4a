"""The command `hloroof` that pip installs."""

import importlib.metadata
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import hloroof

DUMP = "examples/ffn_block.v5e_2x4.hlo"
FAST, SLOW = "examples/decode_step_free_cache.v5e.hlo.gz", "examples/decode_step.v5e.hlo"
COMMAND = [sys.executable, "-m", "hloroof"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors of POSIX")


def run(root, *arguments, **settings):
    return subprocess.run([*COMMAND, *arguments], cwd=root, capture_output=True, text=True, timeout=120, **settings)


def commands_of_cxx(root):
    return [path for path in (root / "build").glob("*/hloroof") if path.is_file()]


def test_help_and_version(root):
    assert "Usage: hloroof" in run(root, "--help").stdout
    assert "  doctor" in run(root, "--help").stdout
    assert "--device DEVICE" in run(root, "help", "predict").stdout
    assert run(root, "--version").stdout.startswith(f"hloroof {hloroof.__version__}, device files ")


def test_predicts_what_the_package_predicts(root):
    done = run(root, "predict", DUMP, "--device", "tpu_v5e", "--format", "json")
    assert done.returncode == 0 and done.stderr == ""
    prediction = hloroof.predict_step_time(root / DUMP, "tpu_v5e")
    assert json.loads(done.stdout)["step_seconds"] == prediction.step_seconds


def test_prints_what_the_cxx_command_prints(root):
    version = run(root, "--version").stdout
    for command in commands_of_cxx(root):
        if subprocess.run([command, "--version"], capture_output=True, text=True).stdout != version:
            continue  # of another version of the sources
        for arguments in (["predict", DUMP, "--device", "tpu_v5e"], ["predict", "--help"], ["predict", "none.hlo"], ["predcit"]):
            cxx = subprocess.run([command, *arguments], cwd=root, capture_output=True, text=True)
            ours = run(root, *arguments)
            assert (ours.returncode, ours.stdout, ours.stderr) == (cxx.returncode, cxx.stdout, cxx.stderr)
        return
    pytest.skip("there is no C++ command of these sources in build/")


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (["predict", DUMP, "--device", "tpu_v5e"], 0, ""),
        ([], 1, "which command?"),
        (["predcit"], 1, "the nearest are"),
        (["predict", "none.hlo", "--device", "tpu_v5e"], 1, "none.hlo"),
        (["diff", "--device", "tpu_v5e", "--fail-if", "step>+2%", FAST, SLOW], 3, ""),
        (["doctor", "--format", "yaml"], 1, "--format takes text or json"),
        (["doctor", "now"], 1, "now"),
    ],
)
def test_exit_codes(root, arguments, code, said):
    done = run(root, *arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stderr and "Traceback" not in done.stderr


@POSIX
def test_what_the_bare_command_says_to_begin_with_works(root, tmp_path):
    """In any folder: the list of devices, and the op that `echo` writes."""
    lines = [line.split("   ")[0].strip() for line in run(root).stderr.splitlines()]
    pipe, devices = (next(line for line in lines if line.startswith(start)) for start in ("echo ", "hloroof devices"))
    for line, part in ((pipe, "bound by        hbm"), (devices, "tpu_v5e ")):
        script = f'hloroof() {{ "{sys.executable}" -m hloroof "$@"; }}; {line}'
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and part in done.stdout, line + done.stderr


@POSIX
def test_names_of_files_may_be_any_bytes(root, tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.hlo"
    try:
        pathlib.Path(os.fsdecode(path)).write_text((root / DUMP).read_text())
    except OSError:
        pytest.skip("the file system refuses the name")
    done = subprocess.run([*COMMAND, "predict", path, "--device", "tpu_v5e"], capture_output=True)
    assert done.returncode == 0, done.stderr


@POSIX
@pytest.mark.parametrize("arguments", [["print", DUMP], ["doctor"]])
def test_a_closed_pipe_ends_it_without_a_word(root, arguments):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, *arguments], cwd=root, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.returncode == -signal.SIGPIPE
    assert done.stderr == b""


@POSIX
@pytest.mark.parametrize("arguments", [["print", DUMP], ["doctor"]])
def test_a_full_disk_is_an_error(root, arguments):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, *arguments], cwd=root, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "hloroof: cannot write the result to standard output; is the disk full?\n"


@POSIX
def test_an_interrupt_ends_it_without_a_traceback(root):
    """`predict -` waits for its text, in C++ code."""
    with subprocess.Popen(
        [*COMMAND, "predict", "-", "--device", "tpu_v5e"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore interrupts
    ) as process:
        while not _handles_interrupts_by_default(process.pid):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert (out, err) == (b"", b"")


def _handles_interrupts_by_default(pid):
    """Whether Python has loaded the extension and given up its own handling of both signals."""
    folder = pathlib.Path(f"/proc/{pid}")
    if not folder.exists():
        pytest.skip("needs /proc")
    lines = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
    interrupt, pipe = 1 << (signal.SIGINT - 1), 1 << (signal.SIGPIPE - 1)
    is_loaded = "/_core." in (folder / "maps").read_text()
    return is_loaded and not int(lines["SigCgt"], 16) & interrupt and not int(lines["SigIgn"], 16) & pipe


def test_the_script_is_declared(root):
    try:
        scripts = importlib.metadata.entry_points(group="console_scripts")
        importlib.metadata.version("hloroof")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is on the path and not installed")
    assert [script.value for script in scripts if script.name == "hloroof"] == ["hloroof._command:main"]


def test_doctor_says_what_is_missing(root):
    done = run(root, "doctor")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == f"{hloroof.doctor()}\n"
    lines = done.stdout.splitlines()
    assert lines[0] == run(root, "--version").stdout.strip() + f", {len(hloroof.device_names())} built-in devices"
    assert max(map(len, lines[4:])) <= 100


def test_doctor_as_data(root):
    data = json.loads(run(root, "doctor", "--format=json").stdout)
    found = hloroof.doctor()
    assert data == found.to_dict() and data["schema"] == "hloroof.doctor/1"
    assert found.features[0].needs == () and found.features[0].install is None
    assert {package.name for package in found.packages} >= {"jax", "jaxlib", "libtpu", "pandas"}
    for feature in found.features:
        assert set(feature.missing) <= set(feature.needs)
        assert (feature.install is None) == (not feature.missing)


def test_doctor_imports_nothing_that_it_looks_for(root):
    code = (
        "import sys, hloroof; hloroof.doctor();"
        "sys.exit(', '.join(sorted({'jax', 'jaxlib', 'libtpu', 'numpy', 'pandas', 'matplotlib'} & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_package_loads_what_it_exports_when_asked():
    code = (
        "import sys, hloroof; assert 'hloroof._results' not in sys.modules;"
        "assert {'Editor', 'predict_step_time', '__version__'} <= set(dir(hloroof));"
        "from hloroof import *; assert Editor is hloroof.Editor and not hasattr(hloroof, 'nothing');"
        "from hloroof import testing"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(hloroof.__all__) == sorted(set(hloroof.__all__)) and all(hasattr(hloroof, name) for name in hloroof.__all__)


def test_doctor_knows_versions(monkeypatch):
    here = {"jax": "0.10.2", "jaxlib": "0.10.2", "jax-cuda12-plugin": "0.10.2", "jax-cuda12-pjrt": "0.9.0", "pandas": ""}
    here["nvidia-cuda-nvcc-cu12"] = "12.9.86"
    monkeypatch.setattr("hloroof._doctor._version", here.get)
    monkeypatch.setattr("hloroof._doctor._has_hook", lambda: False)
    monkeypatch.setattr("hloroof._cuda.plugin", lambda: "jax-cuda12-pjrt")
    found = {feature.what: feature for feature in hloroof.doctor().features}
    install = {what: feature.install for what, feature in found.items()}
    assert install["to_pandas(), tables as data frames"] is None  # of unknown version
    assert install["hloroof.jax.watch, transform and reschedule, inside a compile"] == "pip install 'jax>=0.12'"
    assert install["hloroof.jax.compile_for for an NVIDIA GPU that is not there"] == "pip install jax-cuda12-pjrt==0.10.2"
    assert "pip install libtpu" in install.values()
