import Domain
import JSONCoding
import Link
import Program
import TestKit
import Testing

/// What the messages have, at each level.
struct LinkMessagesTests {
    private let device = UUID("018e0000-0000-7000-8000-00000000000d")!
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    private func json(_ text: String) -> JSON { (try? JSON(parsing: text.utf8)) ?? .null }
    private func json(_ bytes: [UInt8]) -> JSON { (try? JSON(parsing: bytes)) ?? .null }

    private var state: JSON {
        json(
            #"""
            {"run":"active","time":"2026-05-01T08:00:00.000Z","clock":"system","activity":17,"distance_m":10.5,
            "heart":{"bpm":140,"stale":false,"battery_percent":80},"recorder":{"state":"writing","free_mib":5},
            "position":{"latitude":52.51634,"longitude":13.37772,"altitude_m":34.1,"accuracy_m":10,"speed_mps":3,"age_ms":500,
            "stale":false},"power":{"battery_percent":71,"charging":true},"faults":[{"fault":"x"}],
            "blocks":{"fields":{"power":201}}}
            """#)
    }

    private func live(_ level: LinkLevel) -> JSON {
        json(
            LinkMessages.state(
                state, LiveMember.all.filter { $0.level <= level }, activity: device, position: state["position"]))
    }

    @Test func stateIsFlatAndHasWhatItsLevelAllows() {
        let full = live(.full)
        #expect(full["bpm"]?.integer == 140 && full["power_w"]?.integer == 201 && full["faults"]?.integer == 1)
        #expect(full["activity"]?.string == device.description && full["longitude"]?.number == 13.37772)
        guard case .object(let members) = full else { return #expect(Bool(false)) }
        for case .object in members.values { Issue.record("a member is an object") }
        #expect(live(.position)["bpm"] == nil)
        #expect(live(.health)["latitude"] == nil && live(.health)["distance_m"] == nil)
        #expect(live(.health)["battery_percent"]?.integer == 71)
    }

    @Test func staleHeartRateIsAbsent() {
        let state = json(#"{"heart":{"bpm":140,"stale":true}}"#)
        #expect(json(LinkMessages.state(state, LiveMember.all, activity: nil, position: nil))["bpm"] == nil)
    }

    @Test(arguments: [
        ("fault", LinkLevel.health, true), ("pause", .health, false), ("pause", .coarse, true),
        ("mark", .coarse, false),
        ("mark", .position, true), ("alert", .position, false), ("alert", .full, true), ("fault", .none, false),
    ]) func eventIsSentFromItsLevelOn(kind: String, level: LinkLevel, isSent: Bool) {
        let event = json(#"{"class":"EVENT","seq":1,"event":"\#(kind)"}"#)
        #expect((LinkMessages.event(event, level) != nil) == isSent)
    }

    @Test func eventLosesHeartRateAndPlaces() {
        let event = json(
            #"{"class":"EVENT","seq":1,"event":"stop","summary":{"distance_m":5,"average_bpm":140,"name":"Home"},"latitude":1}"#
        )
        let coarse = LinkMessages.event(event, .coarse).map { json($0) }
        #expect(coarse?["summary"]?["distance_m"]?.integer == 5)
        #expect(coarse?["summary"]?["average_bpm"] == nil && coarse?["summary"]?["name"] == nil)
        #expect(coarse?["latitude"] == nil && coarse?["class"] == nil && coarse?["seq"]?.integer == 1)
        #expect(LinkMessages.event(event, .position).map { json($0) }?["latitude"]?.integer == 1)
    }

    @Test func eventHasNoPositionWherePlacesAreHidden() {
        let event = json(#"{"class":"EVENT","seq":1,"event":"mark","mark":1,"latitude":1,"longitude":2}"#)
        let mark = LinkMessages.event(event, .full, hidesPlaces: true).map { json($0) }
        #expect(mark?["mark"]?.integer == 1 && mark?["latitude"] == nil && mark?["longitude"] == nil)
    }

    // MARK: Home Assistant

    /// The keys that Home Assistant's device discovery knows; another one at the top refuses the whole message.
    ///
    /// Source: home-assistant/core 2026.2, components/mqtt/schemas.py, abbreviations.py.
    @Test func discoveryFollowsTheRulesOfHomeAssistant() {
        let message = json(
            HomeAssistant.discovery(
                of: device, name: "Bike 7", members: LiveMember.all, interval: .seconds(20), tracker: "owntracks/u/d"))
        guard case .object(let top) = message, case .object(let components)? = message["cmps"],
            case .object(let about)? = message["dev"]
        else { return #expect(Bool(false)) }
        #expect(Set(top.keys) == ["dev", "o", "avty", "cmps"])
        #expect(Set(about.keys).isSubset(of: ["ids", "name", "mdl", "sw"]) && about["ids"]?.array?.count == 1)
        #expect(message["o"]?["name"]?.string == "paced-link")
        #expect(Set(components.values.compactMap { $0["uniq_id"]?.string }).count == components.count)
        let known: Set = [
            "p", "uniq_id", "name", "stat_t", "dev_cla", "unit_of_meas", "stat_cla", "sug_dsp_prc", "ops", "exp_aft",
            "val_tpl", "ent_cat", "json_attr_t", "json_attr_tpl",
        ]
        for (name, component) in components {
            guard case .object(let members) = component, let platform = component["p"]?.string else {
                Issue.record("\(name) has no platform")
                continue
            }
            #expect(Set(members.keys).isSubset(of: known), "\(name)")
            #expect(component["uniq_id"]?.string != nil)
            if platform == "device_tracker" {
                // The tracker would take the raw JSON as its state.
                #expect(component["stat_t"] == nil && component["exp_aft"] == nil)
                continue
            }
            #expect(component["exp_aft"]?.integer ?? 0 >= 60, "three intervals")
            #expect(component["dev_cla"]?.string != "heart_rate")
            if platform == "sensor" {
                #expect(component["val_tpl"]?.string?.hasSuffix("default('None') }}") == true)
            }
            if component["dev_cla"]?.string == "enum" {
                #expect(component["unit_of_meas"] == nil && component["stat_cla"] == nil)
            }
        }
        let tracker = components["tracker"]?["json_attr_tpl"]?.string ?? ""
        for name in ["'latitude'", "'longitude'", "'gps_accuracy'"] { #expect(tracker.contains(name)) }
    }

    @Test func discoveryHasOnlyWhatIsSent() {
        let message = json(
            HomeAssistant.discovery(
                of: device, name: "x", members: LiveMember.all.filter { $0.level <= .health }, interval: .seconds(1),
                tracker: nil))
        // Home Assistant removes a part that has its platform alone.
        for (name, platform) in [("bpm", "sensor"), ("tracker", "device_tracker")] {
            guard case .object(let part)? = message["cmps"]?[name] else { return #expect(Bool(false)) }
            #expect(part == ["p": .string(platform)])
        }
        #expect(message["cmps"]?["battery_percent"]?["ent_cat"]?.string == "diagnostic")
    }

    // MARK: OwnTracks

    private func fix(_ latitude: Double = 52.5, at seconds: Int64 = 0) -> OwnTracks.Fix {
        OwnTracks.Fix(
            place: Coordinate(latitude: latitude, longitude: 13.4), accuracy: 10,
            time: UTC(milliseconds: 1_767_225_600_000 + seconds * 1000))
    }

    private func locations(_ messages: [OwnTracks.Message]) -> [JSON] {
        messages.compactMap { if case .location(let bytes) = $0 { json(bytes) } else { nil } }
    }

    @Test func locationHasTheFieldsOfOwnTracks() {
        var tracks = OwnTracks(OwnTracksSettings(), device: device)
        let location = locations(tracks.ingest(OwnTracks.Fix(state)!, at: now)).first ?? .null
        #expect(location["_type"]?.string == "location" && location["tid"]?.string == "0d")
        #expect(location["lat"]?.number == 52.51634 && location["lon"]?.number == 13.37772)
        // The time of the fix, not of the message.
        #expect(location["tst"]?.integer == 1_777_622_399)
        #expect(location["acc"]?.integer == 6 && location["alt"]?.integer == 34 && location["vel"]?.integer == 11)
        #expect(location["batt"]?.integer == 71 && location["bs"]?.integer == 2)
    }

    @Test func accuracyIsNeverZero() {
        var tracks = OwnTracks(OwnTracksSettings(), device: device)
        var fix = fix()
        fix.accuracy = 0.2
        #expect(locations(tracks.ingest(fix, at: now)).first?["acc"]?.integer == 1)
    }

    @Test func staleOrUndatedPositionIsNoFix() {
        for (name, value) in [("clock", JSON.string("unset")), ("time", .null), ("position", json(#"{"stale":true}"#))]
        {
            guard case .object(var members) = state else { return }
            members[name] = value
            #expect(OwnTracks.Fix(.object(members)) == nil, "\(name)")
        }
    }

    @Test func locationsFollowTheMovement() {
        var tracks = OwnTracks(OwnTracksSettings(), device: device)
        #expect(locations(tracks.ingest(fix(), at: now)).count == 1)
        #expect(tracks.ingest(fix(at: 30), at: now + .seconds(30)).isEmpty, "it stands still")
        #expect(locations(tracks.ingest(fix(52.5002, at: 31), at: now + .seconds(31))).count == 1, "22 m")
        #expect(locations(tracks.ingest(fix(52.5002, at: 91), at: now + .seconds(91))).count == 1, "a minute")
        #expect(tracks.ingest(fix(52.6, at: 91), at: now + .seconds(92)).isEmpty, "the same fix")
    }

    @Test func serverKnowsTheDeviceByItsTopic() {
        var tracks = OwnTracks(OwnTracksSettings(), device: device, topic: "owntracks/u/d")
        #expect(locations(tracks.ingest(fix(), at: now)).first?["topic"]?.string == "owntracks/u/d")
    }

    @Test func coarsePositionIsOldAndEnds() {
        var live = LivePosition(.coarse)
        #expect(live.ingest(state, hidden: nil, at: now) == nil)
        let coarse = live.ingest(json("{}"), hidden: nil, at: now + .seconds(601))
        #expect(coarse?["latitude"]?.number == 52.52 && coarse?["longitude"]?.number == 13.38)
        #expect(coarse?["age_ms"]?.integer == 601_000)
        #expect(live.ingest(json("{}"), hidden: nil, at: now + .seconds(700)) == nil)
    }

    @Test func regionIsEnteredAndLeftInPairs() {
        var settings = OwnTracksSettings()
        settings.regions = [OwnTracksRegion("The club 52.5,13.4 100")!]
        var tracks = OwnTracks(settings, device: device)
        func events(_ latitude: Double, _ second: Int64) -> [String] {
            tracks.ingest(fix(latitude, at: second), at: now + .seconds(Int(second))).compactMap {
                if case .transition(let bytes) = $0 { json(bytes)["event"]?.string } else { nil }
            }
        }
        // A leave that an earlier start did not send would freeze the device in Home Assistant.
        #expect(events(52.51, 1) == ["leave"])
        #expect(events(52.5, 2) == ["enter"])
        #expect(events(52.5010, 3) == [], "the noise of a receiver at the border")
        #expect(events(52.51, 4) == ["leave"])
    }

    @Test(arguments: [
        "", "club", "club 52.5,13.4", "club 95,13 100", "club 52.5,13.4 5", "club 52.5 13.4 x", "52.5,13.4 100",
    ])
    func wrongRegionIsRejected(text: String) {
        #expect(OwnTracksRegion(text) == nil)
    }
}
