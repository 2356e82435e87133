"""make install installs the programs, and make uninstall removes only them."""

import json
import os
import re
import subprocess

import pytest

import needs
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
        "paced.service", "paced-panel.service", "paced-console.service", "paced-state.socket", "paced-control.socket",
        "paced-publish.socket", "paced-sensor.socket",
        "paced-net.service", "paced-net.socket", "paced-web.service", "paced-web.socket", "paced-web-code.socket",
        "paced-web-admin.socket", "paced-link.service", "paced-link.socket", "paced-listen@.service"}
    assert "\nExecStart=/opt/paced/bin/paced\n" in units["paced.service"]
    assert "\nExecStart=/opt/paced/bin/pacectl panel\n" in units["paced-panel.service"]
    assert "\nExecStart=/opt/paced/bin/pacectl watch\n" in units["paced-console.service"]
    assert "\nExecStart=/opt/paced/bin/paced-net\n" in units["paced-net.service"]
    assert "\nExecStart=/opt/paced/bin/paced-web\n" in units["paced-web.service"]
    assert "\nExecStart=/opt/paced/bin/paced-link\n" in units["paced-link.service"]
    assert not any("/usr/bin/pace" in unit for unit in units.values())
    for program in "paced-web", "paced-link":
        drop_in = root / f"share/{program}/{program}-control.conf"
        assert f" cp /{drop_in.relative_to(tmp_path)} " in drop_in.read_text()
    assert {path.name for path in (tmp_path / "etc/paced").iterdir()} == {
        "paced.conf", "paced-net.conf", "paced-web.conf", "paced-link.conf"}


def test_installed_pages_are_all_there_and_found(tmp_path):
    make("install", tmp_path, prefix="/opt/paced")
    installed = files(tmp_path / "opt/paced/share/paced-web") - {"paced-web-control.conf"}
    assert installed == files(ROOT / "web")
    assert (tmp_path / "opt/paced/share/paced-web/report-cursor.js").read_bytes() == \
        (ROOT / "Sources/Report/page.js").read_bytes()
    ended = subprocess.run(
        [tmp_path / "opt/paced/bin/paced-web", "--listen", "192.0.2.1:1", "--runtime-dir", tmp_path / "run", "--state-dir",
         tmp_path / "state", "--paced-dir", tmp_path, "--net-dir", tmp_path], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "cannot listen at 192.0.2.1:1" in ended.stderr


def program_of(name):
    """The package of an installed file."""
    return next((one for one in ("paced-net", "paced-web", "paced-link") if one in name), "paced")


@pytest.mark.parametrize("program, statement", [
    ("paced", r"(\d+) MB of\s+disk"), ("paced-net", r"(\d+) MB\s+more"), ("paced-web", r"program of (\d+) MB"),
    ("paced-link", r"(\d+) MB\s+of its own")])
def test_readme_states_the_size_of_an_installation(tmp_path, program, statement):
    make("install", tmp_path)
    size = sum(os.stat(tmp_path / name).st_size for name in files(tmp_path) if program_of(name) == program) / 1e6
    stated = int(re.search(statement, (ROOT / "README.md").read_text())[1])
    print(f"{size:.1f} MB are installed")
    assert size <= stated
    # A build for development links Swift's libraries dynamically and is smaller.
    assert size > stated - 8 or "libswiftCore" in str(libraries(tmp_path / "usr/local/bin/paced"))


def libraries(program):
    """The libraries that a program names itself."""
    listed = subprocess.check_output(["readelf", "--dynamic", program], text=True)
    return set(re.findall(r"NEEDED.*\[(lib\w+)", listed))


def test_only_paced_net_and_paced_link_link_clients_of_the_network_and_they_link_no_bluetooth(tmp_path):
    make("install", tmp_path)
    names = ("paced", "pacectl", "paced-net", "paced-web", "paced-link")
    linked = {name: libraries(tmp_path / "usr/local/bin" / name) for name in names}
    clients = {"libcurl", "libssl", "libcrypto", "libgnutls", "libnghttp2", "libmosquitto"}
    assert not clients & (linked["paced"] | linked["pacectl"])
    assert not clients & linked["paced-web"] and "libbluetooth" not in linked["paced-web"]
    assert "libmicrohttpd" in linked["paced-web"] and not any("libmicrohttpd" in linked[name] for name in linked if name != "paced-web")
    assert "libcurl" in linked["paced-net"] and not {"libbluetooth", "libmosquitto"} & linked["paced-net"]
    assert "libmosquitto" in linked["paced-link"] and "libbluetooth" not in linked["paced-link"]
    assert {"libbluetooth", "libsqlite3"} <= linked["paced"]


def test_uninstall_removes_only_installed_files(tmp_path):
    kept = ["usr/local/bin/another", "usr/local/share/paced/mine", "etc/paced/paced.conf", "etc/paced/paced-net.conf", "etc/paced/paced-web.conf",
            "etc/paced/paced-link.conf", "var/lib/paced/journal.sqlite"]
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


@needs.ROOT
def test_uninstall_removes_the_links_of_enabled_units_where_systemd_does_not_run(tmp_path):
    # In an overlay: the machine's own files stay as they are.
    script = """
        mount -t tmpfs over "$PLACE"
        mkdir "$PLACE"/{upper,work,root}
        mount -t overlay -o "lowerdir=/,upperdir=$PLACE/upper,workdir=$PLACE/work" overlay "$PLACE/root"
        for path in "$ROOT" /proc /dev; do mount --bind "$path" "$PLACE/root$path"; done
        mount -t tmpfs run "$PLACE/root/run"
        links() { find "$PLACE/upper/etc/systemd" -type l -name 'paced*' | wc -l; }
        chroot "$PLACE/root" make -C "$ROOT" install >&2
        links
        chroot "$PLACE/root" make -C "$ROOT" uninstall >&2
        links"""
    ended = subprocess.run(
        ["unshare", "--mount", "bash", "-ec", script], env=os.environ | {"PLACE": str(tmp_path), "ROOT": str(ROOT)},
        capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    enabled, left = map(int, ended.stdout.split())
    assert enabled >= 4 and left == 0, ended.stderr
