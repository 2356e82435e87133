"""Imports through a daemon: upload.begin, upload.append, upload.commit on control.sock, as friends and as enemies."""

import base64
import json
import os
import random
import signal
import sqlite3
import subprocess
import time

import pytest

import needs
from harness.process import PACECTL, ROOT
from harness.timing import expect_within, wait_for
from harness.uploads import HEADER, Client, data, lines, sample
from harness.users import NOBODY, acting_as, reachable
from matrix import matrix

OFF = ["--gpsd", "off", "--bluetooth", "off"]
RIDE = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
UNAVAILABLE, BUSY, WRONG = -32001, -32002, -32004


def numbers(paced):
    return [one["id"] for one in paced.call("activities.list")]


def leftovers(stage):
    """The rows of imports that are no activity, and the marks of imports under way."""
    database = sqlite3.connect(f"file:{stage.directory}/state/journal.sqlite?mode=ro", uri=True)
    try:
        rows, = database.execute("SELECT count(*) FROM record WHERE (key >> 32) NOT IN (SELECT id FROM activity)").fetchone()
        marks, = database.execute("SELECT count(*) FROM importing").fetchone()
        assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        return rows + marks
    finally:
        database.close()


def spools(paced):
    """The unnamed files that the daemon has open."""
    names = []
    for name in os.listdir(f"/proc/{paced.pid}/fd"):
        try:
            names.append(os.readlink(f"/proc/{paced.pid}/fd/{name}"))
        except FileNotFoundError:
            pass
    return sum(name.startswith("/") and name.endswith("(deleted)") and "/state/" in name for name in names)


