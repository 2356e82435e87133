"""A strap that responds twice, wrongly, without end, or not at all."""

import sqlite3
import threading
import time

from attacks import attack
from harness.timing import expect, wait_for
from hostile import BATTERY, BEAT, MAKER, NAME, SUBSCRIPTION, answer


def connected(arena, strap, name=None):
    directory = arena.directory if name is None else arena.ground.directory(f"{arena.directory.name}/{name}")
    return arena.daemon("--gpsd", "off", "--sensors", f"unix:{strap.path}", directory=directory)


def has_beat(daemon):
    return "bpm" in daemon.status()["heart"]


@attack
def strap_that_answers_twice(arena):
    """Each response comes twice, the second one 0, 5 or 50 ms later: a beat within 5 s, and no value is misassigned."""
    for delay in (0.0, 0.005, 0.05):

        def react(request, send):
            text = answer(request)
            send(text)
            if delay:
                threading.Timer(delay, send_again, [send, text]).start()
            else:
                send(text)

        def send_again(send, text):
            try:
                send(text)
            except OSError:
                pass

        strap = arena.strap(react)
        since = time.monotonic()
        daemon = connected(arena, strap, f"{delay}")
        wait_for(strap.subscribed.is_set, 5, f"a subscription, with each answer twice after {delay * 1000:.0f} ms")

        def beats():
            strap.send(BEAT)
            time.sleep(0.2)
            return has_beat(daemon)

        wait_for(beats, 5 - (time.monotonic() - since), "a beat within 5 s")
        took = time.monotonic() - since
        daemon.call("run.start")
        end = time.monotonic() + 3
        while time.monotonic() < end:
            beats()
        heart = daemon.status()["heart"]
        expect(
            heart.get("battery_percent", BATTERY) == BATTERY,
            f"the battery is {heart['battery_percent']} %, not {BATTERY}",
        )
        expect(heart.get("name", NAME.decode()) == NAME.decode(), f"the name is {heart.get('name')!r}")
        daemon.call("run.stop")
        daemon.end()
        with sqlite3.connect(f"file:{daemon.state}/journal.sqlite?mode=ro", uri=True) as journal:
            sensors = journal.execute("SELECT name, manufacturer, battery_percent FROM sensor").fetchall()
        for name, maker, battery in sensors:
            expect(
                (name or NAME.decode(), maker or MAKER.decode(), battery or BATTERY)
                == (NAME.decode(), MAKER.decode(), BATTERY),
                f"the journal has {name!r}, {maker!r}, {battery!r}",
            )
        arena.note(f"{delay * 1000:.0f} ms: a beat after {took:.1f} s, {strap.connections} connections, {sensors}")
        strap.end()
        strap.path.unlink()


