import Domain
import Formats
import JSONCoding
import Maps

extension FuzzTarget {
    /// A response of a route engine: the first byte is the dialect. It is rejected, or its routes are valid courses.
    static let routes = FuzzTarget(name: "routes", corpus: routeResponses) { bytes in
        var reader = CaseReader(bytes)
        let dialect = RouteDialect.allCases[Int(reader.byte()) % RouteDialect.allCases.count]
        guard let answers = try? dialect.answers(reader.bytes(bytes.count)) else { return }
        precondition((1...RouteAnswer.routeLimit).contains(answers.count))
        for answer in answers { expectValid(answer.course.data) }
    }

    /// A feature of an extract of OpenStreetMap: its places lie on Earth, and their opening hours can be asked.
    static let places = FuzzTarget(name: "places", corpus: features.map { Array($0.utf8) }) { bytes in
        guard let json = try? JSON(parsing: bytes), let feature = try? PlaceFeature(json) else { return }
        precondition(Set(feature.places.map(\.kind)).count == feature.places.count, "each kind once")
        for place in feature.places {
            precondition(place.position.latitude.magnitude <= 90 && place.position.longitude.magnitude <= 180)
            for text in [place.name, place.address, place.hours, place.phone, place.website] {
                precondition((text ?? "").unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
            guard let hours = place.hours.flatMap({ OpeningHours($0) }) else { continue }
            let now = CivilTime(year: 2026, month: 1 + bytes.count % 12, day: 28, minute: bytes.count % 1440)
            _ = hours.state(at: now)
        }
    }

    private static let routeResponses: [[UInt8]] = {
        let brouter = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"track-length":"315","total-time":"220",\#
            "voicehints":[[1,5,0,94.0,90]]},"geometry":{"type":"LineString","coordinates":[[1.52,42.5,1000],\#
            [1.521,42.5,1010.5],[1.521,42.502,1008]]}}]}
            """#
        let valhalla = #"""
            {"trip":{"status":0,"units":"kilometers","legs":[{"shape":"_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI","elevation":[1,2,3],\#
            "elevation_interval":30,"summary":{"length":1.2,"time":90},"maneuvers":[{"type":1,"begin_shape_index":0},\#
            {"type":10,"begin_shape_index":1,"street_names":["Main"]},{"type":4,"begin_shape_index":2}]}]}}
            """#
        let graphhopper = #"""
            {"paths":[{"distance":315.1,"time":220000,"points_encoded":false,"points":{"type":"LineString","coordinates":\#
            [[1.52,42.5,1000],[1.521,42.5,1010],[1.521,42.502,1008]]},"instructions":[{"sign":2,"interval":[1,2],\#
            "street_name":"Main"},{"sign":4,"interval":[2,2]}]}]}
            """#
        return [brouter, valhalla, graphhopper].enumerated().map { [UInt8($0.offset)] + Array($0.element.utf8) }
    }()

    private static let features = [
        #"""
        {"type":"Feature","id":"n1","geometry":{"type":"Point","coordinates":[1.52,42.5]},"properties":\#
        {"amenity":"cafe","name":"Café","opening_hours":"Mo-Fr 08:00-18:00; PH off","toilets":"yes",\#
        "addr:street":"Carrer Major","addr:housenumber":"5","website":"https://example.org","alt_name":"Kaffee"}}
        """#,
        #"""
        {"type":"Feature","id":"a247","geometry":{"type":"MultiPolygon","coordinates":[[[[1,42],[1.1,42],[1.1,42.1],\#
        [1,42]],[[1.02,42.01],[1.03,42.01],[1.03,42.02],[1.02,42.01]]]]},"properties":{"leisure":"park","name":"Parc"}}
        """#,
        #"""
        {"type":"Feature","id":"w9","geometry":{"type":"LineString","coordinates":[[1,42],[1.1,42],[1.1,42.1]]},\#
        "properties":{"highway":"residential","name":"Carrer"}}
        """#,
    ]
}
