"""The stages of the tests: which run, in which order, and that the last lines name each failed test with its reason."""

import ast
import re
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
    #3 0x58 in ControlTests.aRequest() /src/paced/Tests/ServersTests/Control/ControlTests.swift:9:1
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
            "Tests/ServersTests/Control/ControlTests.swift:9: Direct leak of 32 byte(s) in 1 object(s)"]),
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


# Runs the stages of a test, given as Python: `python3 -c DRIVER TOOL TABLE STAGE…`.
DRIVER = """
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("stages", sys.argv[1])
stages = importlib.util.module_from_spec(importlib.util.spec_from_loader("stages", loader))
loader.exec_module(stages)
stages.STAGES = eval(sys.argv[2], vars(stages))
sys.exit(stages.main(sys.argv[3:]))
"""


@pytest.fixture
def stages(tmp_path):
    (tmp_path / "Tools").mkdir()
    (tmp_path / "Tools/failures").symlink_to(ROOT / "Tools/failures")

    def run(table, *names, status=0):
        ended = subprocess.run(
            ["python3", "-B", "-c", DRIVER, ROOT / "Tools/stages", table, *names], cwd=tmp_path, capture_output=True, text=True,
            timeout=60)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout.splitlines()

    run.results = tmp_path / ".build/results"
    return run


def test_failed_job_is_named_and_what_needs_it_does_not_run(stages):
    lines = stages("""{
        **job("one", [], "echo 'FAILED lap-flood: no answer'; echo; echo '2 passed, 1 failed, 0 skipped'; exit 3", 1),
        **job("two", ["one"], "touch .build/results/ran", 1),
        **job("three", [], "echo '4 passed, 0 failed, 1 skipped'", 1)}""", "two", "three", status=1)
    assert lines[0] == "== one two three"
    assert "one: lap-flood: no answer" in lines and any(line.startswith("two: not run, because one failed") for line in lines)
    assert lines[-1] == "6 passed, 2 failed, 1 skipped"
    assert not (stages.results / "ran").exists()
    assert (stages.results / "one").read_text().splitlines()[-1] == "2 passed, 1 failed, 0 skipped"
    table = (stages.results / "stages").read_text().splitlines()
    assert {line.split()[0] for line in table} == {"one", "three"}


def test_punctual_job_runs_beside_one_busy_job_at_most(stages):
    def busy(name):
        return f"""**job("{name}", [], "touch {name}; sleep 0.5; rm {name}", 1, 1)"""
    stages(f"""{{
        **job("punctual", [], "for _ in 1 2 3 4 5; do ls busy-* | wc -l; sleep 0.1; done 2>&-", 1, 0.1, True),
        {busy("busy-1")}, {busy("busy-2")}}}""", "busy-1", "busy-2", "punctual")
    counts = set((stages.results / "punctual").read_text().split())
    assert counts <= {"0", "1"}, counts


def test_makefile_and_table_name_the_stages():
    listed = subprocess.run([ROOT / "Tools/stages", "--list"], capture_output=True, text=True, check=True).stdout.split()
    named = {line.split()[0]: line.split()[2:] for line in (ROOT / "Makefile").read_text().splitlines()
             if line.split()[:2][1:] == [":="]}
    made = named["test"] + named["ci"] + named["rest"]
    table = (ROOT / "Tests/README.md").read_text().split("## Stages")[1].split("\n## ")[0]
    assert re.findall(r"(?m)^\| `([\w-]+)` \|", table) == made
    assert set(listed) - set(made) == {
        "build", "build-screen", "python", "collect-end-to-end", "build-tests", "build-tools", "build-debug",
        "build-address", "build-thread"}


def test_changed_folder_needs_stages_that_exist():
    text = (ROOT / "Tools/affected").read_text()
    table = ast.literal_eval(text[text.index("STAGES = ") + 9:text.index("\n}\n") + 2])
    rest = re.search(r"(?m)^rest := (.*)", (ROOT / "Makefile").read_text())[1].split()
    assert {stage for stages in table.values() for stage in stages.split()} == set(rest)
    for beginning in table:
        assert list(ROOT.glob(beginning + "*")), f"there is no {beginning}"
