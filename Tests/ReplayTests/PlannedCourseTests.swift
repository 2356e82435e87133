import Domain
import Formats
import Import
import Pipeline
import TestKit
import Testing

/// The figures of courses that planners have made.
@Suite struct PlannedCourseTests {
    /// Fields 121 and 122 of a course of Garmin Connect are the metres climbed and descended up to a record.
    @Test func remainingAscentIsThatOfThePlannerAtEachRecord() throws {
        var truth: [Double] = []
        let bytes = try Self.bytes("cptr003_connect.fit")
        var reader = FitReader { message in
            guard message.definition.message == Fit.Message.record.rawValue,
                message[Fit.Record.latitude] != nil
            else { return }
            truth.append(Double(message[121] ?? 0))
        }
        try reader.feed(bytes.span) { _ in }
        let course = try Self.course(bytes)
        let total = try #require(truth.last)
        #expect(total == 998)
        #expect(truth.count == course.ascents.count)
        var worst = 0.0
        for (stated, counted) in zip(truth, course.ascents) {
            let remaining = total - stated
            let error = abs((try #require(course.ascent) - Double(counted)) - remaining)
            worst = max(worst, error)
            #expect(error <= max(10, 0.03 * remaining))
        }
        #expect(worst <= 10)
    }

    @Test func twoVendorsAgreeAboutTheAscentOfOneRoute() throws {
        let connect = try Self.course(try Self.bytes("cptr003_connect.fit"))
        let planner = try Self.course(try Self.bytes("cptr003.fit"))
        let (one, other) = (try #require(connect.ascent), try #require(planner.ascent))
        #expect(abs(one - other) <= 0.05 * one)
    }

    /// Old La Honda, by the rule of Garmin: it has by far the most points. Five hills beside it reach 3500.
    @Test func theClimbOfTheRouteIsFound() throws {
        let course = try Self.course(try Self.bytes("cptr003_connect.fit"))
        let climbs = course.climbs(leastScore: 3500)
        let greatest = try #require(climbs.max { $0.score < $1.score })
        #expect(abs(greatest.start - 8620) <= 100)
        #expect(abs(greatest.top - 14_930) <= 100)
        #expect(abs(greatest.ascent - 435) <= 5)
        #expect(abs(greatest.averageGrade - 6.9) <= 0.1)
        #expect(climbs.count == 6)
        #expect(climbs.allSatisfy { $0.length >= 500 && $0.averageGrade >= 3 && $0.score >= 3500 })
        #expect(course.climbs(leastScore: 16_000) == [greatest])
    }

    private static func bytes(_ name: String) throws -> [UInt8] {
        try #require(ReferenceFile.all(in: "courses", name).first).bytes()
    }

    private static func course(_ bytes: [UInt8]) throws -> Domain.Course {
        var reader = CourseImport()
        try reader.feed(bytes.span)
        return Course(try reader.finish().data, hash: CourseHash(1))
    }
}
