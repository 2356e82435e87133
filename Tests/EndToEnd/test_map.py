"""`pacectl map` and `pacectl region`: the map of the page, made of an extract of OpenStreetMap by the real osmium and tilemaker."""

import json
import os
import signal
import sqlite3
import struct
import subprocess

import pytest

from harness.maps import MapsCommand
from harness.process import ROOT
from harness.timing import wait_for
from harness.vector_tiles import features, metadata

EXTRACTS = ROOT / "Tests/Data/osm"
ANDORRA, CUT_WAYS = EXTRACTS / "andorra.osm.pbf", EXTRACTS / "pyrosm-test.osm.pbf"
# A profile that goes wrong at the first node.
SPOILED = """node_keys = { "place" }
function node_function(node) %s end
function way_function(way) end
"""


class Maps(MapsCommand):
    def __init__(self, name, directory):
        super().__init__(name, directory)
        self.map = self.maps / "map.mbtiles"

    def words(self, path, *words, profile=ROOT / "map"):
        return "import", path, "--tilemaker-dir", profile, *words

    def take(self, path, *words):
        """The ended import."""
        done = self.run(*self.words(path, *words))
        assert done.returncode == 0, done.stderr
        assert [name for name in os.listdir(self.maps) if name.startswith("map")] == ["map.mbtiles"]
        return done

    def spoiled(self, action):
        """A profile whose first node does something else."""
        profile = self.directory / "profile"
        profile.mkdir(exist_ok=True)
        (profile / "config.json").write_text((ROOT / "map/config.json").read_text())
        (profile / "process.lua").write_text(SPOILED % action)
        return profile


@pytest.fixture
def maps(tmp_path):
    return Maps("map", tmp_path)


@pytest.fixture
def andorra(maps):
    maps.take(ANDORRA)
    return maps


def test_new_user_makes_looks_at_and_removes_a_map(maps):
    assert "'pacectl map import EXTRACT.osm.pbf' makes one" in maps.refused("show")
    said = maps.take(ANDORRA).stdout
    assert "The map takes about" in said and "MiB of memory and" in said
    assert "vector tiles (shortbread), zoom 6 to 14, 0." in said and said.endswith("  © OpenStreetMap contributors\n")
    assert 400_000 < maps.map.stat().st_size < 800_000 and maps.map.stat().st_mode & 0o777 == 0o644
    assert said.split("map.mbtiles:\n")[1] == maps("show").split("map.mbtiles:\n")[1]
    known = json.loads(maps("--json", "show"))
    assert (known["kind"], known["schema"], known["min_zoom"], known["max_zoom"]) == ("vector", "shortbread", 6, 14)
    # That of the header: some ways leave it by 50 km.
    assert known["bounds"] == "1.422104,42.435090,1.780386,42.657170"
    names = {feature.attributes.get("name") for feature in features(maps.map)}
    assert {"Andorra la Vella", "Ordino", "Avinguda Meritxell"} <= names
    assert maps("remove") == f"Removed: {maps.map}\n" and os.listdir(maps.maps) == []
    assert "there is no map at" in maps.refused("remove")


def test_second_region_replaces_the_first_and_says_so(andorra):
    assert "is replaced" not in andorra.take(ANDORRA).stdout
    done = andorra.take(CUT_WAYS)
    assert "The map of the area 1.422104,42.435090,1.780386,42.657170 is replaced. For both, merge" in done.stdout
    # tilemaker aborts on a way without all its nodes.
    assert "133 ways were left out: the extract lacks nodes of them" in done.stderr


