"""Impossible positions: whatever arrives, the distance of any interval is bounded."""

import contextlib
import time

from arena import DELIVERY_S, FASTEST
from attacks import attack
from harness.timing import boot_ms, expect
from hostile import DEGREE, tpv
from on_gpsd import STRAP_OFF

SPORTS = ["walk", "run", "ride"]
ERROR = 5.0


def far(chance):
    """A random position on Earth."""
    return chance.uniform(-89, 89), chance.uniform(-180, 180)


def daemons(arena, gpsd, name):
    """A daemon for each sport, at one gpsd, each with a run."""
    made = []
    for sport in SPORTS:
        directory = arena.ground.directory(f"{arena.directory.name}/{name}-{sport}")
        daemon = arena.daemon("--gpsd", gpsd.option, *STRAP_OFF, directory=directory)
        daemon.sport = sport
        daemon.call("run.start", sport=sport)
        made.append(daemon)
    gpsd.wait(len(made))
    return made


def wait_for_phase(daemon, milliseconds):
    """Waits until the run's active time is this far beyond a whole second: distance is counted at whole seconds."""
    state = daemon.status()
    passed = boot_ms() - state["boot_ms"] + state["elapsed_ms"]
    time.sleep((milliseconds - passed) % 1000 / 1000)


@contextlib.contextmanager
def bounded(arena, gpsd, name="d"):
    """Three daemons; at the end no interval of any of them exceeds its bound."""
    made = daemons(arena, gpsd, name)
    with arena.holds(*made) as seen:
        yield made
        # The next distance tick.
        time.sleep(1.2)
    worst = []
    for daemon, observation in zip(made, seen):
        distance = max(state.get("distance_m", 0) for state in observation.of("STATE"))
        worst.append((daemon.sport, distance, observation.excess(daemon.sport, ERROR)))
    arena.note(", ".join(f"{sport} {distance:,.0f} m" for sport, distance, _ in worst))
    for sport, distance, excess in worst:
        expect(excess <= 0, f"{sport}: {distance:,.0f} m, a stretch is {excess:,.0f} m over its bound")


@attack
def jump_at_a_cold_start(arena):
    """The second fix of a receiver is 12,000 km from the first, 0.25 to 0.9 s later; then it stays there."""
    reached = []
    for delay in (0.25, 0.5, 0.9):
        gpsd = arena.gpsd()
        made = daemons(arena, gpsd, f"{delay}")
        (latitude, longitude), start = far(arena.random), time.monotonic()
        # A distance tick falls between the two fixes.
        wait_for_phase(made[0], 500)
        # With a speed, because two equal positions would otherwise mean that the receiver does not move.
        gpsd.send(tpv(latitude, longitude, speed=3.0))
        time.sleep(delay)
        for _ in range(6):
            gpsd.send(tpv(-latitude / 2, (longitude + 288) % 360 - 180, speed=3.0))
            time.sleep(0.4)
        for daemon in made:
            distance = daemon.status()["distance_m"]
            bound = FASTEST[daemon.sport] * (time.monotonic() - start + DELIVERY_S) + 2 * ERROR
            reached.append((daemon.sport, delay, distance, bound))
            daemon.end()
        gpsd.end()
    arena.note(f"at most {max(distance for _, _, distance, _ in reached):,.0f} m")
    for sport, delay, distance, bound in reached:
        expect(
            distance <= bound,
            f"{sport}, a jump {delay} s after the first fix: {distance:,.0f} m (bound: {bound:.0f} m)",
        )


@attack
def jump_after_a_jump(arena):
    """Jumps of thousands of kilometres, each held until it is accepted, and the next one up to 0.9 s later."""
    gpsd = arena.gpsd()
    with bounded(arena, gpsd) as made:
        # A jump is accepted after 2 s: then a distance tick comes, and the next jump within a second of it.
        for phase, held in ((0, 1.1), (600, 2.4), (50, 1.2), (600, 2.4), (50, 1.2)):
            place = far(arena.random)
            wait_for_phase(made[0], phase)
            at = time.monotonic()
            while time.monotonic() < at + held:
                gpsd.send(tpv(*place, speed=3.0))
                time.sleep(0.1)


