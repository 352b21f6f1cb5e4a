"""Tests the recipes of the package channels as far as this machine can: check.py [--hloroof COMMAND] [--deb FILE] [CHANNEL...]

Prints a line for each channel: what was done, or what is missing for it. Nothing is built and nothing published. The commands `cmake`,
`ruby`, `npm`, `node`, `pre-commit`, `conan` and `dpkg-deb`, and the Python packages `rattler_build` and `yaml`, are used where they are
there. COMMAND is a built `hloroof`, FILE a package that cmake/release.sh made. Exits with 1 if a recipe is wrong.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = TOP / "cmake" / "packaging"
CHECKS = {}


class Missing(Exception):
    """What this machine lacks for a check."""


def check(function):
    CHECKS[function.__name__] = function
    return function


def run(*command, cwd=TOP, **environment):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout + done.stderr


def needs(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise Missing(f"no {tool} here")


def version():
    return re.search(r"^  VERSION ([0-9.]+)$", (TOP / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def configure(settings, folder):
    """Configures a build with the settings of a recipe. Each must be one that the project has."""
    needs("cmake", "ninja")
    text = run("cmake", "-G", "Ninja", "-S", TOP, "-B", folder, *settings, "-DCMAKE_BUILD_TYPE=Release")
    assert "not used by the project" not in text, text
    assert (folder / "build.ninja").exists()
    assert "hloroof_installed" in run("ninja", "-C", folder, "-t", "targets", "all")


def settings_in(text):
    return re.findall(r"-D(?:HLOROOF|BUILD)_\w+=\w+", text)


@check
def conda(given, work):
    import importlib.util

    recipe = (HERE / "conda" / "recipe.yaml").read_text()
    done = []
    if importlib.util.find_spec("rattler_build"):
        from rattler_build import RenderConfig, Stage0Recipe, VariantConfig

        variants = VariantConfig({"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]})
        rendered = Stage0Recipe.from_yaml(recipe).render(variants, RenderConfig())
        assert str(rendered[0].recipe.package.version) == version()
        done.append("rendered by rattler-build")
    configure(settings_in(recipe), work / "build")
    return ", ".join([*done, "its build configured"]) + ("" if done else "; no rattler_build here to render it")


@check
def homebrew(given, work):
    formula = HERE / "homebrew" / "hloroof.rb"
    needs("ruby")
    assert "Syntax OK" in run("ruby", "-c", formula)
    # A formula is a class body: evaluated with stand-ins for what Homebrew defines, its install must call cmake three times.
    stand_in = """
      class Formula
        def self.method_missing(name, *rest, &block) = (@said ||= {})[name] = [*rest, *(block ? [block] : [])]
        def self.respond_to_missing?(*) = true
        def self.test(&block) = (@said ||= {})[:test] = block
        def self.said = @said
        def std_cmake_args = []
        def system(*words) = puts(words.join(" "))
      end
      load ARGV[0]
      Hloroof.new.install
      abort "no test" unless Hloroof.said[:test]
      puts Hloroof.said[:url]
    """
    lines = run("ruby", "-e", stand_in, formula).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["cmake"] * 3 and f"hloroof-{version()}-source" in lines[3], lines
    configure(settings_in(lines[0]), work / "build")
    return "loaded by ruby with stand-ins for Homebrew, its build configured"


@check
def vcpkg(given, work):
    manifest = json.loads((HERE / "vcpkg" / "vcpkg.json").read_text())
    assert manifest["version"] == version()
    needs("cmake")
    # The functions of vcpkg, as far as the port uses them; the first one prints what would be configured.
    (work / "port.cmake").write_text(f"""
      cmake_policy(VERSION 3.25)
      function(vcpkg_check_features)
        set(options -DHLOROOF_BUILD_CLI=ON PARENT_SCOPE)
      endfunction()
      function(vcpkg_cmake_configure)
        message("configure ${{ARGV}}")
      endfunction()
      foreach(name IN ITEMS vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright)
        function(${{name}})
        endfunction()
      endforeach()
      set(FEATURES tools)
      set(CURRENT_PACKAGES_DIR "{work}/none")
      include("{HERE}/vcpkg/portfile.cmake")
    """)
    line = run("cmake", "-P", work / "port.cmake")
    configure(settings_in(line), work / "build")
    return "portfile run by cmake with stand-ins for vcpkg, its build configured"


@check
def conan(given, work):
    needs("conan", "cmake")
    home = {"CONAN_HOME": str(work / "home")}
    run("conan", "profile", "detect", **home)
    recipe = HERE / "conan"
    assert f"hloroof/{version()}" in run("conan", "export", recipe, **home)
    # The system's libraries instead of packages of Conan, which no server has to be reached for.
    platform = ["abseil/20240116", "re2/20230301", "eigen/3.4.0", "nlohmann_json/3.11.2", "zlib/1.2.13", "cli11/2.3.2"]
    profile = work / "system"
    profile.write_text("include(default)\n[platform_requires]\n" + "\n".join(platform) + "\n")
    run("conan", "install", recipe, "-pr:a", profile, "-of", work / "install", **home)
    toolchain = next((work / "install").rglob("conan_toolchain.cmake"))
    settings = re.findall(r'set\((HLOROOF_\w+) (\w+) CACHE', toolchain.read_text())
    assert len(settings) == 5, settings
    configure([f"-D{name}={value}" for name, value in settings], work / "build")
    return "exported and installed by conan with the system's libraries, its build configured"


@check
def pre_commit(given, work):
    needs("pre-commit", "git")
    if not given.hloroof:
        raise Missing("no command: --hloroof")
    run("pre-commit", "validate-manifest", TOP / ".pre-commit-hooks.yaml")
    (work / "bin").mkdir()
    (work / "bin" / "hloroof").symlink_to(pathlib.Path(given.hloroof).resolve())
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    environment = {"PATH": f"{work / 'bin'}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(work / "home"), **names}
    hooks, project = work / "hooks", work / "project"
    for folder in (hooks, project):
        folder.mkdir()
        run("git", "init", "-q", cwd=folder)
    shutil.copy(TOP / ".pre-commit-hooks.yaml", hooks)
    run("git", "add", "-A", cwd=hooks)
    run("git", "commit", "-qm", "hooks", cwd=hooks, **environment)
    shutil.copy(TOP / "examples" / "narrow_heads.v5e.hlo", project)
    run("git", "add", "-A", cwd=project)
    (project / ".pre-commit-config.yaml").write_text(f"""
