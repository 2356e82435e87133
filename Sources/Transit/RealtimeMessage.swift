import Domain

/// A message of GTFS-Realtime: its fields in the order of the specification. Fields and tokens that ``RealtimeFeed`` reads
/// too have their numbers in RealtimeFields.swift.
///
/// Source: gtfs.org/documentation/realtime/proto, version 2.0 with its experimental fields.
struct RealtimeMessage: Sendable {
    indirect enum Kind: Sendable {
        case text, flag, int32, int64, uint32, uint64, float, double
        /// Names by their numbers.
        case token([UInt64: String])
        case message(RealtimeMessage)
    }

    struct Field: Sendable {
        var number: Int
        var name: StaticText
        var kind: Kind
        var isRequired = false
        var isRepeated = false

        init(_ number: Int, _ name: StaticText, _ kind: Kind = .text) {
            self.number = number
            self.name = name
            self.kind = kind
        }

        init(_ field: some RealtimeField, _ name: StaticText, _ kind: Kind = .text) {
            self.init(field.number, name, kind)
        }

        var required: Field { with { $0.isRequired = true } }
        var repeated: Field { with { $0.isRepeated = true } }

        private func with(_ change: (inout Field) -> Void) -> Field {
            var field = self
            change(&field)
            return field
        }
    }

    let fields: [Field]

    private init(_ fields: Field...) {
        self.fields = fields
    }

    private static func tokens(from first: UInt64 = 0, _ names: String...) -> Kind {
        .token(Dictionary(uniqueKeysWithValues: zip(first..., names)))
    }

    private static func tokens<Token: RawRepresentable<UInt64>>(_ names: KeyValuePairs<Token, String>) -> Kind {
        .token(Dictionary(uniqueKeysWithValues: names.map { ($0.key.rawValue, $0.value) }))
    }

    static let header = RealtimeMessage(
        Field(HeaderField.version, "gtfs_realtime_version").required,
        Field(HeaderField.incrementality, "incrementality", tokens("FULL_DATASET", "DIFFERENTIAL")),
        Field(HeaderField.timestamp, "timestamp", .uint64),
        Field(4, "feed_version"))

    static let entity = RealtimeMessage(
        Field(EntityField.id, "id").required, Field(EntityField.isDeleted, "is_deleted", .flag),
        Field(EntityField.tripUpdate, "trip_update", .message(tripUpdate)),
        Field(EntityField.vehicle, "vehicle", .message(vehiclePosition)),
        Field(EntityField.alert, "alert", .message(alert)),
        Field(6, "shape", .message(RealtimeMessage(Field(1, "shape_id"), Field(2, "encoded_polyline")))),
        Field(7, "stop", .message(stop)), Field(8, "trip_modifications", .message(tripModifications)))

    private static let tripUpdate = RealtimeMessage(
        Field(TripUpdateField.trip, "trip", .message(trip)).required,
        Field(TripUpdateField.stopTimeUpdate, "stop_time_update", .message(stopTimeUpdate)).repeated,
        Field(TripUpdateField.vehicle, "vehicle", .message(vehicle)),
        Field(TripUpdateField.timestamp, "timestamp", .uint64),
        Field(TripUpdateField.delay, "delay", .int32),
        Field(
            6, "trip_properties",
            .message(
                RealtimeMessage(
                    Field(1, "trip_id"), Field(2, "start_date"), Field(3, "start_time"), Field(4, "shape_id"),
                    Field(5, "trip_headsign"), Field(6, "trip_short_name")))))

    private static let stopTimeEvent = RealtimeMessage(
        Field(StopTimeEventField.delay, "delay", .int32), Field(StopTimeEventField.time, "time", .int64),
        Field(3, "uncertainty", .int32),
        Field(4, "scheduled_time", .int64))

    private static let stopTimeUpdate = RealtimeMessage(
        Field(StopTimeUpdateField.stopSequence, "stop_sequence", .uint32),
        Field(StopTimeUpdateField.arrival, "arrival", .message(stopTimeEvent)),
        Field(StopTimeUpdateField.departure, "departure", .message(stopTimeEvent)),
        Field(StopTimeUpdateField.stopID, "stop_id"),
        Field(
            StopTimeUpdateField.relationship, "schedule_relationship",
            tokens([
                StopRelationship.scheduled: "SCHEDULED", .skipped: "SKIPPED", .noData: "NO_DATA",
                .unscheduled: "UNSCHEDULED",
            ])),
        Field(
            6, "stop_time_properties",
            .message(
                RealtimeMessage(
                    Field(1, "assigned_stop_id"), Field(2, "stop_headsign"), Field(3, "pickup_type", pickupType),
                    Field(4, "drop_off_type", pickupType)))),
        Field(7, "departure_occupancy_status", occupancyStatus))

