package import Domain
package import JSONCoding

/// The data of the topic `places`: the nearest points of interest, or a reason why there are none.
package enum PlacesTopic {
    package static let name = "places"
    /// The most places in the data.
    package static let limit = 64

    /// - Returns: nil, because the data has no time of observation.
    /// - Throws: ``RPCError`` that names the wrong member.
    package static func check(_ data: JSON) throws(RPCError) -> UTC? {
        let isReason = data["reason"] != nil && data["places"] == nil
        try TopicShape.object(isReason ? reason : result).check(data, at: "data")
        return nil
    }

    /// The objects of the data, by their names in schema.json and docs/protocol.md.
    static let tables: [(name: String, members: [TopicMember])] = [
        ("places", result), ("places_reason", reason), ("places_place", place),
    ]

    /// The kinds of `pacectl places`.
    package static let kinds = [
        "water", "toilets", "shelter", "food", "bicycle-shop", "repair-station", "pump", "pharmacy", "hospital", "aed",
        "station", "viewpoint", "park", "garden", "playground", "bench",
    ]

    private static let reason = [
        TopicMember("reason", .text, isRequired: true, "Why there are no places, for users. There is no other member.")
    ]

    private static let result: [TopicMember] =
        position("The latitude of the search.", "The longitude of the search.")
        + [
            TopicMember(
                "radius_m", .number(100...100_000), unit: "m", isRequired: true, "How far away the places are at most."),
            TopicMember(
                "places", .object(place), listLimit: limit, isRequired: true,
                "The nearest places of each kind, the nearest first; empty for none."),
            TopicMember(
                "attribution", .text, isRequired: true,
                "The credit that the licence of the data requires wherever the places are shown."),
        ]

    private static let place: [TopicMember] =
        [
            TopicMember("id", .text, isRequired: true, "The element of OpenStreetMap, such as `n123`."),
            TopicMember("kind", .token(kinds), isRequired: true, "What it is."),
        ] + position("The latitude of the place.", "The longitude of the place.")
        + [
            TopicMember(
                "distance_m", .number(0...100_000), unit: "m", isRequired: true,
                "The distance from the position of the search."),
            TopicMember(
                "bearing_deg", .number(0...360), unit: "°", isRequired: true,
                "The direction from the position of the search."),
            TopicMember("name", .text, "The name."),
            TopicMember("detail", .text, "The value of the tag, such as `bakery`."),
            TopicMember("address", .text, "The address, in one line."),
            TopicMember(
                "open", .token(["open", "closed", "unknown"]),
                "Whether it is open at the time of the search, if opening hours are known."),
        ]

    private static func position(_ latitude: String, _ longitude: String) -> [TopicMember] {
        [
            TopicMember("latitude", .number(-90...90), unit: "°", isRequired: true, latitude),
            TopicMember("longitude", .number(-180...180), unit: "°", isRequired: true, longitude),
        ]
    }
}
