"""paced-link with every sink off opens no socket but Unix ones: strace watches it while it is asked for all that it can do.

PACED_SECONDS is how long that lasts; `make endure` sets it to an hour.
"""

import os
import re
import subprocess
import time
import uuid

import pytest

from harness.link import PACED_LINK, LinkFixture, PacedLink
from harness.timing import GUARD, real_seconds, wait_for

SECONDS = int(os.environ.get("PACED_SECONDS", 6))
# The time between two rounds of questions.
PAUSE = 3

# Each sink is absent, and those that can be switched off are off.
SILENT = {
    "Mqtt": {"Level": "full"}, "Collector": {"AckTimeoutSec": 1}, "OwnTracks": {"Mode": "off"},
    "HomeAssistant": {"Discovery": "no"}}

# What a user can ask link.sock for. What needs a service or a source is answered by this error.
NOT_IN_THIS_STATE = -32001
RESULTS = dict.fromkeys(["rpc.discover", "link.status", "link.flush", "link.uploads", "link.plan"], {})
ERRORS = {
    "link.upload": {"activities": [str(uuid.uuid4())]}, "link.login": {"to": "strava"}, "link.fetch": {},
    "link.workout": {"plan": 1}}


class Trace:
    """A file with the system calls of processes that open, connect or use sockets."""

    def __init__(self, directory):
        self.path = directory / "trace"
        # With -D strace is not the parent: the process that the test starts is the program itself.
        self.words = ["strace", "-D", "-f", "-qq", "-A", "-o", str(self.path), "-e", "trace=%network"]

    def text(self):
        return self.path.read_text(errors="replace")

    def sockets(self):
        """The address families of all sockets, in their order."""
        return re.findall(r"\bsocket(?:pair)?\((\w+)", self.text())


def start(stage, sections):
    """A daemon with a run in progress, and a paced-link that is watched from its start on; returns it, and the trace."""
    link = LinkFixture(stage, None)
    link.start_daemon()
    link.daemon.control.result("run.start", sport="run", indoor=True)
    trace = Trace(stage.directory)
    link.link = PacedLink(stage.directory, link.daemon, sections)
    link.link.command[:0] = trace.words
    stage.start(link.link)
    return link, trace


def ask_all(link, trace):
    """Asks the program all that it can be asked, and prints the messages that it would send."""
    for method, parameters in (RESULTS | ERRORS).items():
        answer = link.link.call(method, **parameters)
        assert (answer or {}).get("code") == (NOT_IN_THIS_STATE if method in ERRORS else None), (method, answer)
    subprocess.run(
        [*trace.words, PACED_LINK, "--config", link.link.configuration, "--check"], check=True, capture_output=True,
        timeout=GUARD)


def begin_anew(link, trace):
    """Ends the activity, and restarts the daemon, to which paced-link then connects again."""
    link.daemon.control.result("run.stop")
    opened = len(trace.sockets())
    link.daemon.stop()
    link.daemon.start()
    link.daemon.control.result("run.start", sport="run", indoor=True)
    wait_for(lambda: len(trace.sockets()) > opened, 60, "a connection to the daemon")


@pytest.mark.thorough
def test_sockets_are_unix_sockets_while_every_sink_is_off(stage):
    link, trace = start(stage, SILENT)
    offered = {method["name"] for method in link.link.call("rpc.discover")["methods"]}
    assert offered | {"rpc.discover"} == (RESULTS | ERRORS).keys()
    begun, rounds = real_seconds(), 0
    while real_seconds() < begun + SECONDS or rounds < 2:
        ask_all(link, trace)
        link.daemon.control.result("run.lap")
        if rounds % 10 == 1:
            begin_anew(link, trace)
        rounds += 1
        time.sleep(PAUSE)
    assert [(sink["name"], sink["state"]) for sink in link.link.call("link.status")["sinks"]] == [("mqtt", "off")]
    calls, families = len(trace.text().splitlines()), trace.sockets()
    print(f"{real_seconds() - begun:.0f} s, {rounds} rounds, {calls} calls, {len(families)} sockets: {set(families)}")
    assert set(families) == {"AF_UNIX"}


@pytest.mark.thorough
def test_socket_to_a_broker_is_in_the_trace(stage):
    _, trace = start(stage, {"Mqtt": {"Host": "127.0.0.1", "Port": 9, "AllowPlain": "yes"}})
    wait_for(lambda: "AF_INET" in trace.sockets(), 60, "a socket to the broker")
