"""A failing stage of the tests: its last lines name each failed test with its reason."""

import subprocess

import pytest

from harness.process import ROOT
from matrix import matrix

SWIFT = """\
◇ Test aLinkEnds() started.
✔ Test aLinkEnds() passed after 0.1 seconds.
◇ Test aBeat(named:) started.
✘ Test aBeat(named:) recorded an issue with 1 argument value → 7 at HeartTests.swift:12:9: Expectation failed: (bpm → 60) == 61
✘ Test aBeat(named:) failed after 0.2 seconds with 1 issue.
✘ Test run with 2 tests in 1 suite failed after 0.3 seconds with 1 issue.
"""
CRASH = """\
◇ Test aLinkEnds() started.
◇ Test aBeat() started.
✔ Test aBeat() passed after 0.1 seconds.
Pipeline/Run.swift:12: Fatal error: Index out of range
"""
LEAK = """\
✔ Test run with 2 tests in 1 suite passed after 0.3 seconds.
==123==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 32 byte(s) in 1 object(s) allocated from:
    #0 0x55 in malloc (/x/y+0x1)
    #1 0x56 in swift_slowAlloc (/x+0x2)
    #2 0x57 in JSON.parse(_:) /src/paced/Sources/JSONCoding/JSON.swift:40:9
    #3 0x58 in ControlTests.aRequest() /src/paced/Tests/AdaptersTests/Control/ControlTests.swift:9:1
"""
RACE = """\
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7b by main thread:
    #0 Journal.take() /src/paced/Sources/Storage/Journal/Journal.swift:60:9 (x+0x1)
"""
MACHINE = """\
ok kernel/scan 10.4
FAIL kernel/link-drop 12.3
    within 60 s there was not: beat; the heart says None
    paced: started
1 passed, 1 failed, 0 skipped
"""
TRACE = """\
FAIL systemd/panel 2.0
    Traceback (most recent call last):
      File "drive.py", line 40, in play
    FileNotFoundError: no /dev/uinput
"""


@pytest.mark.parametrize("output, lines", matrix([
    (SWIFT, ["aBeat(named:) HeartTests.swift:12: Expectation failed: (bpm → 60) == 61"]),
    (CRASH, ["crash: Fatal error: Index out of range", "aLinkEnds(): did not end (1 of 2 tests were running)"]),
    (LEAK, ["JSON.parse(_:) at Sources/JSONCoding/JSON.swift:40, in ControlTests.aRequest() at "
            "Tests/AdaptersTests/Control/ControlTests.swift:9: Direct leak of 32 byte(s) in 1 object(s)"]),
    (RACE, ["Journal.take() at Sources/Storage/Journal/Journal.swift:60: ThreadSanitizer: data race (pid=7)"]),
    (MACHINE, ["kernel/link-drop: within 60 s there was not: beat; the heart says None"]),
    (TRACE, ["systemd/panel: FileNotFoundError: no /dev/uinput"]),
    ("FAILED test_x.py::test_y[a b] - assert 1 == 2\n", ["test_x.py::test_y[a b]: assert 1 == 2"]),
    ("page http://127.0.0.1:1/x.html: ['a']\nFAILED test_x.py::test_y - no\n", ["page http://127.0.0.1:1/x.html: ['a']", "test_x.py::test_y: no"]),
    ("ERROR: file or directory not found: Tests/EndToEnd/test_x.py\n", ["pytest: file or directory not found: Tests/EndToEnd/test_x.py"]),
    ("FAILED lap-flood: no answer within 5 s\n", ["lap-flood: no answer within 5 s"]),
    ("    cut after write 7 of 90: 3000 ms are lost\n", ["cut after write 7 of 90: 3000 ms are lost"]),
    ("/src/my ä/Sources/A.swift:1:2: error: cannot find 'x'\n", ["/src/my ä/Sources/A.swift:1:2: cannot find 'x'"]),
    ("one\ntwo\n\nthree\nfour\n", ["two", "three", "four"]),
], SWIFT), ids=["issue", "crash", "leak", "race", "machine", "trace", "pytest", "page", "pytest usage", "attack", "cut", "compiler", "other"])
def test_last_lines_name_the_test_and_its_reason(tmp_path, output, lines):
    (tmp_path / "output").write_text(output)
    ended = subprocess.run(
        [ROOT / "Tools/failures", "unit", tmp_path / "output"], capture_output=True, text=True, check=True, timeout=60)
    first, *named = ended.stdout.splitlines()
    assert first == f"== unit failed; its output is in {tmp_path}/output"
    assert named == ["unit: " + line for line in lines]


def test_stage_keeps_its_output_and_its_status(tmp_path):
    (tmp_path / "Tools").mkdir()
    for name in ("stage", "failures"):
        (tmp_path / "Tools" / name).symlink_to(ROOT / "Tools" / name)
    command = ["Tools/stage", "some", "bash", "-c", "echo 'FAILED lap-flood: no answer'; echo; echo the end; exit 3"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 3
    assert ended.stdout.splitlines()[-1] == "some: lap-flood: no answer"
    assert (tmp_path / ".build/results/some").read_text().splitlines()[-1] == "the end"
    command = ["Tools/stage", "some", "bash", "-c", "echo '== address failed; its output is in x'; echo address: a leak; exit 1"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.stdout.splitlines()[-1] == "address: a leak", "a runner has named it already"
    ended = subprocess.run(["Tools/stage", "some", "true"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "")


@pytest.mark.parametrize("first, second, end", [
    ("true", "true", "two"), ("true", "false", "two"), ("false", "true", "unit: a test: a reason"),
    ("false", "false", "unit: a test: a reason")])
def test_parallel_commands_end_with_the_output_of_a_failed_one(first, second, end):
    named = "; echo '== unit failed; its output is in x'; echo 'unit: a test: a reason'" if first == "false" else ""
    ended = subprocess.run(
        [ROOT / "Tools/side-by-side", f"echo one{named}; {first}", f"echo two; {second}"],
        capture_output=True, text=True, timeout=60)
    assert ended.returncode == (0 if first == second == "true" else 1)
    assert ended.stdout.splitlines()[0] == "one" and "two" in ended.stdout.splitlines()
    assert ended.stdout.splitlines()[-1] == end
