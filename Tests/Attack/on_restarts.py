"""Kills and restarts in the middle of a run."""

import signal
import time

from attacks import attack
from harness.timing import boot_ms, expect, wait_for
from hostile import DEGREE, tpv
from on_clients import EVERYTHING, pour, request
from on_gpsd import STRAP_OFF


class Rider:
    """Sends reports of a receiver that moves north, in a thread, until it is stopped."""

    def __init__(self, arena, gpsd, speed, rate):
        self.gpsd, self.speed, self.rate = gpsd, speed, rate
        self.metres, self.is_moving, self.is_running = 0.0, False, True
        self.thread = arena.thread(self.ride)

    def ride(self):
        begun, at, number = time.monotonic(), time.time(), 0
        while self.is_running:
            number += 1
            time.sleep(max(0, begun + number / self.rate - time.monotonic()))
            self.metres += self.speed / self.rate if self.is_moving else 0
            self.gpsd.send(
                tpv(
                    48.0 + self.metres / DEGREE,
                    11.0,
                    at=at + number / self.rate,
                    eph=3.0,
                    speed=self.speed if self.is_moving else 0.0,
                )
            )


def restarts(arena, number, times, between):
    """Restarts one of two daemons at one receiver; returns the last states of both, and those around each restart."""
    gpsd = arena.gpsd()
    options = ["--gpsd", gpsd.option, *STRAP_OFF]
    places = [arena.ground.directory(f"{arena.directory.name}/{name}") for name in ("whole", "restarted")]
    whole, other = (arena.daemon(*options, directory=place) for place in places)
    gpsd.wait(2)
    rider = Rider(arena, gpsd, 20.0, 10)
    time.sleep(1)
    for daemon in (whole, other):
        daemon.call("run.start", sport="ride")
    time.sleep(1.5)
    rider.is_moving = True
    pairs = []
    for _ in range(times):
        time.sleep(between())
        before, at = other.status(), boot_ms()
        other.end(number)
        other = arena.daemon(*options, directory=places[1])
        after = wait_for(
            lambda: (state := other.status()).get("run") == "active" and state, 5, "the run after a restart"
        )
        pairs.append((before, after, boot_ms() - at))
    time.sleep(1)
    rider.is_moving = False
    time.sleep(3)
    states = whole.status(), other.status()
    rider.is_running = False
    return *states, pairs, other


def compare(arena, whole, other, pairs):
    backwards = max(before["elapsed_ms"] - after["elapsed_ms"] for before, after, _ in pairs)
    shorter = max(before["distance_m"] - after["distance_m"] for before, after, _ in pairs)
    difference = other["distance_m"] - whole["distance_m"]
    arena.note(
        f"{len(pairs)} restarts: {other['distance_m']:.1f} of {whole['distance_m']:.1f} m, "
        f"{other['elapsed_ms'] - whole['elapsed_ms']} ms; "
        f"at most {backwards} ms and {shorter:.1f} m back"
    )
    return backwards, shorter, difference


@attack
def clean_restarts(arena):
    """Ten restarts by SIGTERM in a ride: neither time nor distance goes back, and the distance is within 0.5 %."""
    whole, other, pairs, _ = restarts(arena, signal.SIGTERM, 10, lambda: arena.random.uniform(0.3, 1.2))
    backwards, shorter, difference = compare(arena, whole, other, pairs)
    expect(backwards <= 0, f"elapsed_ms went back by {backwards}")
    expect(shorter <= 0, f"the distance went back by {shorter:.2f} m")
    # The requests to the two are sent one after the other.
    expect(
        abs(other["elapsed_ms"] - whole["elapsed_ms"]) <= 1000,
        f"{whole['elapsed_ms'] - other['elapsed_ms']} ms were lost",
    )
    expect(
        abs(difference) <= 0.005 * whole["distance_m"], f"{difference:.1f} m of {whole['distance_m']:.1f} m were lost"
    )


@attack
def kills_under_load(arena):
    """Kills in a ride: elapsed_ms does not go back, at most a second of inputs is lost, and a replay agrees."""
    whole, other, pairs, daemon = restarts(arena, signal.SIGKILL, 6, lambda: arena.random.uniform(0.8, 2.0))
    backwards, shorter, difference = compare(arena, whole, other, pairs)
    expect(backwards <= 0, f"elapsed_ms went back by {backwards}")
    # A second at 20 m/s, and the tick that counted it.
    expect(shorter <= 45, f"the distance went back by {shorter:.1f} m")
    expect(
        abs(difference) <= 0.01 * whole["distance_m"] + 20,
        f"{difference:.1f} m of {whole['distance_m']:.1f} m were lost",
    )
    summary = daemon.call("run.stop")
    wait_for(lambda: not daemon.call("activities.list")[0]["open"], 5, "the end of the run")
    daemon.end()
    lines = arena.pacectl(daemon.state, "replay", str(summary["id"]), "--interval-ms", "60000", text=True).stdout
    expect(f'"distance_m":{summary["distance_m"]}' in lines, "a replay gives another distance")


@attack
def kills_among_clients(arena):
    """Kills and SIGTERM in turn while clients flood both sockets: each start is fast, and the run continues."""
    active, slowest = 0, 0.0
    for turn in range(6):
        begun = time.monotonic()
        daemon = arena.daemon("--demo")
        slowest = max(slowest, time.monotonic() - begun)
        state = daemon.status()
        expect(state["run"] == "active" and state["activity"] == 1, f"start {turn}: the run is {state['run']}")
        expect(
            state["elapsed_ms"] >= active - 1000, f"start {turn}: {active} ms before, {state['elapsed_ms']} ms after"
        )
        clients = [daemon.connect("state.sock") for _ in range(30)] + [
            daemon.connect("control.sock") for _ in range(10)
        ]
        end = time.monotonic() + arena.random.uniform(0.5, 1.5)
        while time.monotonic() < end:
            for index, client in enumerate(clients):
                pour(client, EVERYTHING if index < 30 else request("activities.list") * 20)
            time.sleep(0.01)
        active = daemon.status()["elapsed_ms"]
        status, took = daemon.end(signal.SIGTERM if turn % 2 else signal.SIGKILL)
        expect(turn % 2 == 0 or (status == 0 and took < 1.5), f"SIGTERM: status {status} after {took:.1f} s")
        for client in clients:
            client.close()
    arena.note(f"the slowest start took {slowest:.2f} s")


@attack
def stopped_process(arena):
    """SIGSTOP for 2 s in a run, while clients write: the missed ticks are counted, and no line is lost."""
    daemon = arena.daemon("--demo")
    with arena.holds(daemon, late=3000, answer=3000):
        clients = [daemon.connect("control.sock") for _ in range(10)]
        before, at = daemon.status(), boot_ms()
        daemon.process.send_signal(signal.SIGSTOP)
        for client in clients:
            pour(client, request("status") * 500)
        time.sleep(2)
        daemon.process.send_signal(signal.SIGCONT)
        time.sleep(1)
        after, passed = daemon.status(), boot_ms() - at
        expect(
            abs(after["elapsed_ms"] - before["elapsed_ms"] - passed) < 300,
            f"{after['elapsed_ms'] - before['elapsed_ms']} ms of {passed:.0f} ms are in the run",
        )
        expect(after["ticks"]["late"] >= 15, f"{after['ticks']} were late")
        for client in clients:
            client.close()
