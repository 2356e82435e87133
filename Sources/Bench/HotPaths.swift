import Domain
import Gnss
import JSONCoding
import Linux
import Pipeline
import Servers
import Wire

/// Measures each hot path and prints the table; returns true if the limits hold.
func measureHotPaths() throws -> Bool {
    let tick = try measureTick()
    let tickWithSensors = try measureTickWithSensors()
    let fullTick = try measureTickWithSensors(published: true)
    let courseTick = try measureTickOnCourse()
    let courseFix = try measureFixOnCourse(metresBeside: 0)
    let lostFix = try measureFixOnCourse(metresBeside: 200)
    let line = try measureStateLine()
    let sensorsBlock = try measureSensorsBlock()
    let wholeTick = try measureWholeTick(readers: 1)
    let wholeFullTick = try measureWholeTick(readers: 1, sensors: true)
    let fullBlocks = try measureWholeTick(readers: 1, sensors: true, sensorBlocks: true)
    let journal = try measureJournal()
    let variability = measureVariability()
    let before = peakKibibytes()
    let export = try measureExport()
    let exportKibibytes = peakKibibytes() - before
    print(Measurement.heading)
    let (manyReaders, blocks) = try compareBlocks()
    for measurement in [
        tick, tickWithSensors, fullTick, courseTick, courseFix, lostFix, line, sensorsBlock, try measureNotification(),
        variability, try measurePositionReport(),
        wholeTick, wholeFullTick, fullBlocks,
        manyReaders,
        blocks, export,
        journal,
    ] {
        print(measurement.line)
    }
    let replay = try measureReplay()
    print(replay.line)
    let index = try measureIndex()
    print(index.line)
    let places = try measurePlaces()
    print(places.line)
    for measurement in [places.near, places.water, places.name] { print(measurement.line) }
    let transit = try measureTransit()
    print(transit.line)
    for measurement in [transit.departures, transit.nextHome] { print(measurement.line) }
    // Machines differ by a factor of two, in these limits too. A change is judged by two runs on one machine.
    let slowest = 2.0
    var broken: [String] = []
    if tick.allocations > 0 { broken.append("the tick allocates") }
    if max(places.near.nanoseconds, places.water.nanoseconds) > 1e6 {
        broken.append("a search among 500,000 places takes more than 1 ms")
    }
    if transit.seconds > 60 { broken.append("1.5 million stop times are imported in more than 60 s") }
    if transit.departures.nanoseconds > 5e6 { broken.append("a search for departures takes more than 5 ms") }
    if transit.nextHome.nanoseconds > 100e6 { broken.append("a search for the way home takes more than 100 ms") }
    if tickWithSensors.allocations > 0 { broken.append("the tick with six sensors allocates") }
    if fullTick.allocations > 0 { broken.append("the tick with six and eight published sensors allocates") }
    if courseTick.allocations + courseFix.allocations + lostFix.allocations > 0 { broken.append("a course allocates") }
    if max(courseTick.nanoseconds, courseFix.nanoseconds, lostFix.nanoseconds) > 50_000 * slowest {
        broken.append("a course of 300 km takes more than \(Int(50 * slowest)) µs")
    }
    let courseSeconds = measureCourseIndex()
    print("a course of 30,000 vertices indexed in \(DecimalFormat.text(courseSeconds * 1000, decimals: 0) ?? "?") ms")
    if courseSeconds > 0.5 { broken.append("a course of 30,000 vertices is indexed in more than 0.5 s") }
    if journal.allocations > 0 { broken.append("queuing an entry for the journal allocates") }
    if line.allocations > 0 { broken.append("the STATE line allocates") }
    if sensorsBlock.allocations > 0 { broken.append("the block sensors of STATE allocates") }
    if variability.nanoseconds > 1_000_000 { broken.append("a step of the variability takes more than 1 ms") }
    if replay.seconds > slowest { broken.append("the replay of ten hours takes more than \(Int(slowest)) s") }
    if index.seconds > 10 * slowest { broken.append("1000 activities are indexed in more than \(Int(10 * slowest)) s") }
    if index.bestsMilliseconds ?? 0 > 50 || index.totalsMilliseconds ?? 0 > 50 {
        broken.append("a query of bests or totals takes more than 50 ms")
    }
    if replay.grownKibibytes > 1024 { broken.append("the replay grows") }
    if blocks.allocations > manyReaders.allocations { broken.append("blocks of STATE allocate") }
    if blocks.nanoseconds > manyReaders.nanoseconds * 2 {
        broken.append("blocks of STATE cost more than a tick")
    }
    if max(wholeTick.nanoseconds, wholeFullTick.nanoseconds) > 50_000 * slowest {
        broken.append("the whole tick takes more than \(Int(50 * slowest)) µs")
    }
    if export.nanoseconds > 1e9 * slowest { broken.append("a FIT file of ten hours takes more than \(Int(slowest)) s") }
    if exportKibibytes > 4096 { broken.append("a FIT file of ten hours takes \(exportKibibytes) KiB") }
    print(
        broken.isEmpty
            ? "limits hold: no allocation in the tick, the STATE line and the journal queue, whole tick under 50 µs, "
                + "ten hours replayed and written as FIT in 1 s each"
            : "LIMITS BROKEN: " + broken.joined(separator: ", "))
    return broken.isEmpty
}

