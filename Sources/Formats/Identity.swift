import Domain

/// How files name an activity, a course and the device that wrote them.
///
/// FIT has developer fields of 16 bytes. GPX and TCX have elements of a namespace of ours, and GPX the element in which
/// OpenTracks has its own uuid, which other programs read too.
///
/// Sources: Garmin FIT SDK, cookbook "Developer Data"; OpenTracks, GPXTrackExporter.
enum Identity {
    /// The id of paced as a FIT developer, and the namespace of its elements.
    static let application = UUID("ed22eb95-6e1c-4794-b914-1b92bd2dfa95")!
    static let namespace = "urn:uuid:\(application)"
    static let openTracks = "http://opentracksapp.com/xmlschemas/v1"

    /// The names of the elements.
    static let activity = "activity"
    static let course = "course"
    static let device = "device"
    static let track = "trackid"

    /// The numbers of the developer fields.
    enum Field {
        /// In `session`.
        static let activity: Fit.Field = 0
        /// In the `device_info` of the device that wrote the file.
        static let device: Fit.Field = 1
    }

    /// The index of the developer in files that paced writes.
    static let developer: UInt8 = 0
}

extension FileText {
    /// Writes the extensions that name what a file has; nothing if it names nothing.
    ///
    /// - Parameters:
    ///   - tag: the element of the format around extensions.
    ///   - kind: the element of the uuid.
    mutating func extensions(
        _ tag: String, _ kind: String, _ uuid: UUID?, device: UUID?, forOpenTracks: Bool = false
    ) {
        guard uuid != nil || device != nil else { return }
        write("<\(tag)>")
        for (name, uuid) in [(kind, uuid), (Identity.device, device)] {
            guard let uuid else { continue }
            write("<paced:\(name) xmlns:paced=\"\(Identity.namespace)\">\(uuid)</paced:\(name)>")
        }
        if forOpenTracks, let uuid {
            write("<opentracks:trackid xmlns:opentracks=\"\(Identity.openTracks)\">\(uuid)</opentracks:trackid>")
        }
        write("</\(tag)>\n")
    }
}

extension FitWriter {
    /// Writes the descriptions of the developer fields, which must come before these.
    mutating func describeIdentity(as local: (id: UInt8, description: UInt8)) {
        message(
            .developerData, as: local.id,
            [
                .array(Fit.DeveloperData.application, .bytes, Identity.application.bytes.map { Int64($0) }),
                .uint8(Fit.DeveloperData.index, Int64(Identity.developer)),
            ])
        for (number, name) in [(Identity.Field.activity, "activity_uuid"), (Identity.Field.device, "device_uuid")] {
            message(
                .fieldDescription, as: local.description,
                [
                    .uint8(Fit.FieldDescription.developer, Int64(Identity.developer)),
                    .uint8(Fit.FieldDescription.number, Int64(number)),
                    .uint8(Fit.FieldDescription.baseType, Int64(Fit.BaseType.bytes.rawValue)),
                    .text(Fit.FieldDescription.name, name),
                ])
        }
    }
}

extension FitField {
    /// A uuid as a developer field; nil without one.
    static func uuid(_ number: Fit.Field, _ uuid: UUID?) -> FitField? {
        uuid.flatMap { .array(number, .bytes, $0.bytes.map { Int64($0) }) }
    }
}

/// Reads the uuid of the activity of a FIT file.
struct FitIdentity {
    /// The index of paced among the developers of the file; nil before its message.
    private var developer: UInt8?

    mutating func developer(_ message: FitMessage) {
        guard Array(message.bytes(of: Fit.DeveloperData.application)) == Identity.application.bytes else { return }
        developer = message[Fit.DeveloperData.index].flatMap { UInt8(exactly: $0) }
    }

    /// Whether a field description is one of a uuid.
    func describes(_ message: FitMessage) -> Bool {
        developer != nil && message[Fit.FieldDescription.developer] == developer.map { Int64($0) }
            && message[Fit.FieldDescription.number].map { $0 < Int64(Identity.Field.own) } ?? false
    }

    /// The uuid in a session.
    func activity(_ session: FitMessage) -> UUID? {
        let field = session.definition.developerFields.first {
            $0.developer == developer && $0.number == Identity.Field.activity
        }
        return field.flatMap { UUID(bytes: session.bytes[$0.offset..<$0.offset + $0.size]) }
    }
}
