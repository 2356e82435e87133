"""Malformed and misleading files for `pacectl import`, and for `replay`, which reads the same."""

import json
import re
import signal
import subprocess
import time

from attacks import attack
from harness.process import PACECTL
from harness.timing import expect
from hostile import DEGREE, utc

FORMATS = ["gpx", "tcx", "kml", "fit"]
BEGUN = 1_750_000_000
# The memory limit of an import, in KiB of address space.
MEMORY_KIB = 400_000


def gpx(points, sport="running", begun=BEGUN):
    """Points are (latitude, longitude, seconds from `begun`, a POSIX time)."""
    rows = "".join(
        f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>34</ele><time>{utc(begun + at)}</time></trkpt>\n'
        for latitude, longitude, at in points
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">'
        f"<trk><type>{sport}</type><trkseg>\n{rows}</trkseg></trk></gpx>\n"
    ).encode()


def straight(count, speed=3.0, north=48.0):
    return [(north + at * speed / DEGREE, 11.0, at) for at in range(count)]


def carried_out(arena, *words):
    """Runs pacectl with limits of memory and time; returns its result."""
    command = [
        "prlimit",
        f"--as={MEMORY_KIB << 10}",
        PACECTL,
        "--runtime-dir",
        arena.directory / "none",
        "--state-dir",
        arena.ground.check(arena.directory / "state"),
        *words,
    ]
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=20)


def originals(arena):
    """The same track in each format, as bytes."""
    path = arena.directory / "original.gpx"
    path.write_bytes(gpx(straight(120)))
    number = json.loads(arena.pacectl(arena.directory / "originals", "import", path, "--json").stdout)["id"]
    return {
        format: arena.pacectl(arena.directory / "originals", "export", str(number), "--format", format).stdout
        for format in FORMATS
    }


def mutated(chance, content):
    """A copy with some bytes, numbers or ranges changed."""
    text = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 5, 30])):
        place = chance.randrange(len(text))
        match chance.randrange(6):
            case 0:
                text[place] ^= 1 << chance.randrange(8)
            case 1:
                del text[place : place + chance.randrange(1, 200)]
            case 2:
                text[place:place] = text[place : place + chance.randrange(1, 400)]
            case 3:
                text[place : place + 4] = chance.choice(
                    [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"1e99", b"-NaN", b"<!--"]
                )
            case 4:
                del text[place:]
            case 5:
                numbers = list(re.finditer(rb"\d+\.?\d*", bytes(text[place : place + 400])))
                if numbers:
                    start, end = numbers[0].span()
                    text[place + start : place + end] = chance.choice(
                        [b"1e308", b"-1", b"99999999999999999999", b"0", b"nan", b"91"]
                    )
        if not text:
            break
    return bytes(text)


@attack
def mutated_files(arena):
    """GPX, TCX, KML and FIT with random changes: imported or rejected with one line, and imported ones are listed."""
    kept = originals(arena)
    # An activity that a later file replaces keeps its number.
    imported, refused, seconds = set(), 0, 0.0
    end = time.monotonic() + 5
    while time.monotonic() < end:
        format = arena.random.choice(FORMATS)
        path = arena.directory / f"file.{format}"
        path.write_bytes(mutated(arena.random, kept[format]))
        begun = time.monotonic()
        result = carried_out(arena, "import", "--again", path, "--json")
        seconds = max(seconds, time.monotonic() - begun)
        expect(
            result.returncode in (0, 1), f"import of {format} ended with {result.returncode}: {result.stderr[-200:]}"
        )
        expect(
            result.returncode == 0 or result.stderr.count(b"\n") == 1,
            f"a refusal has more than a line: {result.stderr[:300]}",
        )
        imported.update(json.loads(line)["id"] for line in result.stdout.splitlines())
        refused += result.returncode == 1
    listed, before = set(), []
    while lines := carried_out(arena, "activities", "--json", "--limit", "100", *before).stdout.splitlines():
        summaries = [json.loads(line) for line in lines]
        listed.update(summary["id"] for summary in summaries)
        before = ["--before", str(summaries[-1]["id"])]
        for summary in summaries:
            seconds_of = summary["elapsed_ms"] / 1000
            expect(
                0 <= summary["distance_m"] <= 35 * (seconds_of + 10) + 100,
                f"{summary['distance_m']:,.0f} m in {seconds_of:.0f} s were kept",
            )
    arena.note(f"{len(imported)} activities imported, {refused} files refused, the longest took {seconds:.2f} s")
    expect(listed == imported, f"imported and not listed, or the reverse: {sorted(imported ^ listed)}")
    expect(imported and refused, "the mutations are too weak, or too strong")