@pytest.fixture
def paced(stage):
    daemon = stage.paced(*OFF)
    wait_for(lambda: daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    return daemon


@pytest.fixture
def connect(paced):
    made = []

    def make(**options):
        made.append(Client(paced, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


def test_upload_becomes_an_activity(paced, connect, stage):
    number = connect().upload(data(lines(name="Evening\u202erun")))["id"]
    assert numbers(paced) == [number]
    activity = paced.call("activities.get", id=number)
    assert activity["summary"]["distance_m"] == 150 and activity["summary"]["name"] == "Evening\ufffdrun"
    assert len(activity["laps"]) == 1
    track = paced.call("activities.track", id=number)
    assert len(track["rows"]) == 60
    wait_for(lambda: spools(paced) == 0, 60, "no file of an upload")
    assert leftovers(stage) == 0


@pytest.mark.thorough
def test_numbers_follow_the_order_in_which_activities_begin(paced, connect, stage):
    paced.call("run.start", indoor=True)
    # Numbered after the run in progress; the next run follows.
    assert connect().upload(data(lines()))["id"] == 2
    paced.call("run.stop")
    paced.call("run.start", indoor=True)
    wait_for(lambda: sorted(numbers(paced)) == [1, 2, 3], 60, "the second run")
    paced.kill()
    # A start gives no number away.
    for _ in range(2):
        paced = stage.paced(*OFF)
        wait_for(lambda: sorted(numbers(paced)) == [1, 2, 3], 60, "the journal")
        paced.end()
    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("status").get("activity") == 3, 60, "the run")
    paced.call("run.stop")
    paced.call("run.start", indoor=True)
    assert paced.call("status")["activity"] == 4


def test_requests_in_the_wrong_order_are_rejected(paced, connect):
    client = connect()
    for method, params in [("upload.append", {"data": "AAAA"}), ("upload.commit", {})]:
        assert client.call(method, **params)["code"] == UNAVAILABLE
    assert client.call("upload.begin", kind="workout")["code"] == WRONG
    assert client.call("upload.begin")["code"] == -32602
    assert client.call("upload.begin", kind="activity") == {"bytes": 0}
    assert client.call("upload.begin", kind="activity")["code"] == UNAVAILABLE
    for text in ["", "A", "AAA", "AA=A", "====", "AAB=", "A A=", "\u00e9AAA"]:
        assert client.call("upload.append", data=text)["code"] == WRONG, text
    assert client.append(bytes(46080)) == {"bytes": 46080}
    assert client.call("upload.append", data=base64.b64encode(bytes(46081)).decode())["code"] == WRONG
    # The failed request did not end the upload; a commit of invalid data does.
    assert client.call("upload.commit")["code"] == WRONG
    assert client.call("upload.commit")["code"] == UNAVAILABLE
    assert [client.upload(data(lines()))["id"]] == numbers(paced)


@pytest.mark.thorough
def test_two_uploads_at_once_and_no_third(paced, connect):
    first, second, third = connect(), connect(), connect()
    assert first.call("upload.begin", kind="activity") == {"bytes": 0}
    assert second.call("upload.begin", kind="activity") == {"bytes": 0}
    assert third.call("upload.begin", kind="activity")["code"] == BUSY
    for client in (first, second):
        client.append(data(lines()))
    first.send("upload.commit")
    second.send("upload.commit")
    made = {first.receive()["id"], second.receive()["id"], third.upload(data(lines()))["id"]}
    assert len(made) == 3 and set(numbers(paced)) == made


def test_hang_up_drops_the_upload(paced, connect, stage):
    for _ in range(5):
        client = connect()
        client.call("upload.begin", kind="activity")
        client.append(data(lines()))
        client.send("upload.append", data=base64.b64encode(bytes(46080)).decode())
        client.close()
    wait_for(lambda: spools(paced) == 0, 60, "no file of an upload")
    assert [connect().upload(data(lines()))["id"]] == numbers(paced)
    assert leftovers(stage) == 0


@pytest.mark.thorough
def test_too_large_upload_is_dropped(paced, connect):
    client = connect()
    client.call("upload.begin", kind="activity")
    piece = base64.b64encode(bytes(46080)).decode()
    for count in range(320 * 1024 * 1024 // 46080):
        assert client.call("upload.append", data=piece) == {"bytes": (count + 1) * 46080}
    assert client.call("upload.append", data=piece)["code"] == WRONG
    assert client.call("upload.append", data=piece)["code"] == UNAVAILABLE
    wait_for(lambda: spools(paced) == 0, 60, "no file of an upload")
    # No line of the data is kept in memory.
    assert paced.kernel_status("VmHWM") < 80 * 1024


BAD = {
    "NaN": ([sample(1, latitude=float("nan"))], "valid JSON"),
    "infinite": ([sample(1, distance_m=float("inf"))], "valid JSON"),
    "overflow": (b'{"row":"sample","at_ms":0,"elapsed_ms":0,"distance_m":1e999}\n', "valid JSON"),
    "out of range": ([sample(1, latitude=90.1)], "latitude must be"),
    "half a position": ([{"row": "sample", "at_ms": 0, "elapsed_ms": 0, "latitude": 1}], "belong together"),
    "negative distance": ([sample(1, distance_m=-1)], "distance_m must be"),
    "heart rate": ([sample(1, bpm=241)], "bpm must be"),
    "text for a number": ([sample(1, bpm="120")], "bpm must be"),
    "backwards": ([sample(5), sample(4)], "at_ms must be"),
    "active time beyond time": ([sample(5, elapsed_ms=6000)], "elapsed_ms must be"),
    "too late": ([sample(400 * 86400)], "at_ms must be"),
    "without timer": ([{"row": "end", "at_ms": 0, "trigger": "auto"}, {"row": "segment", "at_ms": 1}], "timer is stopped"),
    "begin twice": ([{"row": "begin", "at_ms": 0, "trigger": "auto"}], "timer runs already"),
    "intervals": ([{"row": "beats", "at_ms": 0, "rr_1024": [65536]}], "rr_1024 must have"),
    "many intervals": ([{"row": "beats", "at_ms": 0, "rr_1024": [1] * 257}], "rr_1024 must be"),
    "unknown row": ([{"row": "magic", "at_ms": 0}], "row must be"),
    "long line": ([sample(1, note="x" * 5000)], "a line is at most"),
    "binary": (b"\x00\xff\xfe\n", "valid JSON"),
    "empty line": (b"\n", "valid JSON"),
    "deep": (b"[" * 4000 + b"\n", "levels of nesting"),
}


@pytest.mark.parametrize("name", matrix(BAD, "out of range"))
def test_invalid_rows_are_rejected_whole(long_stage, name):
    if not long_stage.running:
        daemon = long_stage.paced(*OFF)
        wait_for(lambda: daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    client = Client(long_stage.running[0])
    bad, words = BAD[name]
    begin = data([HEADER, {"row": "begin", "at_ms": 0, "trigger": "command"}, sample(0)])
    answer = client.upload(begin + (bad if isinstance(bad, bytes) else data(bad)))
    client.close()
    assert answer["code"] == WRONG and answer["data"]["field"] == "data"
    assert "line " in answer["data"]["message"] and words in answer["data"]["message"], answer
    assert numbers(long_stage.running[0]) == [] and leftovers(long_stage) == 0


@pytest.mark.thorough
def test_data_cut_anywhere_is_rejected(paced, connect, stage):
    whole = data(lines(seconds=400))
    chance = random.Random("cut")
    client = connect()
    for place in [0, 1, len(whole) - 2, *(chance.randrange(len(whole)) for _ in range(20))]:
        if place == 0:
            client.call("upload.begin", kind="activity")
            answer = client.call("upload.commit")
        else:
            answer = client.upload(whole[:place])
        assert answer["code"] == WRONG, place
    for objects in [lines() + [sample(99)], lines()[:-2] + lines()[-1:], lines(rows=[]), lines()[1:],
                    [*lines()[:5], *lines()[6:]], lines(sport="swim"), lines(total_ms=1), lines(moving_ms=60_001)]:
        assert client.upload(data(objects))["code"] == WRONG
    assert numbers(paced) == [] and leftovers(stage) == 0


@pytest.mark.thorough
def test_pipelined_requests_keep_the_order_or_are_refused(paced, connect):
    client = connect()
    client.call("upload.begin", kind="activity")
    piece = base64.b64encode(bytes(46080)).decode()
    for _ in range(10):
        client.send("upload.append", data=piece)
    answers = [client.receive() for _ in range(10)]
    accepted = [answer for answer in answers if "bytes" in answer]
    assert accepted and all(answer.get("code", BUSY) == BUSY for answer in answers)
    assert [answer["bytes"] for answer in accepted] == [46080 * (place + 1) for place in range(len(accepted))]


@pytest.mark.fast_clock
def test_silence_drops_the_upload(paced, connect):
    client = connect()
    client.call("upload.begin", kind="activity")
    time.sleep(20)
    assert client.append(b"x") == {"bytes": 1}
    wait_for(lambda: spools(paced) == 0, 45, "no file of an upload")
    assert client.append(b"x")["code"] == UNAVAILABLE
    assert "upload dropped: its client sent nothing for 30 s" in paced.log_text()
    assert [client.upload(data(lines()))["id"]] == numbers(paced)


@pytest.mark.thorough
def test_nothing_is_accepted_where_little_space_is_free(stage):
    disk = stage.disk(size="300m")
    paced = stage.paced(*OFF, prefix=disk.within)
    wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    client = Client(paced)
    assert client.call("upload.begin", kind="activity") == {"bytes": 0}
    assert client.append(data(lines())[:500]) == {"bytes": 500}
    disk.fill()
    # Silence while the daemon notices would drop the upload for another reason.
    refused = wait_for(lambda: "code" in (answer := client.append(b" ")) and answer, 60, "a refusal")
    assert refused["code"] == BUSY
    assert client.call("upload.commit")["code"] == UNAVAILABLE
    assert client.call("upload.begin", kind="activity")["code"] == BUSY
    client.close()


def run_file(seconds):
    return data(lines(seconds=seconds))


@pytest.mark.thorough
def test_commit_beside_a_run_disturbs_neither(paced, connect, stage):
    paced.call("run.start")
    reader = stage.reader(paced)
    client = connect(timeout=300)
    uploaded = []

    def upload():
        since = len(reader.lines)
        uploaded.append(client.upload(run_file(20_000 + len(uploaded)))["id"])
        reader.watch(0.5)
        return uploaded, max(line.at - line["boot_ms"] for line in reader.lines[since:] if line["class"] == "STATE") / 1000

    # docs/decisions/recording.md has the measured values.
    expect_within(2, upload, "a state")
    assert paced.call("status")["run"] == "active"
    wait_for(lambda: paced.call("status")["recorder"]["state"] == "writing", 60, "a recorder that writes")
    run = paced.call("run.stop")["id"]
    assert set(numbers(paced)) == {*uploaded, run}
    assert len(paced.call("activities.track", id=uploaded[-1], interval_ms=60_000)["rows"]) == 334


@pytest.mark.thorough
def test_killed_commit_leaves_nothing(stage):
    chance = random.Random("kill")
    for kill in range(int(os.environ.get("PACED_RUN_KILLS", 8)) // 2):
        paced = stage.paced(*OFF)
        wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
        client = Client(paced)
        client.call("upload.begin", kind="activity")
        whole = run_file(20_000)
        for place in range(0, len(whole), 46080):
            client.append(whole[place:place + 46080])
        client.send("upload.commit")
        time.sleep(chance.uniform(0.02, 0.6))
        paced.process.send_signal(signal.SIGKILL)
        paced.process.wait()
        client.close()
        paced = stage.paced(*OFF)
        wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
        wait_for(lambda: leftovers(stage) == 0, 60, "a journal without the rows of the killed import")
        for number in numbers(paced):
            assert len(paced.call("activities.track", id=number, interval_ms=60_000)["rows"]) == 334
        paced.end()


def pacectl(stage, *words, **options):
    return subprocess.run(
        [PACECTL, "--runtime-dir", stage.directory / "run", "--state-dir", stage.directory / "state", *words],
        capture_output=True, text=True, timeout=120, **options)


def test_pacectl_hands_its_import_to_the_daemon_or_locks_the_directory(paced, stage):
    beside = pacectl(stage, "import", RIDE, "--json")
    assert beside.returncode == 0, beside.stderr
    first = json.loads(beside.stdout)
    number = first.pop("id")
    assert f"activity {number} imported" in paced.log_text()
    assert pacectl(stage, "rename", str(number), "Mine").returncode == 0
    text = pacectl(stage, "--metric", "import", "--again", RIDE)
    assert f" is activity {number}: " in text.stdout and ", run, 9.01 km, " in text.stdout
    # It keeps its number and its name.
    assert f"Activity {number}, run, Mine" in pacectl(stage, "show", str(number)).stdout
    first["name"] = "Mine"
    # A daemon of other directories is not the one that holds the lock.
    other = subprocess.run(
        [PACECTL, "--runtime-dir", stage.directory / "no", "--state-dir", stage.directory / "state", "import", "--again", RIDE],
        capture_output=True, text=True, timeout=60)
    assert other.returncode == 3 and "in use by process" in other.stderr
    rows = {}
    def export(name):
        path = stage.directory / f"{name}.csv"
        assert pacectl(stage, "export", str(number), "--format", "csv", "-o", path).returncode == 0
        rows[name] = path.read_bytes()
    export("beside")
    paced.end()
    alone = pacectl(stage, "import", "--again", RIDE, "--json")
    assert alone.returncode == 0 and paced.log_text().count("imported") == 2
    last = json.loads(alone.stdout)
    # The same activity and the same rows, whoever writes them.
    assert last.pop("id") == number and first == last
    export("alone")
    assert rows["beside"] == rows["alone"]


@pytest.mark.thorough
@needs.ROOT
def test_member_of_the_group_of_control_sock_imports_without_access_to_the_journal(paced, stage):
    for path in (stage.directory, paced.runtime):
        os.chmod(path, 0o711)
    os.chown(paced.runtime / "control.sock", 0, NOBODY)
    command = [reachable(PACECTL), "--runtime-dir", paced.runtime, "import", reachable(RIDE)]
    member = acting_as(NOBODY) | {"env": {"HOME": "/nonexistent"}}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **member)
    assert done.returncode == 0, done.stderr
    assert f" is activity {numbers(paced)[0]}: " in done.stdout
    os.chown(paced.runtime / "control.sock", 0, 0)
    stranger = subprocess.run(command, capture_output=True, text=True, timeout=60, **member)
    assert stranger.returncode in (1, 3) and stranger.stdout == "" and stranger.stderr.count("\n") == 1
    assert len(numbers(paced)) == 1
