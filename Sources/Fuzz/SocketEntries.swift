import Domain
import JSONCoding
import Pipeline
import Sensors
import Servers
import Storage
import Wire

extension FuzzTarget {
    static let json = FuzzTarget(
        name: "json",
        corpus: [
            #"{"a":[1,-2.5e3,true,null,"\u00e9\n"],"b":{"c":{}}}"#, "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]",
            #""\ud83d\ude00""#,
            "9223372036854775807", "1e999", #"{"a":1,"a":2}"#,
        ].map { Array($0.utf8) }
    ) { bytes in
        _ = try? JSON(parsing: bytes)
    }

    /// control.sock: requests to a daemon with a run. Every response is a line of JSON.
    static let control = FuzzTarget(
        name: "control",
        corpus: [
            #"{"jsonrpc":"2.0","method":"run.start","params":{"sport":"run","indoor":false,"ago_ms":0},"id":1}"#,
            #"{"jsonrpc":"2.0","method":"run.start","params":{"sport":"run","wait":"position"},"id":1}"#,
            #"{"jsonrpc":"2.0","method":"settings.set","params":{"key":"zones","value":[100,120,140,160,180]},"id":"a"}"#,
            #"[{"jsonrpc":"2.0","method":"run.toggle"},{"jsonrpc":"2.0","method":"status","id":null},{"foo":"boo"}]"#,
            #"{"jsonrpc":"2.0","method":"settings.set","params":{"key":"screens","value":{"ride":[{"fields":["time",{"field":"speed","title":"v","size":54}]}]}},"id":2}"#,
            #"{"jsonrpc":"2.0","method":"settings.get","params":{"key":"straps"},"id":3.5}"#,
            #"{"jsonrpc":"2.0","method":"settings.set","params":{"key":"screens","value":null},"id":3}"#,
            #"{"jsonrpc":"2.0","method":"settings.set","params":{"key":"straps","value":["Polar","00000001"]},"id":4}"#,
            #"{"jsonrpc":"2.0","method":"run.stop","params":[1],"id":5}"#,
            #"{"jsonrpc":"2.0","method":"sensor.use","params":{"strap":"A0:9E:1A:00:00:01","address_type":"public","add":true},"id":6}"#,
            #"{"jsonrpc":"2.0","method":"activities.edit","params":{"id":17,"name":"Up there","sport":"hike"},"id":9}"#,
            #"{"jsonrpc":"2.0","method":"activities.track","params":{"from_ms":0,"fields":["at_ms","bpm"]},"id":9}"#,
            #"[{"jsonrpc":"2.0","method":"sensor.scan","params":{"seconds":5},"id":7},{"jsonrpc":"2.0","method":"sensor.forget","id":8}]"#,
            #"{"jsonrpc":"2.0","method":"partner.get","id":11}"#,
            #"{"jsonrpc":"2.0","method":"course.partner","params":{"pace_s_per_m":0.3},"id":11}"#,
            #"{"jsonrpc":"2.0","method":"upload.append","params":{"data":"Zm9vYg=="},"id":10}"#,
            #"[1,2,3]"#, "[]",
        ].map { Array($0.utf8) }
    ) { bytes in
        let now = Instant(milliseconds: 1000)
        var straps = SensorStore()
        var effects = Effects()
        var pipeline = Pipeline(settings: Settings(), isDemo: false, at: now)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var output = JSONWriter()
            var pending = JSONRPC.respond(line, into: &output) {
                method, parameters, result throws(RPCError) in
                let request = try ControlRequest.table.call(method, parameters).request
                if case .scan = request { return .later(1) }
                result.result(try answer(request, pipeline: &pipeline, &effects, straps: &straps, at: now))
                return .written
            }
            while pending?.isWhole == false { _ = pending?.complete(1, .success(.sensors([]))) }
            pending?.write(into: &output)
            precondition(output.bytes.count <= JSONRPC.lineLimit + 1)
            expectLine(output.bytes)
        }
    }

    /// The data of an upload. What is accepted is in order and in range.
    static let upload = FuzzTarget(
        name: "upload",
        corpus: [
            """
            {"format":"paced-activity","version":1}
            {"row":"begin","at_ms":0,"trigger":"command"}
            {"row":"sample","at_ms":0,"elapsed_ms":0,"latitude":52.5,"longitude":13.4,"distance_m":1.5,"bpm":120}
            {"row":"beats","at_ms":900,"rr_1024":[512,1024],"gap":true}
            {"row":"lap","at_ms":1000,"trigger":"time"}
            {"row":"segment","at_ms":1000}
            {"row":"end","at_ms":1000,"trigger":"auto"}
            {"row":"lap-totals","began_ms":0,"ended_ms":1000,"elapsed_ms":1000,"moving_ms":900,"distance_m":2.5}
            {"row":"activity","rows":6,"sport":"run","started_utc_ms":1767225600000,"total_ms":1000,"elapsed_ms":1000,"moving_ms":900,"source_totals":{"creator":"x","ascent_m":3}}
            """
        ].map { Array($0.utf8) }
    ) { bytes in
        var reader = ActivityUploadReader()
        var last: Int64 = 0
        do throws(ActivityUploadReader.Failure) {
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                guard let row = try reader.read(line) else { continue }
                precondition(row.at >= last)
                last = row.at
                guard case .sample(let sample) = row else { continue }
                precondition(sample.elapsedMilliseconds <= sample.at && sample.distanceMetres ?? 0 >= 0)
                precondition(sample.coordinate.map { abs($0.latitude) <= 90 && abs($0.longitude) <= 180 } ?? true)
            }
            let recording = try reader.finish()
            precondition(recording.totalMilliseconds >= last && recording.total.distanceMetres.isFinite)
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    /// state.sock: WATCH lines, and the lines sent after each.
    static let watch = FuzzTarget(
        name: "watch",
        corpus: [
            #"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":1000,"since":1234}"#,
            #"{"class":"WATCH","classes":[]}"#, #"{"class":"WATCH","since":0}"#,
            #"{"class":"WATCH","classes":["HEART","FIX","SETTINGS"]}"#,
            #"{"class":"WATCH","topics":["x-tyres","x-e"]}"#,
            #"{"class":"VERSION"}"#,
        ].map { Array($0.utf8) }
    ) { bytes in
        var ring = EventRing()
        for second in 1...5 {
            let event = Event(at: Instant(milliseconds: Int64(second) * 1000), kind: .start(.run))
            ring.append(EventLine(event, number: second))
        }
        var settings = JSONWriter()
        settings.settingsLine(Settings())
        var queue = SubscriberQueue(ring: ring)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            do throws(BadLine) {
                queue.apply(try SubscriptionRequest(line: line), ring: ring)
            } catch {
                queue.queueError(error.message)
            }
            let event = Event(at: Instant(milliseconds: 9000), kind: .start(.run))
            ring.append(EventLine(event, number: ring.retained.upperBound))
            while let chunk = queue.next(ring, settings: settings.bytes) {
                for line in chunk.split(separator: UInt8(ascii: "\n")) { expectLine(Array(line) + [0x0A]) }
                queue.sent(chunk.count)
            }
        }
    }

    /// publish.sock: requests, and the DATA lines of a client that watches two of the topics.
    static let publish = FuzzTarget(
        name: "publish",
        corpus: [
            #"{"jsonrpc":"2.0","method":"topic.publish","params":{"topic":"x-tyres","data":{"front_kpa":520,"rear":{"kpa":5.4e2,"ok":true}},"valid_until":"2026-03-01T07:40:00Z","source":"valve"},"id":1}"#,
            #"{"jsonrpc":"2.0","method":"topic.publish","params":{"topic":"x-e","data":{"\u00e9\"":[null,-1,"\u0000<"]}},"id":2}"#,
            #"[{"jsonrpc":"2.0","method":"topic.retract","params":{"topic":"x-e"},"id":3},{"jsonrpc":"2.0","method":"topic.publish"}]"#,
            #"{"jsonrpc":"2.0","method":"notice","params":{"topic":"x-e","key":"low","text":"Tyre \u202e low"},"id":4}"#,
        ].map { Array($0.utf8) }
    ) { bytes in
        let ring = EventRing()
        var queue = SubscriberQueue(ring: ring)
        let names = ["x-tyres", "x-e"].compactMap { TopicName($0) }
        queue.apply(SubscriptionRequest(topics: names), ring: ring)
        var topics = TopicTable()
        var now = Instant(milliseconds: 1000)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var output = JSONWriter()
            JSONRPC.respond(line, into: &output) { method, parameters, result throws(RPCError) in
                switch try TopicRequest.table.call(method, parameters).request {
                case .publish(let publication):
                    precondition(publication.data.count <= TopicTable.dataLimit)
                    try topics.publish(publication, time: UTC(year: 2026, month: 3, day: 1), at: now)
                case .retract(let topic): try topics.retract(topic)
                case .notice(let notice): try topics.admit(notice, of: 0, at: now)
                }
                result.null()
                return .written
            }
            expectLine(output.bytes)
            now = now + .seconds(300)
            _ = topics.advance(to: now)
            for name in names { queue.changed(name) }
            while let chunk = queue.next(ring, settings: [], topics: topics, at: now) {
                for line in chunk.split(separator: UInt8(ascii: "\n")) {
                    precondition(line.count < JSONRPC.lineLimit)
                    expectLine(Array(line) + [0x0A])
                }
                queue.sent(chunk.count)
            }
        }
    }

    /// sensor.sock: announcements and measurements.
    static let sensor = FuzzTarget(
        name: "sensor",
        corpus: [
            #"{"jsonrpc":"2.0","method":"sensor.announce","params":{"id":"pm-1","kinds":["power","speed-cadence"],"name":"x","battery_percent":80},"id":1}"#,
            #"{"jsonrpc":"2.0","method":"sensor.measure","params":{"id":"pm-1","kind":"power","power_w":-20,"left_percent":48.5,"age_s":0.2,"crank_revolutions":65536,"crank_event_s":1e8},"id":2}"#,
            #"{"jsonrpc":"2.0","method":"sensor.measure","params":{"id":"hr","kind":"heart-rate","bpm":142,"rr_ms":[423.8,63999]},"id":3}"#,
            #"{"jsonrpc":"2.0","method":"sensor.measure","params":{"id":"r","kind":"radar","vehicles":[{"id":1,"distance_m":140,"speed_mps":20}]},"id":4}"#,
            #"{"jsonrpc":"2.0","method":"sensor.measure","params":{"id":"e","kind":"environment","pressure_hpa":1013.25,"temperature_c":-40},"id":5}"#,
        ].map { Array($0.utf8) }
    ) { bytes in
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var output = JSONWriter()
            JSONRPC.respond(line, into: &output) { method, parameters, result throws(RPCError) in
                _ = try SensorDoorRequest.table.call(method, parameters).request
                result.null()
                return .written
            }
            expectLine(output.bytes)
        }
    }

    /// Lines of at most 32 bytes, from chunks of 1 to 16 bytes.
    static let lines = FuzzTarget(
        name: "lines", corpus: [Array("a short line\nand one that is longer than thirty-two bytes are\n\nlast".utf8)]
    ) { bytes in
        var pieces = CaseReader(bytes)
        var reader = LineSplitter(limit: 32)
        let size = Int(pieces.byte() % 16) + 1
        while !pieces.isAtEnd {
            reader.append(pieces.bytes(size))
            while let line = reader.next(hasEnded: pieces.isAtEnd) {
                if case .line(let line) = line { precondition(line.count <= 32 && !line.contains(0x0A)) }
            }
        }
    }

    /// Foreign names, encoded as a JSON string and parsed.
    static let names = FuzzTarget(
        name: "names",
        corpus: ["Polar H10 00000001", "\u{1B}[2J\"</script>", "\u{202E}abc\u{0}", "ä€😀"].map { Array($0.utf8) }
    ) { bytes in
        guard let name = SanitizedText(bytes) else { return }
        precondition(name.text.count <= SanitizedText.characterLimit)
        precondition(
            !name.text.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value)
            })
        var writer = JSONWriter()
        writer.value(name.text)
        guard let json = try? JSON(parsing: writer.bytes), json.string == name.text else {
            preconditionFailure("a name differs after a round trip through JSON")
        }
    }

    /// Expects no bytes, or one JSON value with a single newline, at its end.
    private static func expectLine(_ line: [UInt8]) {
        guard let last = line.last else { return }
        precondition(last == UInt8(ascii: "\n") && line.firstIndex(of: last) == line.count - 1)
        do throws(ParseError) {
            _ = try JSON(parsing: line)
        } catch {
            preconditionFailure("a response is not valid JSON: \(error)")
        }
    }

    private static func answer(
        _ request: ControlRequest, pipeline: inout Pipeline, _ effects: inout Effects, straps: inout SensorStore,
        at now: Instant
    ) throws(RPCError) -> ControlResult {
        switch request {
        case .run(let command):
            do throws(CommandRejection) {
                switch try pipeline.step(command, at: now, into: &effects) {
                case .started(let activity): return .activity(activity)
                case .changed(let state, let elapsed): return .run(state, elapsedMilliseconds: elapsed)
                case .ended(let summary): return .summary(summary)
                }
            } catch {
                throw .notInThisState(error)
            }
        case .startAtPosition: return .waiting
        case .status: return .state(pipeline.state(at: now), sequence: 1)
        case .settings: return .settings(pipeline.settings)
        case .setting(let key): return .setting(key, pipeline.settings)
        case .change(let change):
            var settings = pipeline.settings
            try change.apply(to: &settings)
            pipeline.step(.input(.setting(change.key, settings)), at: now, into: &effects)
            return .setting(change.key, settings)
        case .reset(let key):
            var settings = pipeline.settings
            settings.adopt(key, from: Settings())
            pipeline.step(.input(.setting(key, settings)), at: now, into: &effects)
            return .setting(key, settings)
        case .scan: return .sensors([])
        case .activities: return .activities([])
        case .courses: return .courses([], loaded: nil)
        case .upload: return .uploaded(bytes: 0)
        case .presentDevice, .device: return .device(Device(uuid: .derived(from: []), machine: nil))
        case .lookUp(let lookup):
            let found = try ControlRequest.table.call(lookup.method, lookup.parameters(with: 1)).request
            return try answer(found, pipeline: &pipeline, &effects, straps: &straps, at: now)
        case .pair: return try PairingResult.absent.response.get()
        case .zero: return .zeroOffset(ZeroOffset(12.5, isTorque: true))
        case .use(let use):
            try use.apply(to: &straps)
            return .link(pipeline.state(at: now).heart.link)
        case .forget(let strap):
            try straps.forget(strap)
            return .done
        }
    }
}
