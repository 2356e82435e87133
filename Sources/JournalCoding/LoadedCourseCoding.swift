package import Domain
import JSONCoding

// The course and the partner of an entry of the input log, which names them by their hashes.

extension JSONWriter {
    /// Writes no member for no course.
    mutating func members(of course: LoadedCourse?) {
        guard let course else { return }
        member("hash", course.hash.description)
        member("number", course.number)
        member("name", course.name?.text)
    }

    /// Writes no member for no partner.
    mutating func members(of partner: Partner?) {
        switch partner {
        case nil: break
        case .pace(let pace): member("pace", exact: pace)
        case .recorded(let partner):
            member("hash", partner.hash.description)
            member("name", partner.name?.text)
        }
    }
}

extension LoadedCourse? {
    init(_ json: JSON) throws(ParseError) {
        guard json["hash"] != nil else {
            self = nil
            return
        }
        self = LoadedCourse(
            hash: try json.hash(), number: json["number"]?.integer,
            name: json["name"]?.string.flatMap { SanitizedText($0) })
    }
}

extension Partner? {
    init(_ json: JSON) throws(ParseError) {
        if json["pace"] != nil {
            self = .pace(try json.member("pace").real())
        } else if json["hash"] != nil {
            self = .recorded(
                LoadedPartner(hash: try json.hash(), name: json["name"]?.string.flatMap { SanitizedText($0) }))
        } else {
            self = nil
        }
    }
}

extension JSON {
    fileprivate func hash() throws(ParseError) -> CourseHash {
        guard let hash = CourseHash(try member("hash").text()) else {
            throw ParseError(at: 0, expected: "a course's hash of 32 hexadecimal digits")
        }
        return hash
    }
}

extension Partner {
    /// The partner as JSON, by the hash of its curve.
    package var stored: String {
        var line = JSONWriter(capacity: 128)
        line.object { $0.members(of: self) }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// Reads ``stored``; nil for other text.
    package init?(stored text: String) {
        guard let json = try? JSON(parsing: text.utf8), let partner = try? Partner?(json) else { return nil }
        self = partner
    }
}
