"""make install installs the programs, and make uninstall removes only them."""

import json
import os
import re
import subprocess

from harness.process import ROOT


def make(target, destination, **variables):
    # With DESTDIR nothing is started, and no user is created.
    arguments = [f"{name}={value}" for name, value in {"DESTDIR": destination, **variables}.items()]
    ended = subprocess.run(
        ["make", "--no-print-directory", target, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


def test_installed_programs_run_and_units_have_their_paths(tmp_path):
    make("install", tmp_path, prefix="/opt/paced")
    root = tmp_path / "opt/paced"
    assert subprocess.check_output([root / "bin/paced", "--version"], text=True).startswith("paced ")
    assert json.loads((root / "share/paced/schema.json").read_text()) == json.loads(
        subprocess.check_output([root / "bin/pacectl", "schema"]))
    units = {path.name: path.read_text() for path in (root / "lib/systemd/system").iterdir()}
    assert set(units) == {"paced.service", "paced-panel.service", "paced-state.socket", "paced-control.socket", "paced-publish.socket"}
    assert "\nExecStart=/opt/paced/bin/paced\n" in units["paced.service"]
    assert "\nExecStart=/opt/paced/bin/pacectl panel\n" in units["paced-panel.service"]
    assert not any("/usr/bin/pace" in unit for unit in units.values())
    assert (tmp_path / "etc/paced/paced.conf").exists()
    modes = {os.stat(path).st_mode & 0o777 for path in tmp_path.rglob("*") if path.is_file()}
    assert modes == {0o644, 0o755}


def test_readme_states_the_size_of_an_installation(tmp_path):
    make("install", tmp_path)
    size = sum(os.stat(tmp_path / name).st_size for name in files(tmp_path)) / 1e6
    stated = int(re.search(r"(\d+) MB of\s+disk", (ROOT / "README.md").read_text())[1])
    print(f"{size:.1f} MB are installed")
    assert size <= stated
    # A build for development links Swift's libraries dynamically and is smaller.
    libraries = subprocess.check_output(["ldd", tmp_path / "usr/local/bin/paced"], text=True)
    assert size > stated - 8 or "libswiftCore" in libraries


def test_uninstall_removes_only_installed_files(tmp_path):
    kept = ["usr/local/bin/another", "usr/local/share/paced/mine", "etc/paced/paced.conf", "var/lib/paced/journal.sqlite"]
    for name in kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine\n")
    make("install", tmp_path)
    assert len(files(tmp_path)) > len(kept) + 10
    make("uninstall", tmp_path)
    assert files(tmp_path) == set(kept)
    assert all((tmp_path / name).read_text() == "mine\n" for name in kept)


def test_second_install_changes_nothing(tmp_path):
    make("install", tmp_path)
    before = files(tmp_path)
    (tmp_path / "etc/paced/paced.conf").write_text("# mine\n")
    make("install", tmp_path)
    assert files(tmp_path) == before
    assert (tmp_path / "etc/paced/paced.conf").read_text() == "# mine\n"
