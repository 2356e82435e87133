import Domain

extension OpenRPC {
    /// The document of net.sock, one line without a newline.
    package static let networkDocument = """
        {"openrpc":"1.3.2",\
        "info":{"title":"paced-net socket","version":"\(Release.version)",\
        "description":"JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name."},\
        "methods":[\
        \(method("weather.at", weatherSummary, [latitude, longitude, station], "weather and reports", weatherResult, [refused, busy, invalid])),\
        \(method("route.find", routeSummary, [from, to, profile, engine], "routes", routeResult, [refused, busy, invalid, failed])),\
        \(method("route.course", courseSummary, [search, route, offset], "piece", courseResult, [notFound, invalid])),\
        \(method("transit.departures", departuresSummary, [stops, lines, named, limit(100)], "departures", departuresResult, [refused, busy, invalid])),\
        \(method("transit.home", homeSummary, [from, home, within, walking, bikes, limit(20)], "journeys", journeysResult, [refused, busy, invalid])),\
        \(method("transit.path", pathSummary, [line], "paths", pathsResult, [refused, busy, notFound, invalid])),\
        \(discover)\
        ],\
        "components":{"errors":\(errors)}}
        """

    private static let weatherSummary =
        "Returns the weather at a place, of a station, or without parameters at the position of paced."
    private static let weatherResult = """
        {"type":"object","required":["weather","reports"],"properties":{\
        "weather":\(object),"reports":{"type":"array","items":\(object)}}}
        """
    private static let failed = ##"{"$ref":"#/components/errors/failed"}"##
    private static let routeSummary =
        "Returns several routes to a place, the flattest first. Without from, they start at the position of paced."
    private static let routeResult = """
        {"type":"object","required":["search","engine","host","routes"],"properties":{\
        "search":{"type":"integer"},"engine":{"enum":["brouter","valhalla","graphhopper"]},"host":{"type":"string"},\
        "routes":{"type":"array","minItems":1,"items":{"type":"object","required":["length_m"],"properties":{\
        "length_m":{"type":"number"},"ascent_m":{"type":"number"},"descent_m":{"type":"number"},\
        "steepest_percent":{"type":"number"},"duration_s":{"type":"number"},"is_tie":{"const":true},"turns":{"type":"integer"},\
        "distance_m":{"type":"array","items":{"type":"number"}},"altitude_m":{"type":"array","items":{"type":"number"}}}}}}}
        """
    private static let courseSummary =
        "Returns a piece of a route of route.find: base64 of the data of an upload of kind course."
    private static let courseResult = """
        {"type":"object","required":["data","bytes"],"properties":{"data":{"type":"string"},"bytes":{"type":"integer"}}}
        """
    private static let place = """
        {"type":"object","required":["lat","lon"],"additionalProperties":false,"properties":{\
        "lat":{"type":"number","minimum":-90,"maximum":90},"lon":{"type":"number","minimum":-180,"maximum":180}}}
        """
    private static let from = ##"{"name":"from","summary":"The start.","schema":\##(place)}"##
    private static let to = ##"{"name":"to","summary":"The destination.","required":true,"schema":\##(place)}"##
    private static let profile = """
        {"name":"profile","summary":"How the user travels.","required":true,"schema":{"enum":["walk","run","ride"]}}
        """
    private static let engine = """
        {"name":"engine","summary":"The address of a route engine, such as valhalla+http://127.0.0.1:8002.",\
        "schema":{"type":"string"}}
        """
    private static let departuresSummary = "Returns the next departures of public transport from stops."
    private static let homeSummary =
        "Returns the next ways home by public transport, direct and with one change. Without from, they start at the position of paced."
    private static let pathSummary = "Returns the way of a line, for maps."
    private static let departuresResult = """
        {"type":"object","required":["live","departures"],"properties":{"agency":{"type":"string"},"timetable_ends":{"type":"string"},\
        "live":{"type":"boolean"},"live_age_s":{"type":"integer"},"reason":{"type":"string"},\
        "departures":{"type":"array","items":\(object)}}}
        """
    private static let journeysResult = """
        {"type":"object","required":["live","journeys"],"properties":{"agency":{"type":"string"},"timetable_ends":{"type":"string"},\
        "live":{"type":"boolean"},"live_age_s":{"type":"integer"},"reason":{"type":"string"},\
        "walking_mps":{"type":"number"},"journeys":{"type":"array","items":\(object)},"last":\(object)}}
        """
    private static let pathsResult = """
        {"type":"object","required":["paths"],"properties":{"paths":{"type":"array","items":{"type":"array",\
        "items":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"number"}}}}}}
        """
    private static let ids = #"{"type":"array","maxItems":64,"items":{"type":"string","minLength":1,"maxLength":255}}"#
    private static let stops = """
        {"name":"stops","summary":"The IDs of stops, and of stations, which stand for their platforms.","required":true,\
        "schema":\(ids)}
        """
    private static let lines = #"{"name":"lines","summary":"The IDs of lines; all if it is absent.","schema":\#(ids)}"#
    private static let named = """
        {"name":"named","summary":"Whether the user has named the stops: InfoPoint is asked for them then. Default false.",\
        "schema":{"type":"boolean"}}
        """
    private static let line = """
        {"name":"line","summary":"The ID of the line.","required":true,"schema":{"type":"string","minLength":1,"maxLength":255}}
        """
    private static func limit(_ most: Int) -> String {
        #"{"name":"limit","summary":"How many at most.","schema":{"type":"integer","minimum":1,"maximum":\#(most)}}"#
    }
    private static let home =
        ##"{"name":"home","summary":"Instead of the home of paced-net.conf.","schema":\##(place)}"##
    private static let within = """
        {"name":"within_m","summary":"Metres to a stop at most.","schema":{"type":"number","minimum":50,"maximum":5000}}
        """
    private static let walking = """
        {"name":"walking_mps","summary":"The speed of the walks.","schema":{"type":"number","minimum":0.2,"maximum":12}}
        """
    private static let bikes = """
        {"name":"bikes","summary":"Whether all vehicles must allow bikes.","schema":{"type":"boolean"}}
        """
    private static let count = #"{"type":"integer","minimum":0}"#
    private static let search = """
        {"name":"search","summary":"The number of the search, from the result of route.find.","required":true,"schema":\(count)}
        """
    private static let route = """
        {"name":"route","summary":"The index in routes, from 0.","required":true,"schema":\(count)}
        """
    private static let offset = """
        {"name":"offset","summary":"The first byte of the piece; 0 if it is absent.","schema":\(count)}
        """
    private static let latitude = """
        {"name":"lat","summary":"Degrees north, with lon.","schema":{"type":"number","minimum":-90,"maximum":90}}
        """
    private static let longitude = """
        {"name":"lon","summary":"Degrees east, with lat.","schema":{"type":"number","minimum":-180,"maximum":180}}
        """
    private static let station = """
        {"name":"station","summary":"The name of a station, such as EDDB, without lat and lon.",\
        "schema":{"type":"string","pattern":"^[A-Za-z0-9]{4}$"}}
        """
}