/// A tick in ten minutes of a run. Each tenth tick computes the distance, each fiftieth the pace.
private func measureTick() throws -> Measurement {
    var run = try ScriptedRun()
    return try Measurement("tick", rounds: 600, passes: 10) {
        run.receive(.fix(run.nextFix()))
        try run.receiveNotification()
        run.discardEffects()
    } pass: {
        run.tick()
        run.discardEffects()
    }
}

/// A tick as above, with six sensors that notify each second. The wheel measures the distance.
///
/// - Parameter published: whether there are eight sensors of other programs, too.
private func measureTickWithSensors(published: Bool = false) throws -> Measurement {
    var run = try ScriptedRun(.ride, recordsAllSensors: published)
    var sensors = RiderSensors()
    var others = PublishedSensors()
    sensors.connect(to: &run)
    if published { others.connect(to: &run) }
    for _ in 0..<5 {
        sensors.notify(&run)
        if published { others.measure(&run) }
        for _ in 0..<10 { run.tick() }
        run.discardEffects()
    }
    let name = published ? "tick with six and eight published sensors" : "tick with six sensors"
    return try Measurement(name, rounds: 600, passes: 10) {
        try run.receiveNotification()
        sensors.notify(&run)
        if published { others.measure(&run) }
        run.discardEffects()
    } pass: {
        run.tick()
        run.discardEffects()
    }
}

/// The STATE line of a run with all values.
private func measureStateLine() throws -> Measurement {
    var run = try ScriptedRun()
    for _ in 0..<100 { try run.second() }
    var state = run.pipeline.state(at: run.now)
    var writer = JSONWriter(capacity: 4096)
    return Measurement("STATE line", rounds: 600, passes: 100) {
        state.at += .milliseconds(100)
    } pass: {
        writer.clear()
        writer.stateLine(state, sequence: 123_456)
    }
}

/// The STATE line of a ride with the block `sensors`, which has six.
private func measureSensorsBlock() throws -> Measurement {
    var run = try ScriptedRun(.ride)
    var sensors = RiderSensors()
    sensors.connect(to: &run)
    for _ in 0..<100 {
        try run.second()
        sensors.notify(&run)
    }
    var state = run.pipeline.state(at: run.now)
    var lines = StateLines(settings: run.pipeline.settings)
    return Measurement("STATE line with block sensors", rounds: 600, passes: 100) {
        state.at += .milliseconds(1)
    } pass: {
        lines.encode(state, sequence: 123_456)
        precondition(!lines.line(with: .sensors).isEmpty)
    }
}

/// A notification of the strap: parsing, the pipeline, its HEART line.
private func measureNotification() throws -> Measurement {
    var run = try ScriptedRun()
    var writer = JSONWriter(capacity: 512)
    return try Measurement("heart-rate notification", rounds: 600, passes: 1) {
        for _ in 0..<10 { run.tick() }
        run.receive(.fix(run.nextFix()))
        run.discardEffects()
    } pass: {
        try run.receiveNotification()
        write(run.effects.outputs, with: &writer)
    }
}

/// A step of the variability at 200 beats a minute, with the exponent and the respiration. The other beats cost little.
private func measureVariability() -> Measurement {
    var meter = VariabilityMeter()
    var now = Instant(milliseconds: 0)
    var beat = 0
    func receive() {
        let units = UInt16(300 + beat % 7)
        beat += 1
        now += .nanoseconds(Int64(units) * 1_000_000_000 / 1024)
        meter.receive([units], until: now, gap: false)
    }
    for _ in 0..<500 { receive() }
    let measurement = Measurement("variability of the heart rate, a step", rounds: 600, passes: 1) {
        let before = meter.figures?.measuredAt
        // All but the last beat of the step.
        while let before, (now - before).wholeMilliseconds < 4690 { receive() }
    } pass: {
        receive()
        receive()
    }
    precondition(meter.figures?.alpha1 != nil)
    return measurement
}

