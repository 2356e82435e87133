import Domain

extension OpenRPC {
    /// The document of net.sock, one line without a newline.
    package static let networkDocument = """
        {"openrpc":"1.3.2",\
        "info":{"title":"paced-net socket","version":"\(Release.version)",\
        "description":"JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name."},\
        "methods":[\
        \(method("weather.at", weatherSummary, [latitude, longitude, station], "weather and reports", weatherResult, [refused, busy, invalid])),\
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
