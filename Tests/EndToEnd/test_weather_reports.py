"""`pacectl metar` and `pacectl taf`: reports of standard input, and the objects of their lines."""

import json
import subprocess

import pytest

from harness.process import PACECTL, ROOT

METAR = "METAR EDDB 151150Z 24008G15MPS 9999 -RA BKN014 06/M01 Q1009="
TAF = ("TAF KJFK 090315Z 0903/1006 27007KT P6SM SCT250 FM090900 32010KT 1 1/2SM BR OVC010 "
       "BECMG 0912/0914 20005KT TEMPO 0914/0918 1/2SM FG PROB30 0922/1003 6SM -SHRA")
LIMITS = {"metar": 2048, "taf": 4096}
REPORTS = {"metar": METAR, "taf": TAF}
both = pytest.mark.parametrize("command", ["metar", "taf"])


def run(command, text, *arguments):
    data = text if isinstance(text, bytes) else text.encode()
    return subprocess.run([PACECTL, command, *arguments], input=data, capture_output=True, timeout=30)


def decoded(command, text, *arguments, status=0):
    """The objects of all lines."""
    result = run(command, text, *arguments)
    assert result.returncode == status, result
    assert result.stderr == b""
    assert not result.stdout or result.stdout.endswith(b"\n")
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_metar_in_si_units():
    [report] = decoded("metar", METAR + "\n", "--now", "2026-03-15T12:00:00Z")
    assert report == {
        "station": "EDDB", "time": "2026-03-15T11:50:00.000Z", "wind_from_deg": 240, "wind_speed_mps": 8, "wind_gust_mps": 15,
        "visibility_m": 10000, "visibility_bound": "at_least",
        "weather": [{"code": "-RA", "intensity": "light", "phenomena": ["RA"]}],
        "clouds": [{"cover": "BKN", "base_m": 427}], "ceiling_m": 427,
        "temperature_c": 6, "dew_point_c": -1, "humidity_percent": 61, "feels_like_c": 1.5, "pressure_hpa": 1009}


def test_american_units_are_converted():
    report, calm, variable = decoded("metar", "\n".join([
        "KJFK 151151Z 27010G20KT 1 1/2SM BKN010 22/17 A2992", "KJFK 151151Z 00000KT M1/4SM", "KJFK 151151Z VRB03KT P6SM"]))
    assert report["wind_speed_mps"] == 5.14 and report["wind_gust_mps"] == 10.29
    assert report["visibility_m"] == 2414 and "visibility_bound" not in report
    assert report["ceiling_m"] == 305 and report["pressure_hpa"] == 1013.2
    assert calm["wind_speed_mps"] == 0 and "wind_from_deg" not in calm and calm["visibility_bound"] == "less_than"
    assert variable["wind_variable"] is True and "wind_from_deg" not in variable
    assert "temperature_c" not in variable and "pressure_hpa" not in variable


def test_a_forecast_with_its_changes_and_its_timeline():
    [forecast] = decoded("taf", TAF, "--now", "2026-03-09T04:00:00Z")
    assert forecast["valid_from"] == "2026-03-09T03:00:00.000Z" and forecast["valid_to"] == "2026-03-10T06:00:00.000Z"
    assert [group["kind"] for group in forecast["groups"]] == ["initial", "from", "becoming", "temporary", "possible"]
    assert forecast["groups"][4]["probability_percent"] == 30
    timeline = forecast["timeline"]
    assert timeline[0]["from"] == forecast["valid_from"] and timeline[-1]["to"] == forecast["valid_to"]
    assert all(one["to"] == next["from"] for one, next in zip(timeline, timeline[1:]))
    changed = next(part for part in timeline if part["from"] == "2026-03-09T14:00:00.000Z")
    assert changed["wind_from_deg"] == 200 and changed["visibility_m"] == 2414
    assert [overlay["visibility_m"] for overlay in changed["overlays"]] == [805]


def test_the_month_is_that_of_the_receipt_or_the_one_before():
    def time(now):
        return decoded("metar", METAR, "--now", now)[0]["time"]

    assert time("2026-03-15T12:00:00Z") == "2026-03-15T11:50:00.000Z"
    assert time("2026-03-10T12:00:00Z") == "2026-02-15T11:50:00.000Z"
    assert time("2026-01-02T12:00:00Z") == "2025-12-15T11:50:00.000Z"
    assert run("metar", METAR, "--now", "yesterday").returncode == 2


@both
def test_a_line_that_is_no_report_has_its_object_and_the_status_is_1(command):
    first, wrong, last = decoded(command, f"{REPORTS[command]}\nnonsense\n{REPORTS[command]}\n", status=1)
    assert set(wrong) == {"error", "at"} and wrong["error"].startswith("expected ") and wrong["at"] == 0
    assert first == last and len(first["station"]) == 4


@both
def test_no_input_is_no_error(command):
    assert decoded(command, "") == []


@both
def test_the_last_line_may_lack_its_end(command):
    assert decoded(command, REPORTS[command]) == decoded(command, REPORTS[command] + "\n")


@both
def test_a_line_that_is_too_long_is_one_error(command):
    limit = LIMITS[command]
    report = REPORTS[command].rstrip("=")
    longest = report + " " * (limit - len(report))
    objects = decoded(command, "\n".join([longest, longest + " ", "X" * 1_000_000, report]), status=1)
    assert "station" in objects[0] and objects[3] == objects[0]
    too_long = {"error": "expected the end of the report", "at": limit}
    assert objects[1:3] == [too_long, too_long]


@both
def test_bytes_that_are_not_utf_8(command):
    # Each line of the output is JSON in UTF-8, and has no control character.
    report = REPORTS[command].rstrip("=").encode()
    result = run(command, b"\xff\xfe\x00\x80\n" + report + b" \xff\xc3\x1b[31m\x07 RMK\n" + report + b"\n")
    assert result.returncode == 1
    wrong, odd, good = [json.loads(line) for line in result.stdout.decode().splitlines()]
    assert set(wrong) == {"error", "at"}
    assert "station" in good and ("error" in odd or odd["station"] == good["station"])
    assert not any(byte < 32 and byte != 10 for byte in result.stdout)


@both
def test_an_output_that_closes_ends_the_program(command):
    program = subprocess.Popen(
        [PACECTL, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        line = REPORTS[command].encode() + b"\n"
        program.stdin.write(line)
        program.stdin.flush()
        # A report is decoded when it arrives, not at the end of the input.
        assert json.loads(program.stdout.readline())["station"]
        program.stdout.close()
        with pytest.raises(BrokenPipeError):
            for _ in range(100_000):
                program.stdin.write(line)
            program.stdin.flush()
        program.wait(60)
        assert b"Fatal" not in program.stderr.read()
    finally:
        program.kill()
        program.wait()


def test_the_reports_of_the_vectors():
    """The figures on which two of three other decoders agree, of the program itself."""
    entries = json.loads((ROOT / "Tests/Data/metar/metar_consensus.json").read_text())
    reports = decoded("metar", "\n".join(" ".join(entry["raw"].split()) for entry in entries))
    assert len(reports) == len(entries) == 46
    compared = 0
    for entry, report in zip(entries, reports):
        truth, disagree = entry["truth"], entry["disagree"]
        for name, ours, unit in [("wspd_kt", "wind_speed_mps", 1852 / 3600), ("press_hpa", "pressure_hpa", 1)]:
            if name not in disagree and truth.get(name) is not None:
                compared += 1
                assert abs(report[ours] / unit - truth[name]) <= 1, (name, entry["raw"])
    assert compared > 60