@attack
def impossible_speed_in_a_file(arena):
    """A track that alternates between two places each second: neither import nor replay counts the distance."""
    for count, north, sport in ((300, 1.0, "running"), (300, 0.01, "running"), (600, 0.002, "walking")):
        path = arena.directory / f"{sport}-{north}.gpx"
        path.write_bytes(gpx([(52.0 + (at % 2) * north, 13.4, at) for at in range(count)], sport))
        result = carried_out(arena, "import", "--again", path, "--json")
        expect(result.returncode == 0, f"the import ended with {result.returncode}: {result.stderr}")
        summary = json.loads(result.stdout)
        bound = 12.5 * (count + 10) + 100
        arena.note(f"{north}°: {summary['distance_m']:,.0f} m")
        expect(
            summary["distance_m"] <= bound,
            f"{summary['distance_m']:,.0f} m in {count} s were kept (bound: {bound:.0f} m)",
        )
        lines = carried_out(arena, "replay", path, "--interval-ms", "60000").stdout.splitlines()
        stop = next(line for line in map(json.loads, lines) if line.get("event") == "stop")
        expect(stop["summary"]["distance_m"] <= bound, f"replay counts {stop['summary']['distance_m']:,.0f} m")


@attack
def files_that_lie(arena):
    """Tracks over years, backwards in time, at impossible places, expanding entities, deep elements, endless text."""
    year = 366 * 86_400
    head = b'<?xml version="1.0"?>\n'
    lol = (
        head
        + b'<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY a%d "%s">' % (i, b"&a%s;" % (str(i - 1).encode() if i else b"") * 10) for i in range(9))
        + b"]><gpx>&a8;</gpx>"
    )
    point = b'<trkpt lat="%s" lon="%s"><time>%s</time></trkpt>'
    wrap = (b'<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>', b"</trkseg></trk></gpx>")
    cases = {
        "entities": (lol, False),
        "outside": (head + b'<!DOCTYPE gpx SYSTEM "file:///etc/passwd"><gpx/>', False),
        "deep": (head + b"<gpx>" * 100_000, False),
        "text": (head + b"<gpx><name>" + b"x" * (32 << 20), False),
        "attributes": (head + b"<gpx " + b" ".join(b'a%d="x"' % i for i in range(100_000)) + b"/>", False),
        "years": (gpx([(48.0 + i / 1e5, 11.0, i * year) for i in range(4)]), False),
        "over a year": (gpx([*straight(60), (48.01, 11.0, 400 * 86_400)]), False),
        "backwards": (gpx([(place[0], place[1], 200 - place[2]) for place in straight(100)]), None),
        "nowhere": (head + wrap[0] + (point % (b"NaN", b"inf", utc(BEGUN).encode())) * 50 + wrap[1], False),
        "nothing": (b"", False),
        "zeros": (bytes(1 << 20), False),
        "fit head": (b"\x0e\x10\x43\x08\xff\xff\xff\xff.FIT\0\0", False),
        "fit noise": (b"\x0e\x10\x43\x08\0\0\x10\0.FIT\0\0" + arena.random.randbytes(1 << 20), False),
    }
    worst = 0.0
    for name, (content, good) in cases.items():
        path = arena.directory / ("file.fit" if name.startswith("fit") else "file.gpx")
        path.write_bytes(content)
        begun = time.monotonic()
        result = carried_out(arena, "import", "--again", path)
        worst = max(worst, time.monotonic() - begun)
        expect(result.returncode in (0, 1), f"{name}: import ended with {result.returncode}: {result.stderr[-200:]}")
        expect(
            good is None or result.returncode == (0 if good else 1), f"{name}: import ended with {result.returncode}"
        )
        expect(
            result.returncode == 0 or result.stderr.count(b"\n") == 1,
            f"{name}: more than one line: {result.stderr[:200]}",
        )
    arena.note(f"{len(cases)} files, the longest took {worst:.2f} s")


@attack
def killed_imports(arena):
    """Clients that are killed at random moments of an import, during a run.

    No partial import is listed, and the run continues. A client that has requested the commit may be killed too late.
    """
    # Each file begins on another day, so that none is known from the one before.
    paths = [arena.directory / f"long{day}.gpx" for day in range(12)]
    for day, path in enumerate(paths):
        path.write_bytes(gpx(straight(20_000), begun=BEGUN + day * 86_400))
    daemon = arena.daemon("--demo")
    state = daemon.state
    with arena.holds(daemon):
        killed = 0
        for path in paths:
            importer = subprocess.Popen(
                [PACECTL, "--runtime-dir", daemon.runtime, "--state-dir", state, "import", path],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(arena.random.uniform(0.02, 0.5))
            importer.send_signal(signal.SIGKILL)
            killed += importer.wait(10) == -signal.SIGKILL
        listed = [summary for summary in daemon.call("activities.list") if not summary["open"]]
        expect(
            12 - killed <= len(listed) <= 12,
            f"{12 - killed} imports were not killed, {len(listed)} activities are listed",
        )
        expect(len({summary["distance_m"] for summary in listed}) < 2, "an import is listed in part")
        arena.note(f"{killed} of 12 were killed in time")
