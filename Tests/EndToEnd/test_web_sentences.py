"""The sentences of paced, paced-net and pacectl that the page says in its own words: their keys are those of Sources."""

import json
import re

import pytest

from harness.browser import run_modules
from harness.process import ROOT

PLACE = re.compile(r"\{(\d+)\}")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Literals:
    """The string literals of Swift code, as templates: "course \\(id) is loaded" is "course {1} is loaded"."""

    def __init__(self, code):
        self.code = code

    def all(self):
        """(start, end, template) of each literal."""
        end = 0
        while found := re.compile(r'//[^\n]*|/\*.*?\*/|#".*?"#|"', re.DOTALL).search(self.code, end):
            end = found.end()
            if found[0] == '"':
                template, end = self.template(found.start())
                yield found.start(), end, template

    def template(self, start):
        quote = '"""' if self.code.startswith('"""', start) else '"'
        at, parts, places = start + len(quote), [], 0
        while not self.code.startswith(quote, at):
            if self.code.startswith("\\(", at):
                places += 1
                parts.append(f"{{{places}}}")
                at = self.end_of_value(at + 2)
            elif self.code.startswith("\\u{", at):
                end = self.code.index("}", at)
                parts.append(chr(int(self.code[at + 3:end], 16)))
                at = end + 1
            elif self.code[at] == "\\":
                parts.append(ESCAPES.get(self.code[at + 1], self.code[at + 1]))
                at += 2
            else:
                parts.append(self.code[at])
                at += 1
        return "".join(parts), at + len(quote)

    def end_of_value(self, at):
        depth = 1
        while depth > 0:
            if self.code[at] == '"':
                at = self.template(at)[1]
                continue
            depth += {"(": 1, ")": -1}.get(self.code[at], 0)
            at += 1
        return at


def joined(head, tail):
    count = len(PLACE.findall(head))
    return head + PLACE.sub(lambda place: f"{{{int(place[1]) + count}}}", tail)


def templates(code):
    """The templates of the code. Literals with a plus between them are one, and each is one too."""
    end, whole = 0, None
    for start, end_of_next, template in Literals(code).all():
        is_tail = whole is not None and re.fullmatch(r"\s*\+\s*", code[end:start])
        whole = joined(whole, template) if is_tail else template
        yield template
        yield whole
        end = end_of_next


@pytest.fixture(scope="module")
def spoken():
    return {template for path in (ROOT / "Sources").rglob("*.swift") for template in templates(path.read_text())}


def said(language, *errors):
    return run_modules("sentence_modules.mjs", language, text=json.dumps(errors))["said"]


def keys_of(language):
    """The sentences of a language with their translations."""
    texts = run_modules("sentence_modules.mjs", language, text="[]")["texts"]
    return {key.removeprefix("= "): text for key, text in texts.items() if key.startswith("= ")}


def is_spoken(key, spoken):
    """Whether the programs say it: as one literal, or with another behind it, such as "; see 'pacectl --help'"."""
    ends = [at for at in range(1, len(key)) if key[at] in " ;," and key[:at] in spoken]
    return key in spoken or any(key[at:] in spoken for at in ends)


def test_literals_become_templates():
    code = r'''
        // "none"
        throw .failed("course \(names.map { "\($0)" }.joined(separator: ", ")) is \"\(state)\"; "
            + "unload \(it ? "it" : "them (\(count))") first" /* "none" */, "x")
    '''
    assert list(templates(code))[2:] == ['unload {1} first', 'course {1} is "{2}"; unload {3} first', "x", "x"]


@pytest.mark.parametrize("language", ["de", "en"])
def test_translated_sentences_are_those_of_the_programs(spoken, language):
    sentences = keys_of(language)
    assert len(sentences) > 20
    assert [key for key in sentences if not is_spoken(key, spoken)] == []
    for key, text in sentences.items():
        assert set(PLACE.findall(text)) <= set(PLACE.findall(key)), key
        assert re.search(r"--\w|'pacectl|/var/|\.sock|\.conf", text) is None, text


def test_sentence_that_no_program_says_is_found(spoken):
    assert is_spoken("course {1} is loaded: unload it first", spoken)
    assert not is_spoken("course {1} is loaded: unload it at once", spoken)


def test_errors_are_said_in_german():
    template = {"sentence": "course {1} is loaded: unload it first", "values": ["3"]}
    assert said(
        "de",
        {"code": -32003, "message": "course 3 is loaded: unload it first", "data": template},
        # Without a template, with a file, a place in it and a reason.
        {"code": "failed", "message": "the live data is 90 s old"},
        {"code": "failed", "message": "run.gpx: line 2, column 5: not well-formed"},
        {"code": -32004, "message": "groups[1].name: a group is already named Night: owls"},
        {"code": "failed", "message": "cannot connect to (a.b)*"},
        {"code": "busy", "message": "too many requests wait: try again"},
        {"code": "failed", "message": "something new"},
    ) == [
        "Die Strecke 3 ist geladen: Entlade sie erst.", "Die Live-Daten sind 90 s alt.",
        "In Zeile 2, Spalte 5 ist ein Fehler: Die Datei ist beschädigt: Das ist kein gültiges XML.", "Eine Gruppe heißt schon Night: owls.",
        "(a.b)* ist nicht zu erreichen.", "Zu viele Seiten sind offen. Diese versucht es weiter.", "something new"]


def test_english_names_no_option_and_no_path():
    assert said(
        "en",
        {"code": "failed", "message": "there is no place n1 in /var/lib/paced-maps/places.db"},
        {"code": "unreachable", "message": "paced is not running at /run/paced/control.sock; start it, or name its directory with --runtime-dir"},
        {"code": -32003, "message": "course 3 is loaded: unload it first"},
    ) == [
        "The board does not have this place any more.", "paced is not running.", "course 3 is loaded: unload it first"]
