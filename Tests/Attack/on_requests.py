"""Malformed requests: huge, deep, broken, mutated, too many; and values out of range."""

import contextlib
import json
import signal
import time

from attacks import attack
from harness.timing import expect, wait_for
from on_clients import request

METHODS = {
    "run.start": {"sport": "run", "ago_ms": 1000},
    "run.toggle": {},
    "run.pause": {},
    "run.resume": {},
    "run.lap": {},
    "run.stop": {},
    "run.discard": {},
    "status": {},
    "settings.get": {"key": "zones"},
    "settings.set": {"key": "auto_lap_m", "value": 1000},
    "sensor.scan": {"seconds": 1},
    "sensor.use": {"sensor": "9AD13824"},
    "sensor.forget": {"sensor": "9AD13824"},
    "sensor.pair": {"sensor": "9AD13824"},
    "sensor.zero": {},
    "activities.list": {"limit": 5, "before": 10},
    "activities.get": {"id": 1},
    "activities.edit": {"id": 1, "name": "x"},
    "activities.delete": {"id": 1},
    "activities.track": {"id": 1, "from_ms": 0, "interval_ms": 1000, "fields": ["at_ms"]},
    "rpc.discover": {},
}

STRANGE = [
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    2**31,
    2**63,
    2**64,
    10**400,
    "",
    "x" * 5000,
    "\0",
    "\ud800".encode("utf-8", "replace").decode(),
    "\u202e",
    [],
    [[]],
    {},
    {"a": {"b": []}},
    [None] * 1000,
    "auto",
    "off",
    "../../etc/passwd",
    "1; DROP TABLE activity",
]


def exchange(daemon, *lines):
    """The response to bytes on control.sock, until the daemon has answered all and disconnects, or rejects the line."""
    try:
        return daemon.ask(*lines)
    except (BrokenPipeError, ConnectionResetError):
        return []


@attack
def huge_and_deep_json(arena):
    """Lines of 16 MiB, JSON with 30,000 levels, numbers of 60,000 digits, batches of thousands."""
    daemon = arena.daemon("--demo")
    cases = [
        b"x" * (16 << 20) + b"\n",
        b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (16 << 20) + b'"}\n',
        b"[" * 30_000 + b"]" * 30_000 + b"\n",
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"\n",
        b"[" * 65_000 + b"\n",
        b'{"jsonrpc":"2.0","id":' + b"9" * 60_000 + b',"method":"status"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"status","params":{"x":1e' + b"9" * 60_000 + b"}}\n",
        b"{" + b",".join(b'"k%d":1' % i for i in range(6000)) + b"}\n",
        b"{" + b'"id":1,' * 9000 + b'"id":1}\n',
        b"[" + b"1," * 30_000 + b"1]\n",
        b"[" + b",".join([request("status").strip()] * 800) + b"]\n",
        b"[" + b",".join([request("rpc.discover").strip()] * 800) + b"]\n",
        b"[]\n",
        b"\n" * 60_000,
        b"\0" * 60_000 + b"\n",
    ]
    with arena.holds(daemon):
        answered = 0
        for case in cases * 2:
            answers = exchange(daemon, case)
            expect(all(len(line) <= 64 << 10 for line in answers), "an answer is longer than 64 KiB")
            for line in answers:
                json.loads(line)
            answered += bool(answers)
        arena.note(f"{answered} of {2 * len(cases)} lines were answered")


@attack
def bytes_that_are_no_text(arena):
    """Invalid UTF-8, overlong forms, surrogates, control bytes and random bytes, on both sockets."""
    daemon = arena.daemon("--demo")
    parts = [
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\0",
        b"\x1b[2J",
        b"\x7f",
        b"\xef\xbb\xbf",
        b"\r",
        b"\\ud800",
    ]
    with arena.holds(daemon):
        for number in range(300):
            name = "run.lap" if number % 2 else "status"
            words = bytearray(request("activities.edit", id=1, name=name))
            for _ in range(arena.random.randrange(1, 5)):
                place = arena.random.randrange(len(words))
                words[place:place] = arena.random.choice(parts)
            noise = arena.random.randbytes(arena.random.randrange(1, 4000)).replace(b"\n", b"")
            for line in exchange(daemon, bytes(words), noise + b"\n"):
                json.loads(line.decode())
            with daemon.connect("state.sock") as client:
                client.sendall(bytes(words) + noise + b"\n")
        expect(daemon.status()["run"] == "active", "random bytes have ended the run")
        log = daemon.log.read_bytes().decode()
        expect(all(line.isprintable() for line in log.splitlines()), "the log has a line with control characters")