    private static let pickupType = tokens("REGULAR", "NONE", "PHONE_AGENCY", "COORDINATE_WITH_DRIVER")

    private static let occupancyStatus = tokens(
        "EMPTY", "MANY_SEATS_AVAILABLE", "FEW_SEATS_AVAILABLE", "STANDING_ROOM_ONLY", "CRUSHED_STANDING_ROOM_ONLY",
        "FULL", "NOT_ACCEPTING_PASSENGERS", "NO_DATA_AVAILABLE", "NOT_BOARDABLE")

    private static let vehiclePosition = RealtimeMessage(
        Field(VehiclePositionField.trip, "trip", .message(trip)),
        Field(
            VehiclePositionField.position, "position",
            .message(
                RealtimeMessage(
                    Field(PositionField.latitude, "latitude", .float).required,
                    Field(PositionField.longitude, "longitude", .float).required,
                    Field(PositionField.bearing, "bearing", .float), Field(PositionField.odometer, "odometer", .double),
                    Field(PositionField.speed, "speed", .float)))),
        Field(VehiclePositionField.stopSequence, "current_stop_sequence", .uint32),
        Field(VehiclePositionField.status, "current_status", tokens("INCOMING_AT", "STOPPED_AT", "IN_TRANSIT_TO")),
        Field(VehiclePositionField.timestamp, "timestamp", .uint64),
        Field(
            VehiclePositionField.congestion, "congestion_level",
            tokens(
                "UNKNOWN_CONGESTION_LEVEL", "RUNNING_SMOOTHLY", "STOP_AND_GO", "CONGESTION", "SEVERE_CONGESTION")),
        Field(VehiclePositionField.stopID, "stop_id"),
        Field(VehiclePositionField.vehicle, "vehicle", .message(vehicle)),
        Field(VehiclePositionField.occupancyStatus, "occupancy_status", occupancyStatus),
        Field(10, "occupancy_percentage", .uint32),
        Field(
            11, "multi_carriage_details",
            .message(
                RealtimeMessage(
                    Field(1, "id"), Field(2, "label"), Field(3, "occupancy_status", occupancyStatus),
                    Field(4, "occupancy_percentage", .int32), Field(5, "carriage_sequence", .uint32)))
        ).repeated)

    private static let alert = RealtimeMessage(
        Field(AlertField.activePeriod, "active_period", timeRange).repeated,
        Field(AlertField.communicationPeriod, "communication_period", timeRange).repeated,
        Field(AlertField.impactPeriod, "impact_period", timeRange).repeated,
        Field(
            AlertField.informedEntity, "informed_entity",
            .message(
                RealtimeMessage(
                    Field(InformedEntityField.agencyID, "agency_id"), Field(InformedEntityField.routeID, "route_id"),
                    Field(InformedEntityField.routeType, "route_type", .int32),
                    Field(InformedEntityField.trip, "trip", .message(trip)),
                    Field(InformedEntityField.stopID, "stop_id"), Field(6, "direction_id", .uint32)))
        ).repeated,
        Field(
            AlertField.cause, "cause",
            tokens(
                from: 1, "UNKNOWN_CAUSE", "OTHER_CAUSE", "TECHNICAL_PROBLEM", "STRIKE", "DEMONSTRATION", "ACCIDENT",
                "HOLIDAY", "WEATHER", "MAINTENANCE", "CONSTRUCTION", "POLICE_ACTIVITY", "MEDICAL_EMERGENCY",
                "SPECIAL_EVENT")),
        Field(
            AlertField.effect, "effect",
            tokens(
                from: 1, "NO_SERVICE", "REDUCED_SERVICE", "SIGNIFICANT_DELAYS", "DETOUR", "ADDITIONAL_SERVICE",
                "MODIFIED_SERVICE", "OTHER_EFFECT", "UNKNOWN_EFFECT", "STOP_MOVED", "NO_EFFECT",
                "ACCESSIBILITY_ISSUE")),
        Field(AlertField.url, "url", translated), Field(AlertField.headerText, "header_text", translated),
        Field(AlertField.descriptionText, "description_text", translated),
        Field(12, "tts_header_text", translated), Field(13, "tts_description_text", translated),
        Field(14, "severity_level", tokens(from: 1, "UNKNOWN_SEVERITY", "INFO", "WARNING", "SEVERE")),
        Field(
            15, "image",
            .message(
                RealtimeMessage(
                    Field(
                        1, "localized_image",
                        .message(
                            RealtimeMessage(
                                Field(1, "url").required, Field(2, "media_type").required, Field(3, "language")))
                    ).repeated))),
        Field(16, "image_alternative_text", translated), Field(17, "cause_detail", translated),
        Field(18, "effect_detail", translated))