repos:
  - repo: {hooks}
    rev: {run("git", "rev-parse", "HEAD", cwd=hooks).strip()}
    hooks: [{{id: hloroof-lint-system, args: [--device, tpu_v5e]}}]
""")
    command = ["pre-commit", "run", "--all-files"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 1 and "layout-change" in done.stdout and "exit code: 3" in done.stdout, done.stdout + done.stderr
    return "hloroof-lint-system run by pre-commit on a dump with findings, which fails"


@check
def npm(given, work):
    needs("npm", "node")
    site = TOP / "build" / "browser" / "site"
    real = (site / "hloroof.js").exists()
    if not real:  # a stand-in for what cmake/browser.sh builds shows that the package loads
        site = work / "site"
        site.mkdir()
        shutil.copy(TOP / "lib" / "fronts" / "browser" / "browser.js", site)
        (site / "index.html").write_text("<title>hloroof</title>")
        (site / "hloroof.js").write_text("module.exports = async () => ({cwrap: () => () => '[]'});\n")
    run("bash", HERE / "npm" / "pack.sh", site, work / "out")
    archive = work / "out" / f"hloroof-{version()}.tgz"
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", work / "project", archive)
    script = "require('hloroof')().then((m) => console.log(JSON.parse(m.cwrap('hloroof_devices', 'string', [])()).length))"
    count = run("node", "-e", script, cwd=work / "project").strip()
    return f"packed, installed and loaded by node: {count} devices" if real else "packed, installed and loaded by node, with a stand-in for the page"


@check
def debian(given, work):
    needs("dpkg-deb")
    if not given.deb:
        raise Missing("no package: --deb")
    assert run("dpkg-deb", "-f", given.deb, "Version").strip() == version()
    contents = run("dpkg-deb", "-c", given.deb)
    for path in ("./usr/bin/hloroof", "./usr/include/hloroof/predict.h", "./usr/share/man/man1/hloroof.1"):
        assert path in contents, path
    run("dpkg-deb", "-x", given.deb, work)
    assert f"hloroof {version()}" in run(work / "usr" / "bin" / "hloroof", "--version")
    return "unpacked, its command run"


@check
def docker(given, work):
    file = (HERE / "docker" / "Dockerfile").read_text().replace("\\\n", " ")
    configure(settings_in(file), work / "build")
    packages = re.search(r"--no-install-recommends (lib.*?) *&&", file)[1].split()
    if given.hloroof and shutil.which("dpkg-query"):
        needed = re.findall(r"=> (?:/usr)?(/\S+)", run("ldd", given.hloroof))
        owners = {line.split(":")[0] for path in needed for line in run("dpkg-query", "-S", f"*{path}").splitlines()}
        assert owners - {"libc6", "libgcc-s1", "libstdc++6"} <= set(packages), owners
        return "its build configured, its packages are those that the command links; no image built"
    return "its build configured; no image built"


@check
def github(given, work):
    text = (HERE / "github" / "wheels.yml").read_text()
    try:
        import yaml
    except ImportError:
        raise Missing("no yaml here") from None
    jobs = yaml.safe_load(text)["jobs"]
    for job in jobs.values():
        assert job.get("needs", "linux") in jobs and all("run" in step or "uses" in step for step in job["steps"])
    for script in re.findall(r"\bbash (\S+\.sh)", text):
        assert (TOP / script).exists(), script
    return f"its {len(jobs)} jobs read, the scripts that they call are there; not run"


@check
def compiler_explorer(given, work):
    if not given.hloroof:
        raise Missing("no command: --hloroof")
    text = (HERE / "compiler_explorer" / "hloroof.properties").read_text()
    settings = dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))
    text = work / "example.mlir"
    shutil.copy(TOP / "examples" / "narrow_heads.v5e.hlo", text)
    assert "step time" in run(given.hloroof, *settings["tools.hloroof.options"].split(), "-n", "3", text)
    return "its command run on a text as the settings say; not run by Compiler Explorer"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hloroof")
    parser.add_argument("--deb")
    parser.add_argument("channels", nargs="*")
    given = parser.parse_args()
    wrong = 0
    for name, function in CHECKS.items():
        if given.channels and name not in given.channels:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = function(given, pathlib.Path(folder))
            except Missing as missing:
                said = f"not tested: {missing}"
            except AssertionError as error:
                said, wrong = f"WRONG: {error}", wrong + 1
        print(f"{name}: {said}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
