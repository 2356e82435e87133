"""A gpsd that sends wrong data, floods, pauses, is silent, or is another program."""

import time

from attacks import attack
from harness.timing import expect, wait_for
from hostile import DEGREE, VERSION, tpv

STRAP_OFF = ["--sensors", "off", "--bluetooth", "off"]


def begun(arena, gpsd, sport="run"):
    """A connected daemon, with a run."""
    daemon = arena.daemon("--gpsd", gpsd.option, *STRAP_OFF)
    daemon.call("run.start", sport=sport)
    gpsd.wait()
    return daemon


def recovers(daemon, gpsd):
    """Sends good reports until the daemon accepts them again; returns the seconds until then."""
    since = time.monotonic()

    def fresh():
        gpsd.send(tpv(48.0, 11.0, speed=0.0))
        time.sleep(0.2)
        position = daemon.status().get("position", {})
        return not position.get("stale", True) and abs(position["latitude"] - 48) < 0.01

    wait_for(fresh, 20, "a fresh position from a receiver that behaves again")
    return time.monotonic() - since


@attack
def gpsd_bad_values(arena):
    """Reports with invalid values, 2,000 a second: events are limited, and the run's `start` is still retained."""
    gpsd = arena.gpsd()
    daemon = begun(arena, gpsd)
    number = daemon.status()["activity"]
    chance = arena.random
    strange = [
        None,
        0,
        -1,
        91,
        -91,
        181,
        1e308,
        -1e308,
        1e-308,
        "x",
        "",
        True,
        [],
        {},
        [1] * 50,
        "NaN",
        float("nan"),
        float("inf"),
    ]
    with arena.holds(daemon) as seen:
        end = time.monotonic() + 6
        count = 0
        while time.monotonic() < end:
            lines = []
            for place in range(20):
                if chance.random() < 0.6:
                    # The same receiver a moment later, with a position that appears and disappears.
                    lines.append(tpv(48.0, 11.0, at=time.time() + place / 2000, mode=chance.choice([0, 1, 2, 3])))
                elif chance.random() < 0.2:
                    lines.append(tpv(48.0, 11.0, at=time.time() + chance.choice([-1e6, -5, 3, 1e6])))
                else:
                    key = chance.choice(
                        ["lat", "lon", "mode", "time", "eph", "speed", "track", "altMSL", "device", "class"]
                    )
                    lines.append(tpv(48.0, 11.0, **{key: chance.choice(strange)}))
            gpsd.send(b"".join(lines))
            count += len(lines)
            time.sleep(0.01)
        arena.note(f"good again after {recovers(daemon, gpsd):.1f} s")
        kinds = {(event["event"], event.get("activity")) for event in daemon.retained_events()}
    arena.note(f"{count} reports, at most {seen[0].events_a_second()} events a second")
    expect(("start", number) in kinds, "the start of the run is not among the retained events any more")
    expect(seen[0].events_a_second() <= 50, f"{seen[0].events_a_second()} events in a second")


@attack
def gpsd_millisecond_times(arena):
    """Times that advance by 1 ms, 4,000 a second: at most 25 fixes a second are used, and the journal stays small."""
    gpsd = arena.gpsd()
    daemon = begun(arena, gpsd)
    with arena.holds(daemon) as seen:
        begun_at, at, count = time.monotonic(), time.time() - 3600, 0
        while time.monotonic() < begun_at + 4:
            gpsd.send(b"".join(tpv(48.0 + count * 1e-9, 11.0, at=at + (count + i) / 1000) for i in range(40)))
            count += 40
            time.sleep(0.01)
        took = time.monotonic() - begun_at
        arena.note(f"good again after {recovers(daemon, gpsd):.1f} s")
    size = sum(path.stat().st_size for path in daemon.state.glob("journal.sqlite*")) / 1e6
    fixes = len(seen[0].of("FIX"))
    arena.note(f"{count} reports in {took:.0f} s, {fixes} fixes used, journal {size:.1f} MB")
    expect(fixes <= 25 * (took + 22) + 50, f"{fixes} fixes in {took:.0f} s")
    expect(size <= 6, f"the journal has {size:.1f} MB after {took:.0f} s")


@attack
def gpsd_at_20_hz(arena):
    """A well-behaved receiver of 20 Hz: the limit drops none of its fixes."""
    gpsd = arena.gpsd()
    daemon = begun(arena, gpsd)
    with arena.holds(daemon) as seen:
        begun_at, start = time.monotonic(), time.time()
        for number in range(80):
            time.sleep(max(0, begun_at + number / 20 - time.monotonic()))
            gpsd.send(tpv(48.0 + number * 0.15 / DEGREE, 11.0, at=start + number / 20, speed=3.0))
        time.sleep(0.5)
    fixes = len(seen[0].of("FIX"))
    arena.note(f"{fixes} of 80 fixes")
    expect(fixes >= 79, f"{fixes} of 80 fixes were used")


