import Domain
import Formats
package import HTTP
import Import
import JSONCoding
import Wire

/// Something that a source has: a workout of a day, or a course.
package struct PlannedItem: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case workout, course
    }

    package enum Content: Equatable, Sendable {
        /// A FIT file.
        case bytes([UInt8])
        case address(String)
        /// It cannot be used, with the reason.
        case broken(String)
    }

    package let kind: Kind
    /// What the source calls it: the same at each fetch.
    package let id: String
    /// Such as 2026-03-01; nil for a course without one.
    package let day: String?
    package let name: String
    /// Differs if the content does.
    package let version: String
    package let content: Content
    /// The end of its file's name.
    package let format: String
}

/// How a source of planned work is asked, and what its answer has.
///
/// Source: docs/link.md.
package enum PlanSource: String, CaseIterable, Sendable {
    case intervals, webdav

    /// The formats of courses.
    private static let formats = ["fit", "tcx", "gpx", "kml", "geojson"]
    package static let sizeLimit = 8 << 20
    private static let workoutSizeLimit = 1 << 20
    /// The most items of a fetch.
    private static let workoutLimit = 50
    private static let courseLimit = 512
    private static let nameLimit = 128

    /// The address without Url=.
    package var url: String? { self == .intervals ? "https://intervals.icu" : nil }

    /// The name of Basic authentication.
    package func user(_ settings: PlanSettings) -> String {
        self == .intervals ? "API_KEY" : settings.user ?? ""
    }

    /// The question for a week.
    ///
    /// - Parameter days: the first and the last day.
    package func request(_ settings: PlanSettings, days: (first: String, last: String)) -> OutgoingRequest {
        switch self {
        case .intervals:
            let athlete = (settings.user ?? "0").percentEncoded(keeping: "")
            return OutgoingRequest(
                url: settings.address + "/api/v1/athlete/\(athlete)/events?category=WORKOUT&ext=fit&resolve=true"
                    + "&oldest=\(days.first)&newest=\(days.last)",
                headers: ["Accept: application/json"], bodyLimit: Self.sizeLimit, timeout: settings.timeout)
        case .webdav:
            let body =
                #"<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getetag/><resourcetype/></prop></propfind>"#
            return OutgoingRequest(
                url: settings.address + "/", headers: ["Depth: 1", "Content-Type: application/xml", "Expect:"],
                content: .bytes(Array(body.utf8)), method: "PROPFIND", bodyLimit: Self.sizeLimit,
                timeout: settings.timeout)
        }
    }

    /// What an answer has; nil for one of another format.
    package func items(_ response: HTTPResponse, _ settings: PlanSettings) -> [PlannedItem]? {
        switch self {
        case .intervals: response.status == 200 ? Self.events(response.body, settings) : nil
        case .webdav: response.status == 207 ? Self.files(response.body, settings) : nil
        }
    }

    // MARK: intervals.icu

    private static func events(_ body: [UInt8], _ settings: PlanSettings) -> [PlannedItem]? {
        guard let unordered = (try? JSON(parsing: body))?.array else { return nil }
        // The first workout of a day is the one that starts first.
        let events = unordered.enumerated().map { (begin: $1["start_date_local"]?.string ?? "~", place: $0, event: $1) }
            .sorted { ($0.begin, $0.place) < ($1.begin, $1.place) }.map(\.event)
        var items: [PlannedItem] = []
        for event in events {
            guard let id = event["id"].flatMap(identifier) else { continue }
            let day = event["start_date_local"]?.string.map { String($0.prefix(10)) }.flatMap { isDay($0) ? $0 : nil }
            let name = event["name"]?.string.flatMap { SanitizedText.line($0, limit: nameLimit) }
            if let text = event["workout_file_base64"]?.string, !items.contains(where: { $0.id == id }) {
                items.append(
                    PlannedItem(
                        kind: .workout, id: id, day: day, name: name ?? "Workout",
                        version: "\(UUID.derived(from: text.utf8))", content: workout(text), format: "fit"))
            }
            for attachment in event["attachments"]?.array ?? [] {
                guard let file = attachment["filename"]?.string, let format = format(of: file),
                    let url = attachment["url"]?.string, isOfHost(url, settings.address),
                    let number = attachment["id"].flatMap(identifier)
                else { continue }
                items.append(
                    PlannedItem(
                        kind: .course, id: "\(id)/\(number)", day: day,
                        name: SanitizedText.line(file, limit: nameLimit) ?? "Course", version: number,
                        content: .address(url), format: format))
            }
        }
        return limited(items)
    }

    private static func workout(_ text: String) -> PlannedItem.Content {
        guard let bytes = Base64.decode(text.utf8) else { return .broken("its file is no base64") }
        return bytes.count <= workoutSizeLimit ? .bytes(bytes) : .broken("its file has more than 1 MiB")
    }

    private static func identifier(_ json: JSON) -> String? {
        let text = json.integer.map { "\($0)" } ?? json.string
        guard let text, (1...64).contains(text.utf8.count), text == text.percentEncoded(keeping: "-_") else {
            return nil
        }
        return text
    }

    private static func isDay(_ text: String) -> Bool { UTC(iso8601: text + "T00:00:00Z") != nil }

    /// Whether an address is one of https at the host of another one, or below it.
    private static func isOfHost(_ url: String, _ address: String) -> Bool {
        guard url.hasPrefix("https://") || url.hasPrefix("http://") && address.hasPrefix("http://"),
            url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        let (host, own) = (Fetcher.host(of: url), Fetcher.host(of: address))
        return host == own || host.hasSuffix("." + own)
    }

    // MARK: WebDAV

    private static func files(_ body: [UInt8], _ settings: PlanSettings) -> [PlannedItem]? {
        guard let found = try? MultiStatus.read(body) else { return nil }
        let address = settings.address
        let rest = address.dropFirst(address.hasPrefix("https://") ? 8 : 7)
        let slash = rest.firstIndex(of: "/") ?? address.endIndex
        let server = address[..<slash]
        guard let folder = OAuth.decoded(address[slash...] + "/") else { return nil }
        let items = found.compactMap { file -> PlannedItem? in
            // An absolute path, or a whole address of the same server.
            let path = file.href.hasPrefix(server) ? String(file.href.dropFirst(server.count)) : file.href
            guard !file.isFolder, path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                let plain = OAuth.decoded(path[...]), plain.hasPrefix(folder)
            else { return nil }
            let name = String(plain.dropFirst(folder.count))
            guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), let format = format(of: name) else {
                return nil
            }
            return PlannedItem(
                kind: .course, id: name, day: nil, name: SanitizedText.line(name, limit: nameLimit) ?? "Course",
                version: file.etag, content: .address(server + path), format: format)
        }
        return limited(items)
    }

    private static func format(of file: String) -> String? {
        let lower = file.lowercased()
        return formats.first { lower.hasSuffix("." + $0) }
    }

    private static func limited(_ items: [PlannedItem]) -> [PlannedItem] {
        Array(items.filter { $0.kind == .workout }.prefix(workoutLimit))
            + items.filter { $0.kind == .course }.prefix(courseLimit)
    }
}

