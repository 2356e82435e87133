#!/usr/bin/python3
"""Adds a made case to an enumeration in a copy of the sources, and prints the files of which the compiler asks for a decision about it.

    Tools/additions.py sport|format|field|sensor…

Needs the modules of a release build. CONTRIBUTING.md lists these files, and what the compiler does not find; test_additions.py compares them.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The file of the enumeration, one of its cases, the same with the made one, and what a file with a switch over it contains.
MADE = {
    "sport": ("Domain/RunState.swift", "ride, other", "ride, other, skate", r"\.(hike|walk|ride)\b"),
    "format": ("Formats/Export/Export.swift", "case fit, gpx", "case made, fit, gpx", r"\.(geojson|tcx)\b"),
    "field": ("Domain/DataField.swift", "    case time\n", "    case time, made\n", r"\.(lapTime|maxPace)\b"),
    "sensor": ("Domain/Measurements/SensorKind.swift", "    case radar\n", "    case radar, gears\n", r"\.(environment|radar)\b"),
}
DROPPED = {"-output-file-map", "-emit-module-path", "-emit-objc-header-path", "-o", "-num-threads", "-index-store-path"}
LEFT_OUT = {"-c", "-emit-dependencies", "-emit-module", "-incremental", "-wmo", "-whole-module-optimization", "-O", "-Osize",
            "-parseable-output", "-save-temps"}


def commands():
    """The compiler's command of each module, without its files and outputs."""
    found = {}
    for line in (ROOT / ".build/release.yaml").read_text().splitlines():
        if '"-module-name","' not in line or not line.strip().startswith("args: ["):
            continue
        arguments = json.loads(line.strip()[len("args: "):])
        kept = []
        words = iter(arguments)
        for word in words:
            if word in DROPPED:
                next(words)
            elif word not in LEFT_OUT and not word.startswith("@") and not (word.endswith(".swift") and "/.build/" not in word):
                kept.append(word)
        found[arguments[arguments.index("-module-name") + 1]] = kept
    return found


def modules():
    """The Swift modules of Sources, each after those that it imports."""
    described = json.loads(subprocess.check_output(["swift", "package", "describe", "--type", "json"], cwd=ROOT, stderr=subprocess.DEVNULL))
    targets = {target["name"]: target.get("target_dependencies", []) for target in described["targets"]
               if target["path"].startswith("Sources/") and target["module_type"] == "SwiftTarget" and target["type"] == "library"}
    ordered = []

    def add(name):
        if name in targets and name not in ordered:
            for other in targets[name]:
                add(other)
            ordered.append(name)
    for name in targets:
        add(name)
    return ordered


def asked(what, commands, modules):
    """The files of Sources in which the compiler finds an error, after the made case is added to a copy."""
    path, case, made, pattern = MADE[what]
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "Sources"
        shutil.copytree(ROOT / "Sources", copy)
        text = (copy / path).read_text()
        assert text.count(case) == 1, f"{path} has no {case!r}"
        (copy / path).write_text(text.replace(case, made))
        files = set()
        for module in modules:
            sources = sorted(str(source) for source in (copy / module).rglob("*.swift"))
            resources = sorted(str(source) for source in (ROOT / f".build/release/{module}.build/DerivedSources").glob("*.swift"))
            base = [commands[module][0], "-I", directory, *commands[module][1:], *sources, *resources]
            ended = subprocess.run(
                [*base, "-wmo", "-emit-module", "-emit-module-path", f"{directory}/{module}.swiftmodule",
                 "-Xfrontend", "-experimental-skip-non-inlinable-function-bodies"], capture_output=True, text=True, cwd=directory)
            if any(re.search(pattern, Path(source).read_text()) for source in sources):
                ended = subprocess.run([*base, "-wmo", "-typecheck"], capture_output=True, text=True, cwd=directory)
            files |= set(re.findall(r"Sources/(\S+\.swift):\d+:\d+: error:", ended.stdout + ended.stderr))
        return sorted(files | {path})


if __name__ == "__main__":
    known, ordered = commands(), modules()
    for what in sys.argv[1:]:
        print(what, *asked(what, known, ordered), sep="\n  ")