@attack
def gpsd_noise(arena):
    """Random bytes, half lines, lines of megabytes and deep JSON between good reports."""
    gpsd = arena.gpsd()
    daemon = begun(arena, gpsd)
    chance = arena.random
    with arena.holds(daemon):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            good = tpv(48.0, 11.0)
            gpsd.send(
                chance.choice(
                    [
                        chance.randbytes(5000),
                        chance.randbytes(2000) + b"\n",
                        good[: chance.randrange(len(good))],
                        b"x" * (1 << 20),
                        b"[" * 5000 + b"\n",
                        b'{"class":"TPV",' * 700 + b"\n",
                        b"\0" * 9000,
                        b"\r\n" * 5000,
                        b"$GPGGA,,,,,*00\r\n" * 100,
                        b'{"class":"SKY","satellites":[' + b'{"PRN":1,"used":true},' * 400 + b'{"PRN":2}]}\r\n',
                        b'{"class":"DEVICES","devices":['
                        + b",".join(b'{"path":"/dev/x%d"}' % i for i in range(300))
                        + b"]}\r\n",
                        bytes(byte ^ (1 << chance.randrange(8)) if chance.random() < 0.02 else byte for byte in good),
                    ]
                )
            )
            gpsd.send(b"\r\n" + tpv(48.0, 11.0))
            time.sleep(0.005)
        arena.note(f"good again after {recovers(daemon, gpsd):.1f} s")


@attack
def gpsd_many_receivers(arena):
    """A thousand receivers that report in turn, and a report in a thousand chunks."""
    gpsd = arena.gpsd()
    daemon = begun(arena, gpsd)
    with arena.holds(daemon):
        for number in range(6000):
            gpsd.send(tpv(48.0 + number % 7, 11.0, device=f"/dev/tty{number % 1000}" + "x" * 100, eph=5.0 - number % 5))
            if number % 20 == 0:
                time.sleep(0.01)
        for byte in tpv(48.0, 11.0):
            gpsd.send(bytes([byte]))
        # Another receiver is used once the chosen one has been silent for 10 s.
        arena.note(f"good again after {recovers(daemon, gpsd):.1f} s")


@attack
def gpsd_that_hangs_up(arena):
    """A gpsd with a wrong greeting, or that disconnects at once, in the middle of a report, or after each report."""
    gpsd = arena.gpsd(greeting=b"")
    daemon = arena.daemon("--gpsd", gpsd.option, *STRAP_OFF)
    daemon.call("run.start")
    greetings = [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        b'{"class":"VERSION"}\r\n',
        b'{"class":"VERSION","proto_major":9}\r\n',
        b"\0" * 9000,
        VERSION[:20],
        VERSION * 100,
    ]
    with arena.holds(daemon):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            gpsd.greeting = arena.random.choice(greetings)
            gpsd.send(tpv(48.0, 11.0)[: arena.random.randrange(1, 120)])
            gpsd.hang_up()
            time.sleep(0.1)
        gpsd.greeting = VERSION
        gpsd.hang_up()
        gpsd.wait()
        arena.note(f"{gpsd.connections} connections, good again after {recovers(daemon, gpsd):.1f} s")
        expect(gpsd.connections <= 40, f"{gpsd.connections} connections in some seconds")


@attack
def gpsd_silence(arena):
    """A gpsd that becomes silent in the middle of a report: the position becomes stale, then absent, and returns."""
    gpsd = arena.gpsd()
    daemon = begun(arena, gpsd)
    with arena.holds(daemon):
        recovers(daemon, gpsd)
        gpsd.send(b'{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":4')
        silent = time.monotonic()
        wait_for(lambda: daemon.status()["position"].get("stale"), 8, "a stale position")
        stale = time.monotonic() - silent
        wait_for(lambda: "position" not in daemon.status(), 8, "no position")
        absent = time.monotonic() - silent
        expect(4 < stale < 6.5 and 9 < absent < 12, f"stale after {stale:.1f} s, absent after {absent:.1f} s")
        gpsd.send(b"\r\n")
        arena.note(
            f"stale after {stale:.1f} s, absent after {absent:.1f} s, good again after {recovers(daemon, gpsd):.1f} s"
        )
