"""A trash that answers in the place of programs that have none yet: the lists of what it has, and the methods that move it.

A daemon that has the methods needs none of this: `answer` of a page's requests then is that of the programs.
"""

import json

SUMMARY = {"sport": "run", "open": False, "started": "2026-03-01T07:00:00.000Z", "elapsed_ms": 3_600_000, "total_ms": 3_600_000,
           "distance_m": 10_000.0, "laps": 1, "gaps": 0}
COURSE = {"length_m": 4200.0, "points": 0, "climbs": 0, "added": "2026-03-01T07:00:00.000Z"}


class MadeTrash:
    """What is in it by kind, and the calls it has had."""

    def __init__(self, activities=(), courses=()):
        self.lists = {"activities": list(activities), "courses": list(courses)}
        self.calls = []

    def install(self, scope):
        """Answers the requests of a page or of a browser's context."""
        scope.route("**/api/activities?trash=1", lambda route: self.list(route, "activities"))
        scope.route("**/api/courses?trash=1", lambda route: self.list(route, "courses"))
        scope.route("**/api", self.call)

    def list(self, route, kind):
        route.fulfill(body="".join(json.dumps(one) + "\n" for one in self.lists[kind]), content_type="application/x-ndjson")

    def call(self, route):
        request = json.loads(route.request.post_data)
        method, params = request["method"], request["params"]
        kind = "courses" if method.startswith("course") else "activities"
        gone = [one for one in self.lists[kind] if one["id"] == params.get("id")]
        if not gone and method not in ("activities.trash", "course.trash", "activities.restore", "course.restore", "trash.empty"):
            return route.fallback()
        self.calls.append((method, *params.values()))
        self.lists[kind] = [one for one in self.lists[kind] if one not in gone]
        result = gone[0] if gone and method.endswith("restore") else None
        if method == "trash.empty":
            result = {kind: len(self.lists[kind]) for kind in self.lists}
            self.lists = {"activities": [], "courses": []}
        route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], "result": result})
