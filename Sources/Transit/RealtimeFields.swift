/// The fields of a message of GTFS-Realtime in the order of the specification, which counts from 1. They are those that
/// ``RealtimeFeed`` reads, and those before; ``RealtimeMessage`` has the names of all.
///
/// Source: gtfs.org/documentation/realtime/proto.
protocol RealtimeField: RawRepresentable<Int> {}

extension RealtimeField {
    init?(number: Int) { self.init(rawValue: number - 1) }

    var number: Int { rawValue + 1 }
}

enum FeedField: Int, RealtimeField { case header, entity }

enum HeaderField: Int, RealtimeField { case version, incrementality, timestamp }

enum EntityField: Int, RealtimeField { case id, isDeleted, tripUpdate, vehicle, alert }

enum TripUpdateField: Int, RealtimeField { case trip, stopTimeUpdate, vehicle, timestamp, delay }

enum StopTimeUpdateField: Int, RealtimeField { case stopSequence, arrival, departure, stopID, relationship }

enum StopTimeEventField: Int, RealtimeField { case delay, time }

enum TripField: Int, RealtimeField { case id, startTime, startDate, relationship, routeID }

enum VehiclePositionField: Int, RealtimeField {
    case trip, position, stopSequence, status, timestamp, congestion, stopID, vehicle, occupancyStatus
}

enum PositionField: Int, RealtimeField { case latitude, longitude, bearing, odometer, speed }

enum VehicleField: Int, RealtimeField { case id, label }

/// The specification has no fields 4 and 9.
enum AlertField: Int, RealtimeField {
    case activePeriod, communicationPeriod, impactPeriod, none4, informedEntity, cause, effect, url, none9, headerText
    case descriptionText
}

enum TimeRangeField: Int, RealtimeField { case start, end }

enum InformedEntityField: Int, RealtimeField { case agencyID, routeID, routeType, trip, stopID }

enum TranslatedTextField: Int, RealtimeField { case translation }

enum TranslationField: Int, RealtimeField { case text }

enum TripRelationship: UInt64 {
    case scheduled, added, unscheduled, canceled
    case replacement = 5
    case duplicated, deleted, new
}

enum StopRelationship: UInt64 { case scheduled, skipped, noData, unscheduled }
