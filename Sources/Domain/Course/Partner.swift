/// A virtual partner: somebody who moves at a constant pace, or as an activity did.
package enum Partner: Equatable, Sendable {
    /// Seconds per metre.
    case pace(Double)
    case recorded(LoadedPartner)
}

/// The partner that is loaded, as the input log names it.
package struct LoadedPartner: Equatable, Sendable {
    package var hash: CourseHash
    package var name: SanitizedText?
    /// Nil if a reader of the log does not have it.
    package var curve: PartnerCurve?

    package init(hash: CourseHash, name: SanitizedText? = nil, curve: PartnerCurve? = nil) {
        self.hash = hash
        self.name = name
        self.curve = curve
    }

    /// Equal hashes are equal curves.
    package static func == (one: LoadedPartner, other: LoadedPartner) -> Bool {
        one.hash == other.hash && one.name == other.name && (one.curve == nil) == (other.curve == nil)
    }
}

/// The distance of a partner over its active time. Immutable and shared, as ``Course``.
package final class PartnerCurve: Sendable {
    /// The most points of a curve: 28 hours with one a second.
    package static let limit = 100_000

    package let hash: CourseHash
    /// The course whose progress the distances are; nil for distances of a run.
    package let course: CourseHash?
    /// Active time in milliseconds, rising strictly, and metres, not falling; the first of both is 0.
    package let elapsedMilliseconds: [Int32]
    package let metres: [Float]

    package init(hash: CourseHash, course: CourseHash?, elapsedMilliseconds: [Int32], metres: [Float]) {
        self.hash = hash
        self.course = course
        self.elapsedMilliseconds = elapsedMilliseconds
        self.metres = metres
    }
}
