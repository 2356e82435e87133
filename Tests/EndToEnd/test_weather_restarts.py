"""paced-net and paced killed, hung, slow and absent; the responses on disk; options and configuration."""

import os
import re
import signal
import subprocess

import pytest

from harness.faults import fault_library
from harness.paced_net import PACED_NET, first_figures, first_reason
from harness.process import expect_end
from harness.timing import expect_within, wait_for
from matrix import matrix


def stored(weather):
    return sorted(weather.net.cache.glob("*.response"))


def check_no_request_after_restart(weather, reader, requests):
    since = len(reader.lines)
    weather.net.start()
    data = first_figures(reader, since)
    assert data["station"] == "EDDB" and weather.server.count() == requests
    # The figures were never replaced by a reason.
    assert all("station" in line["data"] for line in reader.of("DATA"))


@pytest.mark.parametrize("number", matrix([signal.SIGTERM, signal.SIGKILL], signal.SIGKILL))
def test_responses_on_disk_survive_a_restart(weather, number):
    weather.start()
    reader = weather.watch()
    first_figures(reader)
    requests = weather.server.count()
    assert len(stored(weather)) == requests == 3
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in stored(weather))
    for _ in range(3):
        weather.net.end(number)
        check_no_request_after_restart(weather, reader, requests)


def test_weather_of_the_disk_is_there_without_a_network(weather):
    weather.start()
    reader = weather.watch()
    first_figures(reader)
    weather.net.end()
    weather.server.end()
    since = len(reader.lines)
    weather.net.start()
    assert first_figures(reader, since)["station"] == "EDDB"


