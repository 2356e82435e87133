"""Images of a map behind the lines, in Debian's chromium."""

import pytest

from harness.paced_web import PacedWeb
from matrix import matrix

# The pixels of a map of red tiles that is drawn in dark, at some places, scales and turns: each different one once.
DRAW = """async (ratio) => {
    const [{ Overlay }, { cover, zoomOf }] = await Promise.all([import('/map-overlay.js'), import('/mercator.js')]);
    document.documentElement.dataset.theme = 'dark';
    const style = getComputedStyle(document.documentElement);
    const red = new OffscreenCanvas(256, 256);
    Object.assign(red.getContext('2d'), { fillStyle: '#f00' }).fillRect(0, 0, 256, 256);
    const image = await createImageBitmap(red);
    const found = new Set();
    for (const zoom of [14, 14.13, 14.37, 14.5, 15.71]) {
        for (const turn of [0, 0.3, Math.PI / 4]) {
            const view = { x: 0.537123, y: 0.328456, size: 256 * 2 ** zoom, turn, width: 700, height: 700, ax: 350.4, ay: 349.7 };
            const images = cover(view, zoomOf(view), { least: 10, most: 16 }, 64).map((tile) => ({ ...tile, image }));
            const overlay = new Overlay('');
            overlay.draw({ view, ratio, style, lines: [], points: [], images, right: 0 });
            const { data } = overlay.pen.getImageData(0, 0, overlay.canvas.width, overlay.canvas.height);
            for (const pixel of new Uint32Array(data.buffer)) found.add(pixel);
        }
    }
    return [...found].map((pixel) => [pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >>> 24]);
}"""


@pytest.fixture(scope="module")
def web(long_stage):
    return long_stage.start(PacedWeb(long_stage.directory, long_stage.paced("--gpsd", "off", "--bluetooth", "off")))


@pytest.mark.parametrize("ratio", matrix([1, 1.5, 2], 2))
def test_tiles_have_no_seams(web, pages, ratio):
    pixels = pages.open(web, device_scale_factor=ratio).evaluate(DRAW, ratio)
    # 0.45 of the dark theme, of which the colours of a canvas keep some digits.
    assert [255, 0, 0, 115] in pixels
    assert {alpha for *_, alpha in pixels} == {115}, pixels
