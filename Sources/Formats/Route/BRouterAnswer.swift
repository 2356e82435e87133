import Domain
import JSONCoding

extension RoutePath {
    /// A FeatureCollection with one LineString, whose `voicehints` are the turns: index of the point, command, exit of a
    /// roundabout, metres to the next one, angle.
    static func brouter(_ json: JSON) throws(FileError) -> [RoutePath] {
        guard let features = json["features"]?.array else { throw FileError("the response is no answer of BRouter") }
        var paths: [RoutePath] = []
        for feature in features where feature["geometry"]?["type"]?.string == "LineString" {
            var path = RoutePath()
            for position in feature["geometry"]?["coordinates"]?.array ?? [] { try path.add(position) }
            let properties = feature["properties"]
            for hint in properties?["voicehints"]?.array ?? [] {
                let numbers = hint.array ?? []
                guard numbers.count >= 2, let index = numbers[0].integer, let command = numbers[1].integer else {
                    throw FileError("a voice hint has no point and no command")
                }
                path.turns.append(
                    Turn(brouterCommand: command, exit: numbers.dropFirst(2).first?.integer ?? 0, at: index))
            }
            // Numbers are texts.
            path.statedMetres = properties?["track-length"]?.string.flatMap { Double($0) }
            path.statedSeconds = properties?["total-time"]?.string.flatMap { Double($0) }
            paths.append(path)
        }
        return paths
    }
}

extension RoutePath.Turn {
    /// Source: btools.router.VoiceHint.
    fileprivate init(brouterCommand command: Int, exit: Int, at index: Int) {
        self.index = index
        switch command {
        case 1: kind = .straight
        case 2: kind = .left
        case 3: kind = .slightLeft
        case 4: kind = .sharpLeft
        case 5: kind = .right
        case 6: kind = .slightRight
        case 7: kind = .sharpRight
        case 8: kind = .leftFork
        case 9: kind = .rightFork
        case 10, 11, 15: kind = .uTurn
        case 13, 14:
            kind = .generic
            name = SanitizedText("Roundabout, exit \(exit.magnitude)")
        default: kind = .generic
        }
    }
}