DAMAGES = {
    "empty": lambda data: b"", "cut": lambda data: data[:len(data) // 2], "cut head": lambda data: data[:40],
    "random": lambda data: os.urandom(4000), "too long": lambda data: data + bytes(3_000_000),
    "another body": lambda data: data.partition(b"\n")[0] + b"\n<html>", "zeros": lambda data: bytes(len(data)),
    "a wrong head": lambda data: b'{"url":7,"fetched_ms":1e99}\n[]',
    "a time ahead": lambda data: re.sub(rb'"fetched_ms":\d+', b'"fetched_ms":9007199254740991', data),
    "a negative time": lambda data: re.sub(rb'"fetched_ms":\d+', b'"fetched_ms":-9223372036854775808', data),
}


@pytest.mark.parametrize("damage", matrix(DAMAGES, "cut"))
def test_damaged_response_on_disk_costs_a_request(weather, damage):
    weather.start()
    reader = weather.watch()
    first_figures(reader)
    weather.net.end()
    for path in stored(weather):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    since = len(reader.lines)
    weather.net.start()
    assert first_figures(reader, since)["station"] == "EDDB"
    assert weather.server.count() == 6


@pytest.mark.thorough
def test_cache_keeps_32_responses(weather):
    weather.start()
    for number in range(40):
        weather.server.add({**weather.server.stations[0], "icaoId": f"F{number:03d}"}, "20005KT CAVOK 14/09 Q1012")
        assert "weather" in weather.net.call("weather.at", station=f"F{number:03d}")
    assert len(stored(weather)) == 32
    # The newest are there.
    weather.net.call("weather.at", station="F039")
    assert weather.server.count() == 40


@pytest.mark.thorough
def test_cache_that_cannot_be_written_costs_nothing_else(weather):
    weather.start()
    weather.net.cache.rename(weather.net.directory / "elsewhere")
    weather.net.cache.write_text("no directory")
    assert first_figures(weather.watch())["station"] == "EDDB"
    assert "cannot store a response" in weather.net.log_text()


def test_topic_returns_after_a_kill_of_the_daemon(weather):
    weather.start()
    observed = first_figures(weather.watch())["observed_at"]
    requests = weather.server.count()
    weather.daemon.kill()
    weather.daemon.start()
    data = first_figures(weather.watch())
    assert (data["station"], data["observed_at"]) == ("EDDB", observed)
    assert weather.server.count() == requests
    assert "rejects a line" not in weather.net.log_text()


@pytest.mark.thorough
def test_daemon_may_start_after_paced_net(weather):
    weather.start_daemon()
    weather.daemon.end()
    weather.start_net()
    wait_for(lambda: "cannot connect" in weather.net.log_text(), 60, "a line of the log")
    weather.daemon.start()
    assert first_figures(weather.watch())["station"] == "EDDB"


@pytest.fixture
def run(weather):
    """Checks that no tick of a run is late; the run has a subscriber of the topic."""
    weather.start_daemon()
    weather.daemon.call("run.start")

    def check():
        reader = weather.stage.reader(weather.daemon, classes=["STATE"], topics=["weather"])
        states = expect_within(0.05, lambda: reader.punctuality(20), "a state")
        assert [state["seq"] for state in states] == list(range(states[0]["seq"], states[0]["seq"] + len(states)))
        reader.end()

    return check


@pytest.mark.thorough
def test_ticks_are_punctual_whatever_paced_net_does(weather, run):
    # It is absent.
    run()
    weather.start_net()
    run()
    weather.net.freeze()
    run()
    for _ in range(50):
        weather.watch().end()
    run()
    weather.net.thaw()
    # What it missed does no harm.
    assert weather.net.call("weather.at")["weather"]["station"] == "EDDB"
    weather.net.kill()
    run()


@pytest.mark.thorough
def test_ticks_are_punctual_while_the_service_is_slow(weather, run):
    weather.server.play(weather.server.drip)
    weather.start_net(network="TimeoutSec=60")
    run()
    assert weather.server.most_at_once == 1


@pytest.mark.thorough
def test_second_process_is_refused(weather):
    weather.start()
    done = subprocess.run(weather.net.command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"paced-net: {weather.net.runtime} is in use by paced-net, process {weather.net.pid}; stop that, "
        "or give another --runtime-dir")
    assert "weather" in weather.net.call("weather.at", station="EDDB")


@pytest.mark.parametrize("sin", matrix(["none", "drip", "hang"], "hang"))
def test_sigterm_ends_it_within_1_s(weather, sin):
    if sin != "none":
        weather.server.play(getattr(weather.server, sin))
    weather.start_daemon()
    weather.watch()

    def start():
        asked = weather.server.count()
        weather.start_net(network="TimeoutSec=60")
        wait_for(lambda: weather.server.count() > asked or stored(weather), 60, "a request")
        return weather.net

    expect_end(start, 1)
    assert not (weather.net.runtime / "net.sock").exists()
    assert weather.net.log_text().endswith("paced-net: stopped\n")


@pytest.mark.thorough
def test_name_server_that_does_not_answer_delays_nothing(weather):
    weather.start_daemon()
    reader = weather.watch()

    def start():
        since = len(reader.lines)
        net = weather.start_net(
            server="http://weather.invalid/api/data", network="TimeoutSec=1", LD_PRELOAD=fault_library("resolver"))
        # The default of TimeoutSec is 20.
        first_reason(reader, "weather.invalid does not respond in time", since, seconds=15)
        assert "openrpc" in net.call("rpc.discover")
        return net

    expect_end(start, 1)


def refusal(*arguments):
    """The error of a paced-net that does not start."""
    done = subprocess.run([PACED_NET, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    return done.stderr.strip()


@pytest.mark.parametrize("arguments, text", [
    (["--runtime"], "paced-net: unknown option --runtime; paced-net --help lists them"),
    (["--help=1"], "paced-net: unknown option --help=1; paced-net --help lists them"),
    (["weather"], "paced-net: unknown option weather; paced-net --help lists them"),
    (["--\x1b[2J"], "paced-net: unknown option --\ufffd[2J; paced-net --help lists them"),
    (["--cache-dir"], "paced-net: --cache-dir needs a value"),
    (["--runtime-dir="], "paced-net: --runtime-dir needs a value"),
    (["--config", "/nonexistent"], "paced-net: there is no file /nonexistent; give --config another, or leave it away"),
], ids=repr)
def test_wrong_option_is_refused(arguments, text):
    assert refusal(*arguments) == text


SERVER_RULE = "Server must be an address of http or https without the last slash, or off"


@pytest.mark.parametrize("text, line, message", [
    ("[Network]\nTimeoutSec=0", 2, "TimeoutSec must be a number of seconds from 1 to 120"),
    ("[Network]\nTimeoutSec=121", 2, "TimeoutSec must be a number of seconds from 1 to 120"),
    ("[Network]\nTimeoutSec=2s", 2, "TimeoutSec must be a number of seconds from 1 to 120"),
    ("[Network]\nContact=a (b)", 2, "Contact must be 1 to 64 printable ASCII characters without parentheses"),
    ("[Network]\nContact=" + "x" * 65, 2, "Contact must be 1 to 64 printable ASCII characters without parentheses"),
    ("[Network]\nContact=ä", 2, "Contact must be 1 to 64 printable ASCII characters without parentheses"),
    ("[Network]\nAuthorities=ca.pem", 2, "Authorities must be an absolute path"),
    ("# A comment\n[Weather]\n\nServer=ftp://host/", 4, SERVER_RULE),
    ("[Weather]\nServer=http://host/", 2, SERVER_RULE),
    ("[Weather]\nServer=http://host?x", 2, SERVER_RULE), ("[Weather]\nServer=http://", 2, SERVER_RULE),
    ("[Weather]\nServer=off\nServer=off", 3, "Server is already set in line 2"),
    ("[Weather]\nTimeoutSec=2", 2, "there is no key TimeoutSec in [Weather]; the keys are Server"),
    ("[Weather]\n\x1b[2J=2", 2, "there is no key \ufffd[2J in [Weather]; the keys are Server"),
    ("[Weather]\nServer", 2, "expected [Section], Key=value or # comment"),
], ids=repr)
def test_wrong_configuration_is_refused_with_file_and_line(tmp_path, text, line, message):
    path = tmp_path / "net.conf"
    path.write_text(text)
    assert refusal("--config", path).startswith(f"paced-net: {path}:{line}: {message}")


@pytest.mark.thorough
def test_empty_values_are_the_defaults(weather):
    weather.start_daemon()
    weather.start_net(network="TimeoutSec=\nContact=\nAuthorities=")
    first_figures(weather.watch())
    assert "(" not in weather.server.requests[0].headers["user-agent"]