@attack
def random_positions(arena):
    """A random position on Earth in each fix, at 2, 5, 10 and 20 Hz."""
    gpsd = arena.gpsd()
    with bounded(arena, gpsd):
        for rate in (2, 5, 10, 20):
            for _ in range(2 * rate):
                gpsd.send(tpv(*far(arena.random), speed=arena.random.choice([None, 0.0, 3.0, 1000.0])))
                time.sleep(1 / rate)


@attack
def two_places_in_turn(arena):
    """Two positions that are 100 m, 1 km or 100 km apart, alternating, 0.4 to 3 s each, with an error of 5 m."""
    gpsd = arena.gpsd()
    with bounded(arena, gpsd):
        for metres, seconds in ((100, 0.4), (1000, 0.4), (1000, 1.2), (100_000, 1.2)):
            for turn in range(max(2, int(1.6 / seconds))):
                for _ in range(int(seconds / 0.1)):
                    gpsd.send(tpv(48.0 + (turn % 2) * metres / DEGREE, 11.0, speed=3.0))
                    time.sleep(0.1)


@attack
def times_ahead_of_arrival(arena):
    """Receiver times that advance 60 times as fast as the clock, with matching positions."""
    gpsd = arena.gpsd()
    with bounded(arena, gpsd):
        start, at = time.monotonic(), time.time()
        while (passed := time.monotonic() - start) < 6:
            gpsd.send(tpv(48.0 + passed * 60 * 2.5 / DEGREE, 11.0, at=at + passed * 60, speed=2.5))
            time.sleep(0.2)


@attack
def jumps_after_silence(arena):
    """Silences of up to 12 s, each ended by a distant position, with times that claim a longer silence."""
    gpsd = arena.gpsd()
    with bounded(arena, gpsd):
        at, latitude = time.time(), 48.0
        for silence, claimed in ((0.0, 0), (1.0, 120), (10.2, 500)):
            time.sleep(silence)
            at, latitude = at + silence + claimed, latitude + 2.5 * claimed / DEGREE
            for _ in range(6):
                at += 0.1
                gpsd.send(tpv(latitude, 11.0, at=at, speed=2.5))
                time.sleep(0.1)


@attack
def fast_but_possible(arena):
    """25 m/s on a bike at 20 Hz, and 8.5 m/s on foot at 5 Hz: the limits do not reduce their distances."""
    riders = []
    for sport, speed, rate in (("ride", 25.0, 20), ("run", 8.5, 5)):
        gpsd = arena.gpsd()
        daemon = arena.daemon(
            "--gpsd", gpsd.option, *STRAP_OFF, directory=arena.ground.directory(f"{arena.directory.name}/{sport}")
        )
        gpsd.wait()
        daemon.call("run.start", sport=sport)
        riders.append((sport, speed, rate, gpsd, daemon))
    start, at = time.monotonic(), time.time()
    for number in range(8 * 20):
        time.sleep(max(0, start + number / 20 - time.monotonic()))
        for _, speed, rate, gpsd, _ in riders:
            if number % (20 // rate) == 0:
                gpsd.send(tpv(48.0 + number / 20 * speed / DEGREE, 11.0, at=at + number / 20, speed=speed))
    time.sleep(1.3)
    for sport, speed, rate, _, daemon in riders:
        distance, way = daemon.status()["distance_m"], (8 - 1 / rate) * speed
        arena.note(f"{sport} {distance:.0f} of {way:.0f} m")
        # The first distance tick sets the anchor: up to a second's distance is missing.
        expect(
            way - 1.2 * speed <= distance <= way * 1.01,
            f"{sport} at {speed} m/s: {distance:.1f} m of {way:.1f} m were counted",
        )