/// The files of a folder: the answer to PROPFIND (RFC 4918).
struct MultiStatus: ElementParser {
    struct File: Equatable {
        var href = ""
        var etag = ""
        var isFolder = false
    }

    private static let limit = 4096

    private(set) var files: [File] = []
    private var names: [String] = []

    static func read(_ body: [UInt8]) throws -> [File] {
        var reader = try XMLReader { (root) throws(FileError) -> any ElementParser in
            guard root == "multistatus" else { throw FileError("it is no answer of WebDAV") }
            return MultiStatus()
        }
        try reader.feed(body.span) { _ in }
        var files: [File] = []
        try reader.finish { if let status = $0 as? MultiStatus { files = status.files } }
        return files
    }

    mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        names.append(name)
        switch name {
        case "response":
            guard files.count < Self.limit else { throw FileError("the folder has more than \(Self.limit) files") }
            files.append(File())
        case "collection": if let last = files.indices.last { files[last].isFolder = true }
        case "href", "getetag": return .whole
        default: break
        }
        return .none
    }

    mutating func end(_ text: String) throws(FileError) {
        guard let name = names.popLast(), let last = files.indices.last else { return }
        if name == "href", files[last].href.isEmpty { files[last].href = text.filter { !$0.isWhitespace } }
        if name == "getetag" { files[last].etag = text }
    }
}