@attack
def mutated_requests(arena):
    """Every method with strange values, missing and extra parameters and flipped bytes: each line has a response."""
    daemon = arena.daemon("--gpsd", "off", "--bluetooth", "off")
    # The thread that exports files starts with the first end of a run.
    daemon.call("run.start")
    daemon.call("run.stop")
    chance = arena.random

    def mutated():
        method, parameters = chance.choice(list(METHODS.items()))
        value = {"jsonrpc": "2.0", "id": chance.randrange(1000), "method": method, "params": dict(parameters)}
        target = chance.choice([value, value["params"]])
        key = chance.choice([*target, "x"]) if target else "x"
        if chance.random() < 0.2:
            target.pop(key, None)
        else:
            target[key] = chance.choice(STRANGE)
        text = bytearray(json.dumps(value).encode())
        if chance.random() < 0.3:
            text[chance.randrange(len(text))] = chance.randrange(32, 127)
        return bytes(text) + b"\n"

    with arena.holds(daemon):
        count = 0
        end = time.monotonic() + 5
        while time.monotonic() < end:
            lines = [mutated() for _ in range(20)]
            answers = exchange(daemon, *lines)
            for line in answers:
                answer = json.loads(line)
                expect("result" in answer or "error" in answer, f"{line[:200]} is no answer")
            count += len(lines)
        arena.note(f"{count} requests")
    if daemon.status()["run"] != "idle":
        daemon.call("run.stop")
    number = daemon.call("run.start")["activity"]
    expect(daemon.status()["activity"] == number, "no run can be started any more")


@attack
def settings_out_of_range(arena):
    """Each setting with strange values, and 3,000 valid ones, the last of which survives a kill."""
    options = ["--gpsd", "off", "--bluetooth", "off"]
    daemon = arena.daemon(*options)
    good = daemon.call("settings.get")
    with arena.holds(daemon):
        for key in good:
            for value in [
                *STRANGE,
                [200, 100, 120, 140, 160],
                [0, 1, 2, 3, 4],
                [100, 120, 140, 160, 251],
                10**9,
                [{"name": "Time", "position": 0, "visible": True, "title_visible": True, "size": 101, "colour": "x"}],
            ]:
                (answer,) = exchange(daemon, request("settings.set", key=key, value=value))
                refused = "error" in json.loads(answer)
                expect(
                    refused or value in (None, True, 0, [], "auto", "off") or key == "sensors",
                    f"{key}={value!r} was accepted",
                )
                if not refused:
                    daemon.call("settings.set", key=key, value=good[key])
        with daemon.connect("control.sock", 20) as client, client.makefile("rb") as stream:
            for number in range(3000):
                client.sendall(request("settings.set", number, key="auto_lap_s", value=60 + number))
                expect(json.loads(stream.readline())["result"] == 60 + number, "a valid setting was refused")
        # A setting is on the disk half a second after its response.
        time.sleep(1)
        size = sum(path.stat().st_size for path in daemon.state.glob("journal.sqlite*")) >> 20
        arena.note(f"journal {size} MiB")
        expect(size <= 16, f"3,000 changes of a setting made {size} MiB of journal")
    daemon.end(signal.SIGKILL)
    value = arena.daemon(*options).call("settings.get", key="auto_lap_s")
    expect(value == 60 + 2999, f"auto_lap_s is {value} after a kill, not {60 + 2999}")


@attack
def lap_flood(arena):
    """run.lap without end: rejected within 1 s of the last one, and the run's `start` is still retained."""
    daemon = arena.daemon("--demo")
    number = daemon.status()["activity"]
    with arena.holds(daemon) as seen:
        end = time.monotonic() + 4
        asked = done = 0
        while time.monotonic() < end:
            for line in exchange(daemon, *[request("run.lap", i) for i in range(50)]):
                asked += 1
                done += "result" in json.loads(line)
        laps = daemon.status()["lap"]["number"] - 1
        kinds = {(event["event"], event.get("activity")) for event in daemon.retained_events()}
    arena.note(f"{asked} laps asked for, {laps} made, at most {seen[0].events_a_second()} events a second")
    expect(laps == done, f"{done} laps were promised, {laps} were made")
    expect(("start", number) in kinds, "the start of the run is not among the retained events any more")
    expect(laps <= 6, f"{laps} laps in 4 s")


@attack
def command_flood(arena):
    """Commands of a run in random order, as fast as possible: each finished run is in the list, once."""
    daemon = arena.daemon("--gpsd", "off", "--sensors", "off", config="[Recording]\nExportAtStop=\n")
    commands = ["run.start", "run.stop", "run.pause", "run.resume", "run.toggle", "run.lap", "run.discard"]
    daemon.call("run.start")
    kept = {daemon.call("run.stop")["id"]}
    with arena.holds(daemon, conflates=True):
        end = time.monotonic() + 2
        while time.monotonic() < end:
            wanted = [arena.random.choice(commands) for _ in range(20)]
            for method, line in zip(wanted, exchange(daemon, *[request(method) for method in wanted])):
                if method == "run.stop" and "result" in (answer := json.loads(line)):
                    kept.add(answer["result"]["id"])
        if daemon.status()["run"] != "idle":
            kept.add(daemon.call("run.stop")["id"])

        def listed():
            found, before = [], {}
            while page := daemon.call("activities.list", limit=100, **before):
                found += [summary["id"] for summary in page if not summary["open"]]
                before = {"before": page[-1]["id"]}
            return found

        with contextlib.suppress(AssertionError):
            wait_for(lambda: len(listed()) >= len(kept), 15, "every run in the list")
        found = listed()
        expect(sorted(found) == sorted(kept), f"{len(kept)} runs were kept, {len(found)} are listed")
        arena.note(f"{len(kept)} runs")
