"""Hostile sensors: programs at sensor.sock that flood, lie, take the names of others, and come in crowds."""

import json
import time

from attacks import attack
from harness.timing import expect
from on_clients import pour, request

TOLD = 230


class Publisher:
    """A program that behaves: it waits for each answer."""

    def __init__(self, daemon):
        self.socket = daemon.connect("sensor.sock", 10)
        self.lines = self.socket.makefile("rb")

    def call(self, line):
        self.socket.sendall(line)
        text = self.lines.readline()
        expect(text, "the daemon closed the connection of a program that behaves")
        return json.loads(text)

    def announces(self, line):
        answer = self.call(line)
        expect("error" not in answer, f"a sensor is refused: {answer}")

    def end(self):
        self.lines.close()
        self.socket.close()


def measure(sensor, kind="power", **values):
    return request("sensor.measure", id=sensor, kind=kind, **values)


def announce(sensor, *kinds, **more):
    return request("sensor.announce", id=sensor, kinds=list(kinds), **more)


def wrong_requests():
    """Each of these must be an error."""
    yield from (measure("mine", power_w=200, age_s=age) for age in (-1, 5.1, 1e308, "1", None))
    yield from (measure("mine", power_w=watts) for watts in (40_000, -2**63, 1e999, "200", [200], None))
    for line in (measure("mine", power_w=77), measure("mine", "fields", values={"own": 77})):
        yield from (
            line.replace(b"77", value) for value in (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"0x10", b"1" * 400))
    for values in ({"other": 1}, {"own": "1"}, {"own": 1e12}, [1], "own"):
        yield measure("mine", "fields", values=values)
    yield from (measure("mine", kind) for kind in ("power", "fields", "gears", "nothing", ""))
    # The name of a sensor of another connection, of Bluetooth and of none.
    yield from (measure(name, power_w=999) for name in ("chosen", "A0:9E:1A:00:00:01", "", "x" * 33, "nobody"))
    yield announce("chosen", "power", name="Another")
    yield from (announce("mine", *kinds) for kinds in ([], ["none"], ["power", "power"]))
    names = [["power"], ["x" * 65], ["Own"], ["own", "own"], [7], [f"f{number}" for number in range(9)]]
    yield from (announce("mine", "fields", fields=[{"name": name} for name in some]) for some in names)
    yield request("position.measure", latitude=1, longitude=1)
    yield from (request(method, key="metric", value=True) for method in ("run.stop", "settings.set", "activities.list"))


@attack
def lying_sensors(arena):
    """65 programs at sensor.sock: floods, lying ages, numbers that are none, sensors of others, and half lines."""
    daemon = arena.daemon("--demo")
    chosen = Publisher(daemon)
    chosen.announces(announce("chosen", "power", "fields", fields=[{"name": "told"}]))
    wrong = list(wrong_requests())
    acts = [
        lambda: measure("mine", power_w=arena.random.randrange(3000)) * 50,
        lambda: measure("mine", "fields", values={"own": arena.random.random()}, age_s=arena.random.uniform(0, 5)) * 50,
        lambda: announce("mine", "fields", name="x" * 64, fields=[{"name": f"f{arena.random.randrange(99)}"}]) * 50,
        lambda: announce(f"mine-{arena.random.randrange(99)}", "power") * 20,
        lambda: arena.random.choice(wrong) * 20,
        lambda: b'{"jsonrpc":"2.0","id":1,"method":"sensor.measure","params":{"values":' + b"[" * 30_000 + b"\n",
        lambda: b"x" * 10_485_760,
        lambda: arena.random.randbytes(3000) + b"\n",
        lambda: measure("mine", power_w=1)[: arena.random.randrange(1, 60)],
    ]
    with arena.holds(daemon) as seen:
        liar = Publisher(daemon)
        liar.announces(announce("mine", "power", "fields", fields=[{"name": "own"}]))
        for line in wrong:
            answer = liar.call(line)
            expect("error" in answer, f"{line[:150]} was accepted: {answer}")
        liar.end()
        for _ in range(300):
            restless = Publisher(daemon)
            restless.call(measure("nobody", power_w=1))
            restless.end()
        clients = [daemon.connect("sensor.sock") for _ in range(65)]
        begun, refused = time.monotonic(), 0
        while time.monotonic() < begun + 4:
            for place in range(65):
                if not pour(clients[place], arena.random.choice(acts)()):
                    # One over the limit, or one with too long a line: another one comes in its place.
                    refused += 1
                    clients[place].close()
                    clients[place] = daemon.connect("sensor.sock")
            answer = chosen.call(measure("chosen", power_w=TOLD))
            expect("error" not in answer, f"a program that behaves is refused: {answer}")
            time.sleep(0.06)
        power = sensors_of(daemon)["ext:chosen"].get("power_w")
        expect(power == TOLD, f"the sensor of a program that behaves has {power} W")
        for client in clients:
            client.close()
        lines = daemon.log_text().count("sensor.sock")
        arena.note(f"{len(wrong)} wrong requests, {refused} connections ended, {lines} lines of log")
        expect(lines <= 100, f"sensor.sock has written {lines} lines of log")
    chosen.end()
    events = [line["event"] for line in seen[0].of("EVENT")]
    expect("stop" not in events, "a program at sensor.sock has stopped the run")


def sensors_of(daemon):
    """The sensors of the next STATE."""
    with daemon.connect("state.sock") as client, client.makefile("rb") as stream:
        client.sendall(b'{"class":"WATCH","classes":["STATE"],"blocks":["sensors"]}\n')
        while True:
            line = json.loads(stream.readline())
            if line["class"] == "STATE" and "blocks" in line:
                return {one["id"]: one for one in line["blocks"].get("sensors", [])}