@pytest.mark.parametrize("action, message", [
    ("error('no such tag')", "tilemaker cannot read "),
    ("error('std::bad_alloc')", "tilemaker had not enough memory: import on a larger computer and copy map.mbtiles"),
    ("os.execute('kill -9 $PPID')", "tilemaker had not enough memory"),
])
def test_failure_of_tilemaker_keeps_the_old_map(andorra, action, message):
    before = andorra.map.read_bytes()
    error = andorra.refused(*andorra.words(ANDORRA, profile=andorra.spoiled(action)))
    assert message in error and error.endswith("; the old map is kept\n")
    assert andorra.map.read_bytes() == before and os.listdir(andorra.maps) == ["map.mbtiles"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_import_and_leaves_nothing(andorra, number):
    before, begun = andorra.map.read_bytes(), andorra.directory / "begun"
    profile = andorra.spoiled(f"io.open('{begun}', 'w'):close() while true do end")
    started = subprocess.Popen(
        andorra.command(*andorra.words(ANDORRA, profile=profile)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for(begun.exists, 60, "tilemaker at the first node")
    started.send_signal(number)
    assert started.communicate(timeout=60)[1] == "pacectl: stopped; the old map is kept\n"
    assert started.returncode == 1
    assert andorra.map.read_bytes() == before and os.listdir(andorra.maps) == ["map.mbtiles"]


def test_import_removes_what_a_power_cut_left(andorra):
    store = andorra.maps / "map.mbtiles.work/store"
    store.mkdir(parents=True)
    for path in (store / "mmap_0.dat", store.parent / "tiles.mbtiles-journal", andorra.maps / "map.mbtiles.new"):
        path.write_bytes(b"x" * 1000)
    andorra.take(ANDORRA)


def test_damaged_and_foreign_extracts_are_named(andorra):
    before, good = andorra.map.read_bytes(), ANDORRA.read_bytes()
    cases = {
        "cut.osm.pbf": (good[: len(good) // 2], "osmium cannot read "), "empty.osm.pbf": (b"", "cannot read "),
        "text.osm.pbf": (b"x" * 5000, "osmium cannot read "), "unknown.xyz": (b"x", "Could not detect file format"),
        "flipped.osm.pbf": (good[:3000] + bytes(byte ^ 0x55 for byte in good[3000:6000]) + good[6000:], "cannot read ")}
    for name, (content, message) in cases.items():
        (andorra.directory / name).write_bytes(content)
        error = andorra.refused(*andorra.words(andorra.directory / name))
        assert message in error and name in error and error.endswith("; the old map is kept\n"), error
        assert andorra.map.read_bytes() == before and os.listdir(andorra.maps) == ["map.mbtiles"], name
    assert "No such file" in andorra.refused(*andorra.words("missing.osm.pbf"))
    # A disk that takes no more.
    done = andorra.run(*andorra.words(ANDORRA), prefix=["prlimit", "--fsize=200000"])
    assert done.returncode == 1 and "the old map is kept" in done.stderr and os.listdir(andorra.maps) == ["map.mbtiles"]


def test_import_needs_programs_memory_and_rest(maps):
    assert "sudo apt install tilemaker osmium-tool" in maps.refused(
        *maps.words(ANDORRA), environment={"PATH": "/nonexistent"})
    (maps.directory / "root/proc").mkdir(parents=True)
    (maps.directory / "root/proc/meminfo").write_text("MemTotal: 512000 kB\nMemAvailable:  102400 kB\n")
    little = maps.words(ANDORRA, "--root", maps.directory / "root")
    assert ("the import needs 152 MiB of memory and 105 MiB of disk, and 100 MiB of memory are free: import on a larger "
            "computer and copy map.mbtiles, or take a smaller extract, or insist with --force") in maps.refused(*little)
    assert "Imported" in maps(*little, "--force")
    assert "there is no process.lua in /nonexistent" in maps.refused(*maps.words(ANDORRA, profile="/nonexistent"))
    for words, message in [([], "use 'map import FILE'"), (["import"], "map import needs a file"),
                           (["import", "a.mbtiles", "--water", ""], "--water needs a directory")]:
        assert message in maps.refused(*words, status=2)


def shapefile(path, rings):
    """An ESRI shapefile of polygons (ESRI Shapefile Technical Description, 1998): the shapes, their index, their table."""
    records, index, offset = b"", b"", 50
    for number, ring in enumerate(rings, 1):
        xs, ys = zip(*ring)
        content = struct.pack("<i4d3i", 5, min(xs), min(ys), max(xs), max(ys), 1, len(ring), 0)
        content += b"".join(struct.pack("<2d", *point) for point in ring)
        records += struct.pack(">2i", number, len(content) // 2) + content
        index += struct.pack(">2i", offset, len(content) // 2)
        offset += 4 + len(content) // 2
    for suffix, body in ((".shp", records), (".shx", index)):
        head = struct.pack(">7i", 9994, 0, 0, 0, 0, 0, 50 + len(body) // 2)
        path.with_suffix(suffix).write_bytes(head + struct.pack("<2i8d", 1000, 5, -180, -90, 180, 90, 0, 0, 0, 0) + body)
    field = struct.pack("<11sc4x2B14x", b"FID", b"N", 9, 0)
    table = struct.pack("<B3xI2H20x", 3, len(rings), 32 + len(field) + 1, 10) + field + b"\r"
    path.with_suffix(".dbf").write_bytes(table + b"".join(b" %9d" % number for number in range(len(rings))) + b"\x1a")


def test_sea_is_a_band_without_its_areas(maps):
    extract = maps.directory / "coast.osm"
    extract.write_text("""<osm version="0.6"><bounds minlat="42" minlon="1" maxlat="42.1" maxlon="1.1"/>
        <node id="1" version="1" lat="42.02" lon="1.02"/><node id="2" version="1" lat="42.08" lon="1.05"/>
        <way id="1" version="1"><nd ref="1"/><nd ref="2"/><tag k="natural" v="coastline"/></way></osm>""")
    assert "the sea is a band along the coast: --water DIR gives it an area" in maps.take(extract).stderr
    assert {feature.layer for feature in features(maps.map)} == {"coast"}
    (maps.directory / "water").mkdir()
    water = maps.directory / "water"
    assert "unpack water-polygons-split-4326.zip" in maps.refused(*maps.words(extract, "--water", water))
    shapefile(water / "water_polygons.shp", [[(1.02, 42.02), (1.05, 42.08), (1.08, 42.02), (1.02, 42.02)]])
    assert maps.take(extract, "--water", water).stderr == ""
    assert {feature.layer for feature in features(maps.map)} == {"coast", "ocean"}


def finished(path, layers=("transportation",), form="pbf", **others):
    """A file of tiles with these layers."""
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE metadata (name text, value text);"
            "CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
        names = {"format": form, "json": json.dumps({"vector_layers": [{"id": name} for name in layers]}), **others}
        database.executemany("INSERT INTO metadata VALUES (?, ?)", names.items())
        database.execute("INSERT INTO tiles VALUES (14, 8192, 8191, x'1a00')")
    return path


def test_finished_maps_are_taken_or_named(andorra):
    own = andorra.directory
    said = andorra.take(finished(own / "other.mbtiles")).stdout
    assert "vector tiles (openmaptiles), zoom 14 to 14" in said and "© OpenMapTiles © OpenStreetMap contributors" in said
    assert "images (image/png)" in andorra.take(finished(own / "images.mbtiles", form="png", attribution="<b>me</b>")).stdout
    assert metadata(andorra.map)["attribution"] == "<b>me</b>"
    before = andorra.map.read_bytes()
    (own / "cut.mbtiles").write_bytes((own / "other.mbtiles").read_bytes()[:5000])
    for path, message in [
        (finished(own / "foreign.mbtiles", layers=["roads", "x\x1b[31m"]), "of no known schema, Shortbread or OpenMapTiles: roads"),
        (finished(own / "3d.mbtiles", form="glb"), "neither vector tiles nor images"),
        (own / "cut.mbtiles", "gives no map that the page draws"),
    ]:
        error = andorra.refused("import", path)
        assert message in error and "\x1b" not in error, error
        assert andorra.map.read_bytes() == before and os.listdir(andorra.maps) == ["map.mbtiles"]
    assert "--water needs an extract" in andorra.refused("import", own / "other.mbtiles", "--water", own, status=2)


def test_region_is_a_map_and_places_or_neither(tmp_path):
    region = Maps("region", tmp_path)
    said = region.take(ANDORRA).stdout
    assert "vector tiles (shortbread)" in said and "Imported 505 places into" in said
    files = {name: (region.maps / name).read_bytes() for name in ("map.mbtiles", "places.db")}
    assert sorted(os.listdir(region.maps)) == sorted(files)
    (tmp_path / "cut.osm.pbf").write_bytes(ANDORRA.read_bytes()[:300_000])
    for words, message in [
        (region.words(tmp_path / "cut.osm.pbf"), "the old places are kept, and the old map too"),
        (region.words(CUT_WAYS, profile=region.spoiled("error('no such tag')")), "the old map is kept, and the old places too"),
    ]:
        assert message in region.refused(*words)
        assert {name: (region.maps / name).read_bytes() for name in sorted(os.listdir(region.maps))} == files
