"""The live page with the lines of a test in the place of the server's: `page = live_page(pages, web)`, then `say(page, line)`."""

from harness.fake_paced import RUN
from harness.timing import wait_for

# The stream of lines is the test's.
FEED = """const ask = window.fetch;
window.fetch = (address, options) => {
    if (!String(address).includes('/api/stream')) return ask(address, options);
    return Promise.resolve(new Response(new ReadableStream({ start(lines) {
        window.say = (line) => {
            if (line.class === 'STATE') window.last = line;
            lines.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\\n`));
        };
        setInterval(() => window.last && window.say(window.last), 500);
        window.say({ class: 'VERSION', instance: 'i', events: { last: 0 } });
    } })));
};"""

FIELDS = {
    "time": 4932.3, "distance": 25034.2, "pace": 0.3124, "heart_rate": 148, "zone": 2, "speed": 8.9, "lap_time": 192.3,
    "lap_distance": 603.1, "lap_pace": 0.31, "lap_speed": 8.1, "lap_heart_rate": 150, "laps": 3, "average_pace": 0.32,
    "average_speed": 8.4, "moving_time": 4800, "max_pace": 0.2, "max_speed": 14.2, "average_heart_rate": 141,
    "time_in_zone": 320, "max_heart_rate": 163, "altitude": 312, "power_3s": 212, "average_power": 190,
    "normalized_power": 205, "cadence": 88,
}
COURSE = {
    "length_m": 42000, "progress_m": 12000, "remaining_m": 30000, "status": "on",
    "cue": {"type": "left", "name": "Long Mill Lane", "distance_m": 120},
    "second_cue": {"type": "right", "name": "Church Street", "distance_m": 480},
}
WORKOUT = {
    "steps": 5, "step": 2, "text": "10 min zone 2 # Steady", "remaining_ms": 599400, "target_state": "high", "next": "1 km zone 4"}


def state(sport="run", blocks=None, fields=None, **members):
    """A STATE of a run of this moment."""
    values = FIELDS if fields is None else fields
    return RUN | {"sport": sport, "boot_ms": 123456700, "seq": 1, "blocks": {"fields": values} | (blocks or {})} | members


# Each kind of run: what its states have.
RUNS = {
    "run": {}, "ride": {"sport": "ride"}, "indoor": {"indoor": True}, "course": {"sport": "ride", "blocks": {"course": COURSE}},
    "workout": {"blocks": {"workout": WORKOUT}}, "both": {"sport": "ride", "blocks": {"course": COURSE, "workout": WORKOUT}},
}


def live_page(pages, web, first=None, path="", script="", **options):
    """Opens the live page with a first line. `script` runs before the page, the others are those of `Pages.open`."""
    page = pages.open(web, "icon.svg", **options)
    page.add_init_script(FEED + script)
    page.goto(f"{web.url}/{path}")
    wait_for(lambda: page.evaluate("Boolean(window.say)"), 60, "a page that reads lines")
    say(page, first or state())
    return page


def say(page, *lines):
    """Gives the page lines, and waits until it has drawn them."""
    page.evaluate("""(lines) => new Promise((done) => {
        for (const line of lines) window.say(line);
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)));
    })""", list(lines))


def settled(page):
    """Waits until nothing on the page comes or goes by itself."""
    page.evaluate("document.body.classList.remove('awake')")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def commands(asked, error=None):
    """Answers the commands of a run and of sensors, and keeps which ones were asked for."""
    def answer(route):
        request = route.request.post_data_json
        if not request["method"].startswith(("run.", "sensor.")):
            return route.fallback()
        asked.append(request["method"])
        result = {"error": error} if error else {"result": {"run": "paused" if request["method"] == "run.pause" else "active"}}
        return route.fulfill(json={"jsonrpc": "2.0", "id": request["id"]} | result)

    return answer


def lap(number):
    return {"class": "EVENT", "event": "lap", "seq": number, "boot_ms": 1, "lap": RUN["lap"] | {"average_pace_s_per_m": 0.3}}


def use(page, size, theme):
    """Another window and theme of the same page."""
    page.set_viewport_size(dict(zip(("width", "height"), size)))
    page.evaluate("""(theme) => {
        document.documentElement.dataset.theme = theme;
        dispatchEvent(new Event('paced-theme'));
    }""", theme)
    wait_for(lambda: page.evaluate("Boolean(window.say)"), 60, "a page that reads lines")
