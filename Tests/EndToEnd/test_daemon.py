"""The daemon as a process: options, directories, signals, size; SIGSTOP and SIGCONT."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness.process import PACECTL, PACED, expect_end
from harness.timing import boot_ms, wait_for
from harness.users import unprivileged

MIB = 1 << 20
OFF = ["--gpsd", "off", "--sensors", "off"]


def paced(*options, **settings):
    """Runs paced to its end."""
    return subprocess.run([PACED, *options], capture_output=True, text=True, timeout=60, **settings)


@pytest.mark.parametrize("options", [
    ["--bogus"], ["stray"], ["--runtime-dir"], ["--gpsd", "localhost:x"], ["--gpsd", "example.org:2947"],
    ["--gpsd", "127.0.0.1:0"], ["--gpsd", "127.0.0.1:70000"], ["--gpsd", "[::1:2947"], ["--sensors", ""], ["--sensors", "a,,b"],
    ["--sensors", "unix:"], ["--sensors", "unix:/" + "x" * 200], ["--bluetooth", "maybe"], ["--bogus\x1b[2J"],
], ids=repr)
def test_invalid_option_gives_status_2_and_one_line(options):
    ended = paced(*options)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1 and ended.stderr.endswith("\n")
    assert "\x1b" not in ended.stderr


def test_help_and_version_go_to_standard_output():
    assert paced("--help").returncode == 0 and "--demo" in paced("--help").stdout
    assert re.fullmatch(r"paced \d+\.\d+\.\d+ .*\n", paced("--version").stdout)


def test_missing_runtime_directory_names_the_option(tmp_path):
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    program, options = unprivileged(PACED)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=60, env=environment, **options)
    assert ended.returncode in (1, 2)
    assert "--runtime-dir" in ended.stderr and ended.stderr.count("\n") == 1


def test_second_daemon_reports_the_process_of_the_first(stage):
    first = stage.paced(*OFF)
    for option, directory in [("--runtime-dir", first.runtime), ("--state-dir", stage.directory / "state")]:
        other = {"--runtime-dir": "--state-dir", "--state-dir": "--runtime-dir"}[option]
        ended = paced(option, directory, other, stage.directory / "other", *OFF)
        assert ended.returncode == 1
        assert str(first.pid) in ended.stderr and option in ended.stderr
        assert ended.stderr.count("\n") == 1
    assert first.call("status")["run"] == "idle"


def test_killed_daemon_does_not_block_the_next(stage):
    first = stage.paced(*OFF)
    first.process.kill()
    first.process.wait()
    assert first.state_socket.exists()
    assert stage.paced(*OFF).call("status")["run"] == "idle"


def test_overlong_socket_path_is_reported(stage):
    ended = paced("--runtime-dir", stage.directory / ("x" * 100), "--state-dir", stage.directory / "state", *OFF)
    assert ended.returncode == 1
    assert "107" in ended.stderr and "--runtime-dir" in ended.stderr and ended.stderr.count("\n") == 1
    assert list(stage.directory.iterdir()) == [], "nothing is created"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_signal_ends_the_daemon_with_0_within_a_second(stage, number):
    readers = []

    def start():
        daemon = stage.paced("--demo")
        readers.append(stage.reader(daemon))
        readers[-1].first("STATE", run="active")
        return daemon

    expect_end(start, 1, number)
    assert list((stage.directory / "run").glob("*.sock")) == []
    for reader in readers:
        reader.thread.join(60)
        assert reader.is_over, "the stream has ended"


def test_directories_and_sockets_are_accessible_to_owner_and_group(stage):
    daemon = stage.paced(*OFF)
    wait_for(lambda: " serves " in daemon.log_text(), 60, "the end of the start")
    assert daemon.runtime.stat().st_mode & 0o777 == 0o750
    assert (stage.directory / "state").stat().st_mode & 0o777 == 0o750
    for name in ("state.sock", "control.sock", "publish.sock", "sensor.sock"):
        assert (daemon.runtime / name).stat().st_mode & 0o777 == 0o660


def test_daemon_stopped_for_three_seconds_catches_up_and_counts_late_ticks(stage):
    daemon = stage.paced("--demo")
    reader = stage.reader(daemon)
    wait_for(lambda: len(reader.of("STATE")) > 20, 60, "twenty states")
    os.kill(daemon.pid, signal.SIGSTOP)
    time.sleep(3)
    os.kill(daemon.pid, signal.SIGCONT)
    continued = boot_ms()
    wait_for(lambda: reader.of("STATE")[-1]["boot_ms"] > continued + 1500, 60, "states after that")
    states = [state for state in reader.of("STATE") if state["run"] == "active"]
    # Elapsed time follows the boot clock, as without the interruption.
    starts = {state["boot_ms"] - state["elapsed_ms"] for state in states}
    assert max(starts) - min(starts) <= 1
    # Ticks that are caught up together share a line.
    steps = [after["elapsed_ms"] - before["elapsed_ms"] for before, after in zip(states, states[1:])]
    assert max(steps) >= 2900
    assert [after["seq"] - before["seq"] for before, after in zip(states, states[1:])] == [1] * len(steps)
    assert states[-1]["ticks"]["late"] >= 28
    # The first tick of a line is later than the others, and less late than the whole step.
    longest = max(*steps, states[0]["ticks"]["worst_ms"])
    assert 2800 < states[-1]["ticks"]["worst_ms"] <= longest + 1


def test_idle_daemon_publishes_a_state_each_second(stage):
    reader = stage.reader(stage.paced(*OFF))

    def steps():
        states = reader.of("STATE")
        return [after["boot_ms"] - before["boot_ms"] for before, after in zip(states[1:], states[2:])]

    wait_for(lambda: sum(abs(step - 1000) <= 1 for step in steps()) >= 2, 60, "states after a second")
    assert all(state["run"] == "idle" and "elapsed_ms" not in state for state in reader.of("STATE"))
    # A daemon that was stopped leaves out whole seconds.
    assert all(min(step % 1000, -step % 1000) <= 1 for step in steps())


def test_idle_daemon_uses_little_cpu_time(stage):
    daemon = stage.paced("--gpsd", "127.0.0.1:1", "--sensors", f"unix:{stage.directory}/nobody")

    def ticks():
        fields = pathlib.Path(f"/proc/{daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
    wait_for(lambda: " serves " in daemon.log_text(), 60, "the end of the start")
    time.sleep(1)
    # A late start may still be going on: the lowest of three counts.
    for _ in range(3):
        before, begun = ticks(), time.monotonic()
        time.sleep(4)
        used, seconds = ticks() - before, time.monotonic() - begun
        if used <= seconds:
            break
    # Hundredths of a second of CPU time, without gpsd and without a strap.
    assert used <= seconds


def test_programs_are_small_and_without_foundation(stage):
    for program in (PACED, PACECTL):
        stripped = stage.directory / "stripped"
        shutil.copy(program, stripped)
        subprocess.run(["strip", stripped], check=True)
        assert stripped.stat().st_size < 15 * MIB
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        assert "Foundation" not in libraries and "libswift" not in libraries
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        assert "Foundation" not in symbols


def test_log_has_printable_lines(stage):
    daemon = stage.paced("--demo")
    stage.reader(daemon).first("STATE", run="active")
    daemon.end()
    log = daemon.log.read_text()
    assert log.endswith("\n") and all(line.isprintable() for line in log.splitlines())
    assert "stop requested" in log
