package import Domain
package import JSONCoding

// The blocks `course` and `partner` of a STATE line.
extension StateLine {
    package struct Course: Equatable {
        var number: Int?
        var name: String?
        /// Nil for a status of a later release.
        package var status: CourseProgressStatus?
        var lengthMetres: Double
        var progressMetres: Double?
        var remainingMetres: Double?
        var crossTrackMetres: Double?
        package var returnMetres: Double?
        /// Degrees from true north.
        package var returnBearing: Double?
        var cue: Cue?
        var secondCue: Cue?
        var arrivalSeconds: Double?
        var remainingAscentMetres: Double?
        var grade: Double?
        var climb: Climb?

        /// Differs between courses.
        var identity: String { "\(number ?? 0) \(lengthMetres) \(name ?? "")" }

        struct Cue: Equatable {
            var type: String
            var name: String?
            var metres: Double
            var seconds: Double?

            init?(_ json: JSON) {
                guard let type = json["type"]?.harmlessText(), let metres = json.metres("distance_m") else {
                    return nil
                }
                self.type = type
                self.metres = metres
                name = json["name"]?.harmlessText()
                seconds = json.metres("in_s")
            }
        }

        struct Climb: Equatable {
            var number: Int
            var count: Int
            var startMetres: Double
            var topMetres: Double
            var ascentMetres: Double
            var averageGrade: Double
            var gradeAhead: Double

            init?(_ json: JSON) {
                guard let number = json["number"]?.integer(in: 1...9999),
                    let count = json["count"]?.integer(in: 1...9999),
                    let start = json.metres("start_m"), let top = json.metres("top_m"),
                    let ascent = json.metres("ascent_m"), let average = json.metres("average_grade_percent"),
                    let ahead = json.metres("grade_ahead_percent")
                else { return nil }
                self.number = number
                self.count = count
                startMetres = start
                topMetres = top
                ascentMetres = ascent
                averageGrade = average
                gradeAhead = ahead
            }
        }

        package init?(_ json: JSON) {
            guard let length = json.metres("length_m"), length >= 0 else { return nil }
            number = json["id"]?.integer(in: 1...Int(Int32.max))
            name = json["name"]?.harmlessText()
            status = json["status"]?.string.flatMap(CourseProgressStatus.init)
            lengthMetres = length
            progressMetres = json.metres("progress_m")
            remainingMetres = json.metres("remaining_m")
            crossTrackMetres = json.metres("cross_track_m")
            returnMetres = json.metres("return_m")
            returnBearing = json.metres("return_bearing_deg")
            cue = json["cue"].flatMap { Cue($0) }
            secondCue = json["second_cue"].flatMap { Cue($0) }
            arrivalSeconds = json.metres("arrival_s")
            remainingAscentMetres = json.metres("remaining_ascent_m")
            grade = json.metres("grade_percent")
            climb = json["climb"].flatMap { Climb($0) }
        }
    }

    package struct Partner: Equatable {
        /// Nil for a partner of constant pace.
        var name: String?
        var secondsAhead: Double?
        var metresAhead: Double

        package init?(_ json: JSON) {
            guard let metres = json.metres("ahead_m") else { return nil }
            metresAhead = metres
            secondsAhead = json.metres("ahead_s")
            name = json["name"]?.harmlessText()
        }
    }
}
