"""The tools work in a checkout at any path, whoever runs them."""

import os
import shutil
import stat
import subprocess

import pytest

from harness.process import PROGRAMS, ROOT


@pytest.fixture
def checkout(tmp_path):
    """What the tools need of the tree and of its build, at a path with a space and an umlaut, with modes of umask 077."""
    place = tmp_path / "Mein Verzeichnis ä"
    for name in ("Tools", "completion", "man", "map", "systemd", "udev", "web"):
        shutil.copytree(ROOT / name, place / name)
    shutil.copy(ROOT / "Makefile", place)
    subprocess.run(["chmod", "-R", "go=", place], check=True)
    (place / ".build").mkdir()
    (place / ".build/release").symlink_to(PROGRAMS)
    return place


def run(checkout, *command, environment=None):
    """Runs a command with a strict umask, without the variables of a login; returns its output."""
    ended = subprocess.run(
        command, cwd=checkout, env={"PATH": os.environ["PATH"]} | (environment or {}), umask=0o077, capture_output=True,
        text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("environment", [{"LC_ALL": "C"}, {"LANG": "de_DE.UTF-8"}], ids=repr)
def test_failed_build_names_the_place(checkout, environment):
    place = f"{checkout}/Sources/A.swift:1:2: "
    (checkout / ".build/log").write_text(f"{place}error: cannot find 'ä'\n")
    said = run(checkout, "Tools/failures", "build", checkout / ".build/log", environment=environment)
    assert said.splitlines()[-1] == f"build: {place}cannot find 'ä'"


def test_every_user_can_read_what_is_installed(checkout, tmp_path):
    root = tmp_path / "Ziel für alle"
    run(checkout, "make", "install", f"DESTDIR={root}")
    installed = list(root.rglob("*"))
    assert root / "usr/local/bin/pacectl" in installed and root / "usr/local/share/paced-web/index.html" in installed
    for path in installed:
        is_executable = path.is_dir() or path.parent.name == "bin"
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if is_executable else 0o644), path
    run(checkout, "make", "uninstall", f"DESTDIR={root}")
    assert {path.name for path in root.rglob("*") if path.is_file()} == {"paced.conf", "paced-link.conf", "paced-net.conf", "paced-web.conf"}


@pytest.mark.thorough
def test_build_from_another_shell_compiles_nothing_again(tmp_path):
    package = tmp_path / "tiny"
    shutil.copytree(ROOT / "Tools", package / "Tools")
    for name, text in {
            "Package.swift": """// swift-tools-version: 6.2
                import PackageDescription
                let package = Package(name: "tiny", targets: [
                    .target(name: "C"), .executableTarget(name: "paced", dependencies: ["C"])])""",
            "Sources/C/include/C.h": "int one(void);\n", "Sources/C/C.c": '#include "C.h"\nint one(void) { return 1; }\n',
            "Sources/paced/main.swift": "import C\nprint(one())\n"}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)

    def compiled(environment, *shell):
        ended = subprocess.run(
            [*shell, "Tools/stages", "build"], cwd=package, env=environment, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return [line for line in ended.stdout.splitlines() if "Compiling" in line]

    login = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    assert compiled(login)
    flags = subprocess.run(["dpkg-buildflags"], capture_output=True, text=True, check=True).stdout
    package_build = dict(line.split("=", 1) for line in flags.splitlines()) | {"DEB_BUILD_OPTIONS": "parallel=2", "LC_ALL": "C.UTF-8"}
    assert {"CFLAGS", "LDFLAGS"} <= package_build.keys()
    for other in ({"CC": "gcc", "CXX": "g++"}, {"CC": ""}, {"SDKROOT": "/"}, package_build, {"LANG": "de_DE.UTF-8", "TERM": "dumb"}):
        assert compiled(login | other) == [], other
    assert compiled(os.environ | login, "bash", "-l", "-c", '"$@"', "bash") == []


@pytest.mark.parametrize("purpose", ["screen", "programs", "tests", "sanitized"])
def test_package_is_whole_for_each_purpose(tmp_path, purpose):
    """What is left out of a build for a purpose is left out with all that refers to it."""
    loaded = subprocess.run(
        ["swift", "package", "--scratch-path", tmp_path, "show-dependencies"], cwd=ROOT,
        env=os.environ | {"PACED_TARGETS": purpose}, capture_output=True, text=True, timeout=120)
    assert loaded.returncode == 0, loaded.stderr
