"""make reports in one line what is missing."""

import shutil
import subprocess

import pytest

from harness.process import ROOT

REQUIRE = ROOT / "Tools" / "require"


@pytest.fixture
def path(tmp_path):
    """A PATH with the commands of the script, and no package manager."""
    for name in ("bash", "sed", "sort", "head", "id", "mktemp", "rm", "grep", "tail", "env"):
        (tmp_path / name).symlink_to(shutil.which(name))
    return tmp_path


def add(path, name, body):
    (path / name).write_text(f"#!/bin/bash\n{body}\n")
    (path / name).chmod(0o755)


def require(path, *packages, **environment):
    ended = subprocess.run(
        [REQUIRE, *packages], env={"PATH": str(path)} | environment, capture_output=True, text=True, timeout=30)
    assert ended.stderr.count("\n") == (1 if ended.returncode else 0), ended.stderr
    return ended


def test_missing_swift_is_reported_with_its_source(path):
    ended = require(path)
    assert ended.returncode == 1
    assert "6.2" in ended.stderr and "https://www.swift.org/install/linux" in ended.stderr


def test_old_swift_is_reported(path):
    add(path, "swift", "echo Swift version 5.10.1")
    ended = require(path)
    assert ended.returncode == 1
    assert "5.10" in ended.stderr and "6.2" in ended.stderr


@pytest.mark.parametrize("version", ["6.2", "6.3.1", "6.10", "7.0"])
def test_newer_swift_is_accepted(path, version):
    add(path, "swift", f"echo 'Swift version {version} (swift-{version}-RELEASE)'")
    assert require(path).returncode == 0


def test_home_that_does_not_exist_is_reported_with_a_remedy(path):
    add(path, "swift", "echo Swift version 6.3")
    ended = require(path, HOME=str(path / "none"))
    assert ended.returncode == 1
    assert f"{path}/none" in ended.stderr and "set HOME" in ended.stderr


def test_installed_packages_are_not_installed_again(path):
    add(path, "swift", "echo Swift version 6.3")
    add(path, "dpkg-query", "echo -n installed")
    ended = require(path, "libgps-dev", "gpsd")
    assert (ended.returncode, ended.stdout) == (0, "")


def test_packages_are_named_without_debian(path):
    add(path, "swift", "echo Swift version 6.3")
    ended = require(path, "libgps-dev")
    assert ended.returncode == 1
    assert "no Debian system" in ended.stderr and "libgps-dev" in ended.stderr


def test_install_command_is_printed_without_root_and_sudo(path):
    add(path, "swift", "echo Swift version 6.3")
    add(path, "apt-get", "exit 1")
    (path / "id").unlink()
    add(path, "id", "echo 1000")
    ended = require(path, "libgps-dev", "gpsd")
    assert ended.returncode == 1
    assert "sudo" in ended.stderr and "apt-get install libgps-dev gpsd" in ended.stderr


def test_install_command_is_printed_to_a_user_who_may_not_use_sudo(path):
    add(path, "swift", "echo Swift version 6.3")
    add(path, "apt-get", "exit 1")
    add(path, "sudo", "echo anja is not in the sudoers file.; exit 1")
    (path / "id").unlink()
    add(path, "id", "echo 1000")
    ended = require(path, "libgps-dev")
    assert ended.returncode == 1
    assert "anja is not in the sudoers file.; as root, run apt-get install libgps-dev" in ended.stderr


def test_warning_of_sudo_about_the_host_name_is_not_reported_as_the_cause(path):
    add(path, "swift", "echo Swift version 6.3")
    add(path, "apt-get", "exit 1")
    warning = "echo 'sudo: unable to resolve host board: Name or service not known'"
    add(path, "sudo", f"{warning}; echo 'sudo: a password is required'; {warning}; exit 1")
    (path / "id").unlink()
    add(path, "id", "echo 1000")
    assert "libgps-dev: sudo: a password is required; as root, run" in require(path, "libgps-dev").stderr


def test_missing_package_is_installed_after_an_update(path):
    add(path, "swift", "echo Swift version 6.3")
    (path / "id").unlink()
    add(path, "id", "echo 0")
    done = path / "done"
    add(path, "apt-get", f'echo "$@" >>{done}; [ "$1" = update ] && : >{path}/updated; [ -f {path}/updated ]')
    ended = require(path, "libgps-dev")
    assert ended.returncode == 0
    assert "libgps-dev" in ended.stdout
    assert [line.split()[0] for line in done.read_text().splitlines()] == ["install", "update", "install"]


def test_error_of_apt_is_reported_in_the_line(path):
    add(path, "swift", "echo Swift version 6.3")
    (path / "id").unlink()
    add(path, "id", "echo 0")
    add(path, "apt-get", "echo reading; echo 'E: Unable to locate package libgps-dev'; exit 100")
    ended = require(path, "libgps-dev")
    assert ended.returncode == 1
    assert "Unable to locate package libgps-dev" in ended.stderr
