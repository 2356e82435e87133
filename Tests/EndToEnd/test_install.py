"""make install installs the programs, and make uninstall removes only them."""

import json
import os
import re
import subprocess

import pytest

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
    assert set(units) == {
        "paced.service", "paced-panel.service", "paced-state.socket", "paced-control.socket", "paced-publish.socket",
        "paced-net.service", "paced-net.socket"}
    assert "\nExecStart=/opt/paced/bin/paced\n" in units["paced.service"]
    assert "\nExecStart=/opt/paced/bin/pacectl panel\n" in units["paced-panel.service"]
    assert "\nExecStart=/opt/paced/bin/paced-net\n" in units["paced-net.service"]
    assert not any("/usr/bin/pace" in unit for unit in units.values())
    assert {path.name for path in (tmp_path / "etc/paced").iterdir()} == {"paced.conf", "paced-net.conf"}
    modes = {os.stat(path).st_mode & 0o777 for path in tmp_path.rglob("*") if path.is_file()}
    assert modes == {0o644, 0o755}


@pytest.mark.parametrize("statement, is_net", [(r"(\d+) MB of\s+disk", False), (r"(\d+) MB\s+more", True)], ids=["paced", "paced-net"])
def test_readme_states_the_size_of_an_installation(tmp_path, statement, is_net):
    make("install", tmp_path)
    size = sum(os.stat(tmp_path / name).st_size for name in files(tmp_path) if ("paced-net" in name) == is_net) / 1e6
    stated = int(re.search(statement, (ROOT / "README.md").read_text())[1])
    print(f"{size:.1f} MB are installed")
    assert size <= stated
    # A build for development links Swift's libraries dynamically and is smaller.
    assert size > stated - 8 or "libswiftCore" in str(libraries(tmp_path / "usr/local/bin/paced"))


def libraries(program):
    """The libraries that a program names itself."""
    listed = subprocess.check_output(["readelf", "--dynamic", program], text=True)
    return set(re.findall(r"NEEDED.*\[(lib\w+)", listed))


def test_only_paced_net_links_a_client_of_http_and_it_links_no_bluetooth(tmp_path):
    make("install", tmp_path)
    linked = {name: libraries(tmp_path / "usr/local/bin" / name) for name in ("paced", "pacectl", "paced-net")}
    clients = {"libcurl", "libssl", "libcrypto", "libgnutls", "libnghttp2"}
    assert not clients & (linked["paced"] | linked["pacectl"])
    assert "libcurl" in linked["paced-net"] and "libbluetooth" not in linked["paced-net"]
    assert {"libbluetooth", "libsqlite3"} <= linked["paced"]


def test_uninstall_removes_only_installed_files(tmp_path):
    kept = ["usr/local/bin/another", "usr/local/share/paced/mine", "etc/paced/paced.conf", "etc/paced/paced-net.conf",
            "var/lib/paced/journal.sqlite"]
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