/// A position report: splitting gpsd's stream, libgps, the merged fix, the pipeline, its FIX line.
private func measurePositionReport() throws -> Measurement {
    var run = try ScriptedRun()
    var writer = JSONWriter(capacity: 512)
    var stream = GpsdDecoder(addresses: 1)
    stream.connected(at: run.now)
    var steps: [GpsdDecoder.Step] = []
    stream.received(
        Array(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#.utf8) + [0x0A],
        at: run.now, into: &steps)
    var line: [UInt8] = []
    return try Measurement("position report", rounds: 600, passes: 1) {
        for _ in 0..<10 { run.tick() }
        try run.receiveNotification()
        run.discardEffects()
        line = run.nextReport()
    } pass: {
        stream.received(line, at: run.now, into: &steps)
        stream.tick(at: run.now, into: &steps)
        for step in steps {
            if case .input(let input) = step { run.receive(input) }
        }
        steps.removeAll(keepingCapacity: true)
        write(run.effects.outputs, with: &writer)
    }
}

/// A tick with 64 readers, without blocks and with them. Each is the fastest of three, taken in turn: a machine that does
/// something else for a moment slows one of them down.
private func compareBlocks() throws -> (plain: Measurement, blocks: Measurement) {
    let pairs = try (0..<3).map { _ in
        (plain: try measureWholeTick(readers: 64), blocks: try measureWholeTick(readers: 64, blocks: true))
    }
    func fastest(_ measurements: [Measurement]) -> Measurement {
        measurements.min { $0.nanoseconds < $1.nanoseconds }!
    }
    return (fastest(pairs.map(\.plain)), fastest(pairs.map(\.blocks)))
}

/// A tick of the daemon: the timer fires, the pipeline advances, the line is written and sent, the timer is armed.
///
/// - Parameters:
///   - blocks: whether each eighth of the readers has another set of blocks.
///   - sensors: whether six sensors and eight of other programs measure.
///   - sensorBlocks: whether the readers have the blocks of their values.
private func measureWholeTick(readers: Int, blocks: Bool = false, sensors: Bool = false, sensorBlocks: Bool = false)
    throws -> Measurement
{
    var run = try ScriptedRun(sensors ? .ride : .run, recordsAllSensors: sensors)
    var (riders, others) = (RiderSensors(), PublishedSensors())
    if sensors {
        riders.connect(to: &run)
        others.connect(to: &run)
    }
    let loop = try EventLoop()
    let directory = try ScratchDirectory()
    let stateServer = try StateServer(
        socket: UnixSocket.listen(at: directory.path + "/state.sock", in: Directory(directory.path)), loop: loop,
        bootID: "", instance: "",
        settings: run.pipeline.settings)
    let clients = try (0..<readers).map { _ in try Reader(directory.path + "/state.sock") }
    while stateServer.clientCount < readers { try loop.runOnce(waiting: .zero) }
    if blocks {
        for (number, client) in clients.enumerated() {
            let names = ["\"fields\"", "\"lap\"", "\"zones\""].enumerated().filter { number % 8 >> $0.offset & 1 == 1 }
            client.send(#"{"class":"WATCH","blocks":[\#(names.map(\.element).joined(separator: ","))]}"# + "\n")
        }
        for _ in 0..<readers { try loop.runOnce(waiting: .milliseconds(10)) }
    }
    if sensorBlocks {
        for client in clients { client.send(#"{"class":"WATCH","blocks":["fields","sensors","own_fields"]}"# + "\n") }
        for _ in 0..<readers { try loop.runOnce(waiting: .milliseconds(10)) }
    }
    var timer: TimerSource?
    timer = try loop.timer {
        run.tick()
        stateServer.publish(run.effects.outputs, events: [])
        if let (state, isChange) = run.effects.state { stateServer.publish(state, isChange: isChange) }
        run.discardEffects()
        timer?.arm(at: .init(nanoseconds: 0))
    }
    timer?.arm(at: .init(nanoseconds: 0))
    let name =
        "whole tick, \(readers) reader\(readers == 1 ? "" : "s")\(blocks ? ", eight sets of blocks" : "")"
        + (sensors ? ", 14 sensors" : "") + (sensorBlocks ? ", their blocks" : "")
    let measurement = try Measurement(name, rounds: 600, passes: 10) {
        for client in clients { client.drain() }
        run.receive(.fix(run.nextFix()))
        try run.receiveNotification()
        if sensors {
            riders.notify(&run)
            others.measure(&run)
        }
        stateServer.publish(run.effects.outputs, events: [])
        run.discardEffects()
    } pass: {
        try loop.runOnce(waiting: .zero)
    }
    stateServer.close()
    return measurement
}

/// Writes the lines of the outputs. Without outputs the path was not measured.
private func write(_ outputs: [Output], with writer: inout JSONWriter) {
    precondition(!outputs.isEmpty)
    for output in outputs {
        writer.clear()
        switch output {
        case .event(let event): writer.event(event, sequence: 1)
        case .heart(let reading): writer.heart(reading, sequence: 1)
        case .fix(let fix): writer.fix(fix, sequence: 1)
        }
    }
}
