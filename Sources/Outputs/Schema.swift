/// The JSON Schema (2020-12) of every line that the two sockets write.
///
/// Classes are told apart by `class`; a line without one is an answer of control.sock. Members that it does not name may come.
package enum Schema {
    package static let text = #"""
        {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:paced:protocol:1",
        "title": "paced, protocol 1: one line of state.sock or control.sock",
        "oneOf": [
          {"$ref": "#/$defs/VERSION"}, {"$ref": "#/$defs/STATE"}, {"$ref": "#/$defs/EVENT"},
          {"$ref": "#/$defs/HEART"}, {"$ref": "#/$defs/FIX"}, {"$ref": "#/$defs/SETTINGS"},
          {"$ref": "#/$defs/WATCH"}, {"$ref": "#/$defs/DROPPED"}, {"$ref": "#/$defs/ERROR"},
          {"$ref": "#/$defs/response"},
          {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/response"}}
        ],
        "$defs": {

        "VERSION": {"type": "object",
          "required": ["class", "program", "release", "protocol", "instance", "events"],
          "properties": {
            "class": {"const": "VERSION"}, "program": {"const": "paced"},
            "release": {"type": "string", "minLength": 1}, "protocol": {"const": 1},
            "boot_id": {"type": "string", "minLength": 1}, "instance": {"type": "string", "minLength": 1},
            "events": {"type": "object", "required": ["first", "last"],
              "description": "The newest events, all of which can be replayed; while there are none, first is last + 1. Older ones of the present run (start, last pause or resume, last 100 laps) can be replayed too.",
              "properties": {"first": {"type": "integer", "minimum": 1}, "last": {"$ref": "#/$defs/count"}}}}},

        "STATE": {"type": "object",
          "required": ["class", "seq", "boot_ms", "clock", "run", "heart", "gpsd", "bluetooth", "recorder", "ticks",
            "faults"],
          "properties": {
            "class": {"const": "STATE"}, "seq": {"$ref": "#/$defs/seq"}, "time": {"$ref": "#/$defs/time"},
            "boot_ms": {"type": "integer"}, "clock": {"$ref": "#/$defs/clock"}, "run": {"$ref": "#/$defs/run"},
            "activity": {"$ref": "#/$defs/id"}, "sport": {"$ref": "#/$defs/sport"},
            "elapsed_ms": {"$ref": "#/$defs/elapsed"}, "moving_ms": {"$ref": "#/$defs/count"},
            "distance_m": {"$ref": "#/$defs/amount"}, "pace_s_per_m": {"$ref": "#/$defs/pace"},
            "average_pace_s_per_m": {"$ref": "#/$defs/average_pace"}, "speed_mps": {"$ref": "#/$defs/amount"},
            "max_speed_mps": {"$ref": "#/$defs/amount"}, "ascent_m": {"$ref": "#/$defs/amount"},
            "lap": {"$ref": "#/$defs/lap"},
            "heart": {"$ref": "#/$defs/link", "type": "object",
              "properties": {
                "address": {"$ref": "#/$defs/address"}, "name": {"$ref": "#/$defs/foreign"},
                "bpm": {"$ref": "#/$defs/bpm"}, "age_ms": {"$ref": "#/$defs/count"},
                "average_bpm": {"$ref": "#/$defs/bpm"}, "max_bpm": {"$ref": "#/$defs/bpm"},
                "stale": {"type": "boolean"}, "contact": {"type": "boolean"},
                "battery_percent": {"type": "integer", "minimum": 0, "maximum": 100},
                "zone": {"type": "integer", "minimum": 0, "maximum": 5},
                "zone_name": {"enum": ["Warm Up", "Zone 1", "Zone 2", "Zone 3", "Zone 4", "Zone 5"]},
                "zone_fraction": {"type": "number", "minimum": 0, "maximum": 1}},
              "dependentRequired": {"bpm": ["age_ms", "stale"], "age_ms": ["bpm"], "stale": ["bpm"],
                "zone": ["bpm", "zone_name"], "zone_name": ["zone"], "zone_fraction": ["zone"]}},
            "position": {"$ref": "#/$defs/position", "type": "object", "required": ["age_ms", "stale"],
              "properties": {"age_ms": {"$ref": "#/$defs/count"}, "stale": {"type": "boolean"}}},
            "gpsd": {"$ref": "#/$defs/link", "properties": {"device": {"$ref": "#/$defs/foreign"}}},
            "bluetooth": {"type": "object", "required": ["backend"],
              "properties": {"backend": {"enum": ["off", "unix", "kernel", "bluetoothd"]},
                "adapter": {"$ref": "#/$defs/address"}, "reason": {"$ref": "#/$defs/foreign"}}},
            "recorder": {"type": "object", "required": ["state"],
              "properties": {"state": {"$ref": "#/$defs/recorder"}, "lag_ms": {"$ref": "#/$defs/count"},
                "sync_age_ms": {"$ref": "#/$defs/count"}, "free_mib": {"$ref": "#/$defs/count"}}},
            "power": {"type": "object", "minProperties": 1,
              "properties": {"battery_percent": {"type": "integer", "minimum": 0, "maximum": 100},
                "charging": {"type": "boolean"}}},
            "ticks": {"type": "object", "required": ["late", "worst_ms"],
              "properties": {"late": {"$ref": "#/$defs/count"}, "worst_ms": {"$ref": "#/$defs/amount"}}},
            "faults": {"type": "array",
              "items": {"type": "object", "required": ["fault", "since_boot_ms", "message"],
                "properties": {"fault": {"$ref": "#/$defs/token"}, "since_boot_ms": {"type": "integer"},
                  "message": {"type": "string", "minLength": 1}}}}},
          "if": {"properties": {"run": {"const": "idle"}}},
          "then": {
            "properties": {"activity": false, "sport": false, "elapsed_ms": false, "moving_ms": false,
              "distance_m": false, "pace_s_per_m": false, "average_pace_s_per_m": false, "speed_mps": false,
              "max_speed_mps": false, "ascent_m": false, "lap": false,
              "heart": {"properties": {"average_bpm": false, "max_bpm": false}}}},
          "else": {"required": ["sport", "elapsed_ms", "moving_ms", "distance_m", "lap"],
            "if": {"properties": {"run": {"const": "paused"}}},
            "then": {"properties": {"pace_s_per_m": false}}}},

        "EVENT": {"type": "object", "required": ["class", "seq", "boot_ms", "event"],
          "properties": {
            "class": {"const": "EVENT"}, "seq": {"$ref": "#/$defs/seq"}, "time": {"$ref": "#/$defs/time"},
            "boot_ms": {"type": "integer"}, "activity": {"$ref": "#/$defs/id"}},
          "oneOf": [
            {"required": ["sport"],
              "properties": {"event": {"const": "start"}, "sport": {"$ref": "#/$defs/sport"},
                "ago_ms": {"type": "integer", "minimum": 1, "maximum": 120000}, "resumed": {"const": true}}},
            {"required": ["elapsed_ms", "distance_m", "trigger"],
              "properties": {"event": {"enum": ["pause", "resume"]}, "elapsed_ms": {"$ref": "#/$defs/elapsed"},
                "distance_m": {"$ref": "#/$defs/amount"}, "trigger": {"enum": ["command", "auto"]}}},
            {"required": ["trigger", "lap"],
              "properties": {"event": {"const": "lap"}, "trigger": {"enum": ["command", "distance", "time"]},
                "lap": {"$ref": "#/$defs/lap"}}},
            {"required": ["summary"],
              "properties": {"event": {"enum": ["stop", "discard"]}, "summary": {"$ref": "#/$defs/summary"}}},
            {"$ref": "#/$defs/link", "required": ["link_of", "after_ms"],
              "properties": {"event": {"const": "link"}, "link_of": {"enum": ["heart", "gpsd"]},
                "after_ms": {"$ref": "#/$defs/count"}, "address": {"$ref": "#/$defs/address"},
                "name": {"$ref": "#/$defs/foreign"}}},
            {"required": ["fix", "mode", "after_ms"],
              "properties": {"event": {"const": "fix"}, "fix": {"enum": ["fresh", "stale", "absent"]},
                "mode": {"type": "integer", "minimum": 0, "maximum": 3}, "after_ms": {"$ref": "#/$defs/count"}}},
            {"required": ["cause", "gap_s", "counted"],
              "properties": {"event": {"const": "gap"}, "cause": {"enum": ["position", "sleep", "restart"]},
                "gap_s": {"$ref": "#/$defs/amount"}, "distance_m": {"$ref": "#/$defs/amount"},
                "counted": {"type": "boolean"}}},
            {"required": ["clock"],
              "properties": {"event": {"const": "clock"}, "clock": {"$ref": "#/$defs/clock"},
                "step_ms": {"type": "integer"}}},
            {"required": ["state"],
              "properties": {"event": {"const": "recorder"}, "state": {"$ref": "#/$defs/recorder"},
                "message": {"type": "string"}}},
            {"required": ["fault", "active", "message"],
              "properties": {"event": {"const": "fault"}, "fault": {"$ref": "#/$defs/token"},
                "active": {"type": "boolean"}, "message": {"type": "string", "minLength": 1}}},
            {"$ref": "#/$defs/setting_event"}]},

        "setting_event": {"required": ["key"],
          "properties": {"event": {"const": "settings"}},
          "oneOf": [
            {"required": ["value"], "properties": {"key": {"enum": ["metric", "twelve_hour_clock",
              "use_heart_rate_zones"]}, "value": {"type": "boolean"}}},
            {"required": ["value"], "properties": {"key": {"const": "sport"}, "value": {"$ref": "#/$defs/sport"}}},
            {"required": ["value"], "properties": {"key": {"enum": ["auto_lap_m", "auto_lap_s",
              "auto_stop_minutes"]}, "value": {"$ref": "#/$defs/count"}}},
            {"required": ["value"], "properties": {"key": {"const": "straps"}, "value": {"$ref": "#/$defs/straps"}}},
            {"properties": {"key": {"const": "zones"}, "value": {"$ref": "#/$defs/zones"}}},
            {"required": ["value"],
              "properties": {"key": {"const": "components"}, "value": {"$ref": "#/$defs/components"}}}]},

        "HEART": {"type": "object", "required": ["class", "seq", "boot_ms", "quality"],
          "properties": {
            "class": {"const": "HEART"}, "seq": {"$ref": "#/$defs/seq"}, "time": {"$ref": "#/$defs/time"},
            "boot_ms": {"type": "integer"}, "bpm": {"$ref": "#/$defs/bpm"},
            "quality": {"enum": ["good", "zero", "no-contact", "out-of-range", "frozen"]},
            "contact": {"type": "boolean"},
            "rr_1024": {"type": "array", "minItems": 1,
              "items": {"type": "integer", "minimum": 0, "maximum": 65535}},
            "energy_kj": {"type": "integer", "minimum": 0, "maximum": 65535}, "gap": {"const": true},
            "beat_boot_ms": {"type": "integer"}},
          "if": {"properties": {"quality": {"const": "good"}}},
          "then": {"required": ["bpm"]}, "else": {"properties": {"bpm": false}}},

        "FIX": {"$ref": "#/$defs/position", "type": "object", "required": ["class", "seq", "boot_ms"],
          "properties": {
            "class": {"const": "FIX"}, "seq": {"$ref": "#/$defs/seq"}, "time": {"$ref": "#/$defs/time"},
            "boot_ms": {"type": "integer"}, "gnss_time": {"$ref": "#/$defs/time"},
            "device": {"$ref": "#/$defs/foreign"}}},

        "SETTINGS": {"$ref": "#/$defs/settings", "required": ["class"],
          "properties": {"class": {"const": "SETTINGS"}}},

        "WATCH": {"type": "object", "required": ["class", "classes", "interval_ms"],
          "properties": {"class": {"const": "WATCH"},
            "classes": {"type": "array", "uniqueItems": true,
              "items": {"enum": ["STATE", "EVENT", "HEART", "FIX", "SETTINGS"]}},
            "interval_ms": {"type": "integer", "minimum": 100, "maximum": 60000, "multipleOf": 100}}},

        "DROPPED": {"type": "object", "required": ["class", "states", "events", "hearts", "fixes"],
          "properties": {"class": {"const": "DROPPED"}, "states": {"$ref": "#/$defs/count"},
            "events": {"$ref": "#/$defs/count"}, "hearts": {"$ref": "#/$defs/count"},
            "fixes": {"$ref": "#/$defs/count"}}},

        "ERROR": {"type": "object", "required": ["class", "message"],
          "properties": {"class": {"const": "ERROR"}, "message": {"type": "string", "minLength": 1}}},

        "response": {"type": "object", "required": ["jsonrpc", "id"],
          "properties": {"jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number", "null"]},
            "class": false},
          "oneOf": [
            {"required": ["result"],
              "properties": {"result": {"$ref": "#/$defs/result"}, "error": false}},
            {"required": ["error"], "properties": {"result": false,
              "error": {"type": "object", "required": ["code", "message"],
                "properties": {
                  "code": {"enum": [-32700, -32600, -32601, -32602, -32603, -32001, -32002, -32003, -32004]},
                  "message": {"enum": ["Parse error", "Invalid Request", "Method not found", "Invalid params",
                    "Internal error", "not in this state", "busy", "not found", "invalid value"]},
                  "data": {"type": "object", "required": ["message"],
                    "properties": {"message": {"type": "string", "minLength": 1},
                      "field": {"type": "string"}, "state": {"$ref": "#/$defs/run"}}}}}}}]},

        "result": {"anyOf": [
          {"$ref": "#/$defs/run.start"}, {"$ref": "#/$defs/run.pause"}, {"$ref": "#/$defs/summary"},
          {"$ref": "#/$defs/STATE"}, {"$ref": "#/$defs/settings"}, {"$ref": "#/$defs/setting"},
          {"$ref": "#/$defs/strap.scan"}, {"$ref": "#/$defs/link"}, {"$ref": "#/$defs/activities.list"},
          {"$ref": "#/$defs/activities.get"}, {"$ref": "#/$defs/activities.track"},
          {"type": "object", "required": ["openrpc", "info", "methods"]}]},

        "run.start": {"type": "object", "additionalProperties": false,
          "properties": {"activity": {"$ref": "#/$defs/id"}}},

        "run.pause": {"type": "object", "required": ["run", "elapsed_ms"],
          "properties": {"run": {"$ref": "#/$defs/run"}, "elapsed_ms": {"$ref": "#/$defs/elapsed"}}},

        "strap.scan": {"type": "array", "maxItems": 64,
          "items": {"type": "object", "required": ["address", "address_type", "services"],
            "properties": {"address": {"$ref": "#/$defs/address"}, "address_type": {"enum": ["public", "random"]},
              "name": {"$ref": "#/$defs/foreign"},
              "rssi_dbm": {"type": "integer", "minimum": -127, "maximum": 20},
              "services": {"type": "array", "maxItems": 16, "items": {"type": "string",
                "pattern": "^[0-9a-f]{4}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}}}}},

        "summary": {"type": "object",
          "required": ["sport", "open", "elapsed_ms", "total_ms", "distance_m", "laps", "gaps"],
          "properties": {
            "id": {"$ref": "#/$defs/id"}, "sport": {"$ref": "#/$defs/sport"},
            "name": {"$ref": "#/$defs/foreign"}, "open": {"type": "boolean"},
            "started": {"$ref": "#/$defs/time"}, "ended": {"$ref": "#/$defs/time"},
            "elapsed_ms": {"$ref": "#/$defs/count"}, "total_ms": {"$ref": "#/$defs/count"},
            "distance_m": {"$ref": "#/$defs/amount"}, "average_pace_s_per_m": {"$ref": "#/$defs/average_pace"},
            "ascent_m": {"$ref": "#/$defs/amount"}, "laps": {"$ref": "#/$defs/count"},
            "gaps": {"$ref": "#/$defs/count"}, "average_bpm": {"$ref": "#/$defs/bpm"},
            "max_bpm": {"$ref": "#/$defs/bpm"}, "demo": {"const": true},
            "recovered": {"type": "object", "properties": {"id": {"$ref": "#/$defs/id"},
              "lost_rows": {"type": "integer", "minimum": 1}}}}},

        "activities.list": {"type": "array", "maxItems": 100, "items": {"$ref": "#/$defs/summary"}},

        "activities.get": {"type": "object", "required": ["summary", "laps"],
          "properties": {
            "summary": {"$ref": "#/$defs/summary"},
            "laps": {"type": "array", "items": {"type": "object",
              "required": ["number", "elapsed_ms", "moving_ms", "distance_m"],
              "properties": {
                "number": {"type": "integer", "minimum": 1}, "trigger": {"enum": ["command", "distance", "time"]},
                "elapsed_ms": {"$ref": "#/$defs/count"}, "moving_ms": {"$ref": "#/$defs/count"},
                "distance_m": {"$ref": "#/$defs/amount"}, "average_pace_s_per_m": {"$ref": "#/$defs/average_pace"},
                "max_speed_mps": {"$ref": "#/$defs/amount"}, "average_bpm": {"$ref": "#/$defs/bpm"},
                "max_bpm": {"$ref": "#/$defs/bpm"}}}},
            "next_lap": {"type": "integer", "minimum": 2}, "zones": {"$ref": "#/$defs/zones"},
            "zone_ms": {"type": "array", "minItems": 6, "maxItems": 6, "items": {"$ref": "#/$defs/count"}}},
          "dependentRequired": {"zones": ["zone_ms"], "zone_ms": ["zones"]}},

        "activities.track": {"type": "object", "required": ["columns", "rows"],
          "properties": {
            "columns": {"type": "array", "minItems": 1, "uniqueItems": true,
              "items": {"enum": ["at_ms", "elapsed_ms", "distance_m", "latitude", "longitude", "altitude_m",
                "speed_mps", "bpm", "cadence_rpm", "power_w", "temperature_c"]}},
            "rows": {"type": "array", "items": {"type": "array", "items": {"type": ["number", "null"]}}},
            "next_ms": {"$ref": "#/$defs/count"}}},

        "settings": {"type": "object",
          "required": ["metric", "twelve_hour_clock", "use_heart_rate_zones", "sport", "auto_lap_m", "auto_lap_s",
            "auto_stop_minutes", "straps", "components"],
          "properties": {
            "metric": {"type": "boolean"}, "twelve_hour_clock": {"type": "boolean"},
            "use_heart_rate_zones": {"type": "boolean"}, "sport": {"$ref": "#/$defs/sport"},
            "auto_lap_m": {"$ref": "#/$defs/count"}, "auto_lap_s": {"$ref": "#/$defs/count"},
            "auto_stop_minutes": {"$ref": "#/$defs/count"}, "straps": {"$ref": "#/$defs/straps"},
            "zones": {"$ref": "#/$defs/zones"}, "components": {"$ref": "#/$defs/components"}}},

        "setting": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/sport"}, {"$ref": "#/$defs/count"},
          {"$ref": "#/$defs/straps"}, {"$ref": "#/$defs/zones"}, {"$ref": "#/$defs/components"}, {"type": "null"}]},

        "straps": {"type": "array", "maxItems": 16, "items": {"$ref": "#/$defs/foreign"}},

        "zones": {"type": "array", "minItems": 5, "maxItems": 5,
          "items": {"type": "integer", "minimum": 1, "maximum": 250}},

        "components": {"type": "array", "maxItems": 5,
          "items": {"type": "object", "required": ["name", "position", "visible", "title_visible", "size", "colour"],
            "properties": {
              "name": {"enum": ["Time", "Distance", "Pace", "Heart Rate", "Zone"]},
              "position": {"type": "integer", "minimum": 0, "maximum": 4},
              "visible": {"type": "boolean"}, "title_visible": {"type": "boolean"},
              "size": {"type": "integer", "minimum": 12, "maximum": 100},
              "colour": {"enum": ["red", "orange", "yellow", "green", "mint", "teal", "cyan", "blue", "indigo",
                "purple", "pink", "brown", "white", "gray", "black", "primary", "secondary"]}}}},

        "lap": {"type": "object", "required": ["number", "elapsed_ms", "moving_ms", "distance_m"],
          "properties": {
            "number": {"type": "integer", "minimum": 1}, "elapsed_ms": {"$ref": "#/$defs/elapsed"},
            "moving_ms": {"$ref": "#/$defs/count"}, "distance_m": {"$ref": "#/$defs/amount"},
            "average_pace_s_per_m": {"$ref": "#/$defs/average_pace"}, "max_speed_mps": {"$ref": "#/$defs/amount"},
            "average_bpm": {"$ref": "#/$defs/bpm"}, "max_bpm": {"$ref": "#/$defs/bpm"}}},

        "position": {"type": "object", "required": ["latitude", "longitude", "mode"],
          "properties": {
            "latitude": {"type": "number", "minimum": -90, "maximum": 90},
            "longitude": {"type": "number", "minimum": -180, "maximum": 180},
            "altitude_m": {"type": "number"}, "accuracy_m": {"$ref": "#/$defs/amount"},
            "speed_mps": {"$ref": "#/$defs/amount"}, "track_deg": {"type": "number", "minimum": 0, "maximum": 360},
            "mode": {"type": "integer", "minimum": 2, "maximum": 3}, "satellites": {"$ref": "#/$defs/count"}}},

        "link": {"type": "object", "required": ["link"],
          "properties": {"link": {"enum": ["disconnected", "connecting", "connected"]},
            "reason": {"$ref": "#/$defs/token"}},
          "allOf": [
            {"if": {"properties": {"link": {"const": "disconnected"}}}, "then": {"required": ["reason"]}},
            {"if": {"properties": {"link": {"const": "connected"}}}, "then": {"properties": {"reason": false}}}]},

        "run": {"enum": ["idle", "active", "paused"]},
        "sport": {"enum": ["run", "walk", "hike", "ride", "other"]},
        "clock": {"enum": ["system", "receiver", "unset"]},
        "recorder": {"enum": ["off", "writing", "stalled", "failed"]},
        "token": {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$"},
        "id": {"type": "integer", "minimum": 1},
        "seq": {"type": "integer", "minimum": 1},
        "count": {"type": "integer", "minimum": 0},
        "amount": {"type": "number", "minimum": 0},
        "elapsed": {"type": "integer", "minimum": 0, "multipleOf": 100},
        "pace": {"type": "number", "minimum": 0, "maximum": 3.6},
        "average_pace": {"type": "number", "minimum": 0},
        "bpm": {"type": "integer", "minimum": 1, "maximum": 240},
        "address": {"type": "string", "pattern": "^[0-9A-F]{2}(:[0-9A-F]{2}){5}$"},
        "foreign": {"type": "string", "minLength": 1, "maxLength": 256},
        "time": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"}
        }
        }
        """#
}
