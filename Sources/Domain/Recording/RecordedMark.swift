/// A place that the user marked in a run.
package struct RecordedMark: Equatable, Sendable {
    /// One of ``kinds``.
    package var kind: CoursePointKind
    package var text: SanitizedText?
    /// Milliseconds since the recording's start, pauses included.
    package var at: Int64
    /// Active time in milliseconds.
    package var elapsedMilliseconds: Int64
    /// Distance from the start, in metres.
    package var distanceMetres: Double
    /// Nil indoors, and while the position was not fresh.
    package var coordinate: Coordinate?

    /// The most marks of an activity.
    package static let limit = 100

    /// What a mark can be: the types of course points that are no turns and no climbs.
    package static let kinds: [CoursePointKind] = [
        .generic, .summit, .valley, .water, .food, .danger, .firstAid, .sprint, .campsite, .restArea, .service,
        .checkpoint, .shelter, .meetingSpot, .overlook, .toilet, .shower, .gear, .sharpCurve, .steepIncline, .tunnel,
        .bridge, .obstacle, .crossing, .store, .transport, .info,
    ]

    /// - Parameter kind: another one than those of ``kinds``, as of a turn in a file, becomes generic.
    package init(
        _ kind: CoursePointKind, text: SanitizedText? = nil, at: Int64, elapsedMilliseconds: Int64,
        distanceMetres: Double, coordinate: Coordinate? = nil
    ) {
        self.kind = Self.kinds.contains(kind) ? kind : .generic
        self.text = text
        self.at = at
        self.elapsedMilliseconds = elapsedMilliseconds
        self.distanceMetres = distanceMetres
        self.coordinate = coordinate
    }
}