@attack
def strap_that_answers_wrongly(arena):
    """Wrong handles, lengths and opcodes and flipped bits in responses: no beat comes from another value."""
    chance = arena.random

    def react(request, send):
        text = bytearray(answer(request))
        match chance.randrange(7):
            case 0:
                text[0] = chance.randrange(256)
            case 1:
                text = text[: chance.randrange(len(text) + 1)]
            case 2:
                text += chance.randbytes(chance.randrange(1, 500))
            case 3:
                text[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
            case 4:
                text = bytearray(chance.randbytes(chance.randrange(1, 30)))
            case 5:
                text = bytearray([0x01, request[0], 0, 0, chance.randrange(256)])
        if text:
            send(bytes(text))
        # A value of another characteristic, which reads as 200 bpm if the handle is ignored.
        send(bytes.fromhex("1b770000c8"))

    strap = arena.strap(react)
    daemon = connected(arena, strap)
    with arena.holds(daemon) as seen:
        end = time.monotonic() + 6
        while time.monotonic() < end:
            if chance.random() < 0.2:
                strap.hang_up()
            time.sleep(0.2)
    beats = [line["bpm"] for line in seen[0].of("HEART") if "bpm" in line]
    arena.note(f"{strap.connections} connections")
    expect(200 not in beats, "a value of another characteristic was taken for a beat")
    expect(strap.connections >= 2, "the strap is not tried again")


@attack
def strap_that_floods(arena):
    """Notifications as fast as they are accepted: the connection is cut and paused, and the log stays short."""
    strap = arena.strap()
    daemon = connected(arena, strap)
    sent = 0
    with arena.holds(daemon):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            if not strap.subscribed.wait(0.1):
                continue
            while strap.send(BEAT) and time.monotonic() < end:
                sent += 1
    lines = len(daemon.log_text().splitlines())
    arena.note(f"{sent} notifications, {strap.connections} connections, {lines} lines of log")
    expect(lines <= 100, f"the log has {lines} lines")


@attack
def strap_with_odd_packets(arena):
    """PDUs of 0 to 60,000 bytes, requests and commands of a server, indications, in each state of a connection."""
    chance = arena.random
    odd = [
        b"",
        b"\0",
        b"\x1b",
        b"\x1b\x15",
        b"\x1b\x15\0",
        b"\x1b" + bytes(600),
        b"\x09" + bytes(60_000),
        b"\x1d\x15\0" + BEAT[3:],
        b"\x02\0\0",
        b"\x02\xff\xff",
        b"\x03\0\0",
        b"\x08\1\0\xff\xff\0\x28",
        b"\x52\1\0\0",
        b"\xd2" + bytes(20),
        b"\x1e",
        b"\x01",
        b"\x01\x08\0\0",
    ]

    def react(request, send):
        for _ in range(chance.randrange(3)):
            send(chance.choice(odd))
        send(answer(request))
        if request == SUBSCRIPTION:
            for _ in range(10):
                send(chance.choice(odd))

    strap = arena.strap(react)
    daemon = connected(arena, strap)
    with arena.holds(daemon):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            strap.send(chance.choice(odd))
            time.sleep(0.03)
    arena.note(f"{strap.connections} connections")


@attack
def strap_without_end(arena):
    """A discovery that never ends, with one more characteristic each time; and connections that close at once."""
    places = {"next": 1}

    def react(request, send):
        if request[0] in (0x06, 0x08, 0x04):
            handle = places["next"] = places["next"] % 65_000 + (arena.random.random() < 0.7)
            low = handle.to_bytes(2, "little")
            send(
                {
                    0x06: b"\x07" + low + low,
                    0x08: b"\x09\x07" + low + b"\x10" + low + b"\x37\x2a",
                    0x04: b"\x05\x01" + low + b"\x02\x29",
                }[request[0]]
            )
        else:
            send(answer(request))

    strap = arena.strap(react)
    daemon = connected(arena, strap)
    with arena.holds(daemon):
        time.sleep(2)
        strap.react = lambda request, send: strap.hang_up()
        time.sleep(2)
    arena.note(f"{strap.connections} connections")
    expect(strap.connections <= 200, f"{strap.connections} connections in 4 s")


@attack
def strap_with_zero_intervals(arena):
    """RR intervals of 0 and 65535, 0 and 65535 bpm: no interval of 0 is published, and no such value is a beat."""
    strap = arena.strap()
    daemon = connected(arena, strap)
    wait_for(strap.subscribed.is_set, 10, "a subscription")
    with arena.holds(daemon) as seen:
        for value in (
            "1043000000" "7203",
            "10430000",
            "1000ffff",
            "11ffff0000",
            "0143ff",
            "1843ffff00000000",
            "1643" + "0000" * 9,
        ):
            for _ in range(4):
                strap.send(bytes.fromhex("1b1500" + value))
                time.sleep(0.1)
    lines = seen[0].of("HEART")
    arena.note(f"{len(lines)} beats")
    expect(len(lines) >= 20, f"{len(lines)} of 28 notifications were passed on")
    expect(not any(0 in line.get("rr_1024", []) for line in lines), "an RR interval of 0 was passed on")
    expect(all(line.get("bpm", 67) <= 240 for line in lines), "a beat over 240 bpm was passed on")
