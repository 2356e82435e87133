package import Domain
package import JSONCoding

/// The data of the topic `transit`: the live data of the lines and stops of paced-net.conf, or a reason why there is none.
package enum TransitTopic {
    package static let name = "transit"
    /// The most vehicles, departures and alerts in the data.
    package static let vehicleLimit = 48
    package static let departureLimit = 40
    package static let alertLimit = 8
    /// The most lines that are followed.
    package static let followedLimit = 64
    /// The most lines of the text of an alert.
    package static let lineLimit = 6

    /// - Returns: nil, because the data has no time of observation: a publisher's `valid_until` is enough.
    /// - Throws: ``RPCError`` that names the wrong member.
    package static func check(_ data: JSON) throws(RPCError) -> UTC? {
        try TopicShape.object(result).check(data, at: "data")
        return nil
    }

    /// The objects of the data, by their names in schema.json and docs/protocol.md.
    static let tables: [(name: String, members: [TopicMember])] = [
        ("transit", result), ("transit_vehicle", vehicle), ("transit_departure", departure), ("transit_alert", alert),
    ]

    package static let occupancies = [
        "empty", "many-seats", "few-seats", "standing-room", "crushed", "full", "not-accepting", "unknown",
        "not-boardable",
    ]
    package static let punctualities = ["on-time", "late", "early"]

    private static let result: [TopicMember] = [
        TopicMember(
            "live", .flag, isRequired: true, "Whether the data is live. Otherwise departures follow the timetable."),
        TopicMember("reason", .text, "What is missing, for users: the timetable, or live data."),
        TopicMember("agency", .text, "The name of the agency."),
        TopicMember(
            "lines", .text, listLimit: followedLimit,
            "The IDs of the lines whose vehicles are followed, by `Lines=` of paced-net.conf; absent for all."),
        TopicMember(
            "vehicles", .object(vehicle), listLimit: vehicleLimit, isRequired: true,
            "The vehicles on the lines, the nearest first; empty without live data."),
        TopicMember(
            "departures", .object(departure), listLimit: departureLimit, isRequired: true,
            "The next departures from the stops, in the order of time."),
        TopicMember(
            "alerts", .object(alert), listLimit: alertLimit, isRequired: true,
            "The messages of the agency that hold now."),
    ]

    private static let line: [TopicMember] = [
        TopicMember("line", .text, isRequired: true, "The ID of the line."),
        TopicMember("code", .text, "The short name of the line, such as `V`."),
        TopicMember("color", .text, "The color of the line, such as `#FFCC66`."),
    ]

    private static let vehicle: [TopicMember] =
        [TopicMember("id", .text, isRequired: true, "What the agency calls the vehicle.")] + line
        + [
            TopicMember("latitude", .number(-90...90), unit: "°", isRequired: true, "The latitude of the vehicle."),
            TopicMember("longitude", .number(-180...180), unit: "°", isRequired: true, "The longitude of the vehicle."),
            TopicMember("bearing_deg", .number(0...360), unit: "°", "The direction in which the vehicle drives."),
            TopicMember("speed_mps", .number(0...100), unit: "m/s", "The speed of the vehicle."),
            TopicMember("passengers", .number(0...2000), "How many travellers are on board."),
            TopicMember("occupancy", .token(occupancies), "How full the vehicle is, in the words of GTFS-Realtime."),
            TopicMember("punctuality", .token(punctualities), "Whether the vehicle is on time."),
            TopicMember("direction", .text, "Where the vehicle goes, such as `Outbound`."),
            TopicMember("observed", .time, "When the position was measured."),
        ]

    private static let departure: [TopicMember] =
        line + [
            TopicMember("headsign", .text, "Where the vehicle goes."),
            TopicMember("stop", .text, isRequired: true, "The ID of the stop."),
            TopicMember("stop_name", .text, "The name of the stop."),
            TopicMember("departure", .time, "When the vehicle leaves, by the live data if there is some."),
            TopicMember("scheduled", .time, "When the vehicle leaves by the timetable."),
            TopicMember("live", .flag, isRequired: true, "Whether `departure` is live."),
            TopicMember("canceled", .flag, "True if the vehicle does not come."),
            TopicMember(
                "headway_s", .number(1...86_400), unit: "s", "The time between two vehicles without fixed times."),
            TopicMember("text", .text, "What the agency says instead of a time, such as `Due`."),
        ]

    private static let alert: [TopicMember] = [
        TopicMember("title", .text, isRequired: true, "The title of the message."),
        TopicMember("text", .text, listLimit: lineLimit, "The message, in lines."),
        TopicMember("lines", .text, listLimit: 16, "The IDs of the lines concerned; absent for all."),
        TopicMember("stops", .text, listLimit: 16, "The IDs of the stops concerned; absent for all."),
    ]
}
