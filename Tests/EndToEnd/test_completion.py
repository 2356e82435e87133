"""bash and zsh complete the lines of the programs, whose tables they ask."""

import subprocess

import pytest

from harness.process import PROGRAMS, ROOT

ENVIRONMENT = {"PATH": f"{PROGRAMS}:/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "xterm", "LANG": "C.UTF-8"}

BASH = r'''
. completion/$1.bash
IFS=' ' read -ra COMP_WORDS <<<"$2"
[[ $2 != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_$1 "${COMP_WORDS[0]}"
echo "${COMPREPLY[*]}"
'''


@pytest.mark.parametrize("line, choices", [
    ("pacectl st", "status start stop"), ("pacectl --maps-dir Tes", "Tests"), ("pacectl import Pack", "Package.swift"),
    ("pacectl export 17 --format g", "gpx geojson"), ("paced --bl", "--bluetooth"), ("paced --bluetooth b", "bluetoothd"),
    ("paced --replay Pack", "Package.swift"), ("paced --ver", "--version"), ("paced-net --ca", "--cache-dir"),
    ("paced-net --paced-dir Tes", "Tests"), ("paced-web --pag", "--page-dir"), ("paced-web --listen ", ""),
    ("paced-link --ch", "--check"), ("paced-link --journal-dir Tes", "Tests"),
])
def test_bash_completes_a_line(line, choices):
    script = "pacectl" if line.startswith("pacectl") else "paced"
    shown = subprocess.check_output(
        ["bash", "-uc", BASH, "bash", script, line], cwd=ROOT, env=ENVIRONMENT, text=True, timeout=60)
    assert shown == choices + "\n"


# Types each line and Tab into an interactive zsh, and waits for what it inserts.
ZSH = r'''
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='> '; stty cols 200; fpath=(\$PWD/completion \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w shell 'print "rea""dy"'
zpty -r shell output '*ready*'
for line inserted; do
    zpty -n -w shell "$line"$'\t'
    zpty -r shell output "*$inserted*" && print -r -- "$line$inserted"
    zpty -n -w shell $'\x15'
done
zpty -d shell
'''


def test_zsh_completes_lines():
    lines = [
        ("pacectl settings set sport h", "ike"), ("pacectl settings reset tw", "elve_hour_clock"), ("pacectl help sche", "ma"),
        ("pacectl import Pack", "age.swift"), ("pacectl --maps-dir Tes", "ts"), ("paced --bluetooth ke", "rnel"),
        ("paced --config Pack", "age.swift"), ("paced-net --ca", "che-dir"), ("paced-web --page-dir Tes", "ts"),
        ("paced-link --st", "ate-dir"),
    ]
    shown = subprocess.check_output(
        ["zsh", "-fc", ZSH, "zsh", *(word for line in lines for word in line)], cwd=ROOT, env=ENVIRONMENT, text=True,
        timeout=120)
    assert shown == "".join(before + inserted + "\n" for before, inserted in lines)