    private static let timeRange = Kind.message(
        RealtimeMessage(Field(TimeRangeField.start, "start", .uint64), Field(TimeRangeField.end, "end", .uint64)))

    /// A text in several languages.
    private static let translated = Kind.message(
        RealtimeMessage(
            Field(
                TranslatedTextField.translation, "translation",
                .message(RealtimeMessage(Field(TranslationField.text, "text").required, Field(2, "language")))
            )
            .repeated))

    private static let trip = RealtimeMessage(
        Field(TripField.id, "trip_id"), Field(TripField.startTime, "start_time"),
        Field(TripField.startDate, "start_date"),
        Field(
            TripField.relationship, "schedule_relationship",
            tokens([
                TripRelationship.scheduled: "SCHEDULED", .added: "ADDED", .unscheduled: "UNSCHEDULED",
                .canceled: "CANCELED", .replacement: "REPLACEMENT", .duplicated: "DUPLICATED", .deleted: "DELETED",
                .new: "NEW",
            ])),
        Field(TripField.routeID, "route_id"), Field(6, "direction_id", .uint32),
        Field(
            7, "modified_trip",
            .message(
                RealtimeMessage(
                    Field(1, "modifications_id"), Field(2, "affected_trip_id"), Field(3, "start_time"),
                    Field(4, "start_date")))))

    private static let vehicle = RealtimeMessage(
        Field(VehicleField.id, "id"), Field(VehicleField.label, "label"), Field(3, "license_plate"),
        Field(
            4, "wheelchair_accessible",
            tokens("NO_VALUE", "UNKNOWN", "WHEELCHAIR_ACCESSIBLE", "WHEELCHAIR_INACCESSIBLE")))

    private static let stop = RealtimeMessage(
        Field(1, "stop_id"), Field(2, "stop_code", translated), Field(3, "stop_name", translated),
        Field(4, "tts_stop_name", translated), Field(5, "stop_desc", translated), Field(6, "stop_lat", .float),
        Field(7, "stop_lon", .float), Field(8, "zone_id"), Field(9, "stop_url", translated),
        Field(11, "parent_station"), Field(12, "stop_timezone"),
        Field(13, "wheelchair_boarding", tokens("UNKNOWN", "AVAILABLE", "NOT_AVAILABLE")), Field(14, "level_id"),
        Field(15, "platform_code", translated))

    private static let stopSelector = Kind.message(
        RealtimeMessage(Field(1, "stop_sequence", .uint32), Field(2, "stop_id")))

    private static let tripModifications = RealtimeMessage(
        Field(
            1, "selected_trips",
            .message(RealtimeMessage(Field(1, "trip_ids").repeated, Field(2, "shape_id")))
        ).repeated,
        Field(2, "start_times").repeated, Field(3, "service_dates").repeated,
        Field(
            4, "modifications",
            .message(
                RealtimeMessage(
                    Field(1, "start_stop_selector", stopSelector), Field(2, "end_stop_selector", stopSelector),
                    Field(3, "propagated_modification_delay", .int32),
                    Field(
                        4, "replacement_stops",
                        .message(RealtimeMessage(Field(1, "travel_time_to_stop", .int32), Field(2, "stop_id")))
                    ).repeated, Field(5, "service_alert_id"), Field(6, "last_modified_time", .uint64)))
        ).repeated)
}
