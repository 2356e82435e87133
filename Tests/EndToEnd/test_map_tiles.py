"""The decoder of vector tiles of the page, in node: known tiles, cut and changed ones."""

import json

import pytest

from harness.browser import run_modules
from matrix import matrix

V1 = (
    "1a3f0a046c616e641222120200001803221a0900001ac8010000c801c701000f09289f011a0078780000770f1a046b696e6422080a0666"
    "6f7265737428802078021a92010a0773747265657473121612060000010102021802220a09136412a40300009003121c12040003030418"
    "02221209d804d8040a141409b401b40112131413131a046b696e641a066272696467651a07737572666163651a09747261636b74797065"
    "220a0a086379636c657761792202380122070a05706176656422070a05747261636b22080a0667726164653228802078021a5e0a0c706c"
    "6163655f6c6162656c73121112060000010102021801220509802080201a046b696e641a046e616d651a0a706f70756c6174696f6e2209"
    "0a0776696c6c61676522080a064f7264696e6f22091900000000007297402880207802")
VECTORS = {
    "V1": V1,
    "V2": "1a3078020a0c706c6163655f6c6162656c73120d120200001801220509800280011a046b696e6422060a04746f776e288002",
    "V3": "1a1c78020a05636f617374120e1802220a090000faffffff0f0202288020",
    "V4": "1a1878030a05636f617374120a180222060900000a1400288020",
}


def run(cases, vectors=VECTORS):
    """What Tests/EndToEnd/map_tiles.mjs says of the tiles, and of so many changed ones."""
    return run_modules("map_tiles.mjs", cases, text=json.dumps(vectors))


def test_known_tiles_have_their_lines_areas_and_labels():
    assert len(bytes.fromhex(V1)) == 310
    tiles = run(0)["decoded"]
    assert tiles["V1"]["buckets"] == {
        "wood 1": [-4, 0, 0, 100, 0, 100, 100, 0, 100, -4, 20, 20, 20, 80, 80, 80, 80, 20],
        "cycleway 2": [3, -10, 50, 200, 50, 200, 250],
        "track 1": [2, 300, 300, 310, 310, 3, 400, 400, 390, 410, 380, 400]}
    label, = tiles["V1"]["labels"]
    assert (label["place"], label["name"], label["x"], label["y"]) == ("village", "Ordino", 2048, 2048)
    assert tiles["V1"]["vertices"] == 17
    # A town without a name has no label, a count that the bytes cannot hold drops the line, version 3 is unknown.
    assert tiles["V2"]["labels"] == tiles["V4"]["labels"] == []
    assert tiles["V3"]["buckets"] == tiles["V4"]["buckets"] == {}
    assert tiles["V3"]["dropped"] == 1


def test_extent_is_scaled():
    named = VECTORS["V2"].replace("1a30", "1a3e").replace("12020000", "120400000101", 1).replace("120d", "120f", 1)
    named = named.replace("1a046b696e64", "1a046b696e641a046e616d65")
    named = named.replace("22060a04746f776e", "22060a04746f776e22060a044f6e6531")
    named = named.replace("1a3e", f"1a{len(bytes.fromhex(named)) - 2:02x}", 1)
    label, = run(0, VECTORS | {"named": named})["decoded"]["named"]["labels"]
    assert (label["name"], label["x"], label["y"]) == ("One1", 2048, 1024)


def test_damaged_tile_is_counted_once():
    assert run(0)["damaged"] == ["1/0/1"]


@pytest.mark.parametrize("cases", matrix([2_000, 100_000], 2_000))
def test_cut_and_changed_tiles_are_holes_and_take_no_time(cases):
    seen = run(cases)["seen"]
    assert seen["slow"] == seen["wrong"] == 0
    assert min(seen["read"], seen["damaged"]) > cases / 20
    assert seen["read"] + seen["damaged"] == cases + 311
