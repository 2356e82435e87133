import Domain

/// Data field of the run screen: its content and style, independent of the layout.
struct FieldView: Equatable {
    enum Content: Equatable {
        /// Digits that can be drawn large.
        case figures(String)
        /// Text instead of digits, in variants from long to short.
        case message([String], Style)
        /// A bar with a fraction from 0 to 1, and the name of its value.
        case bar(Double, String)
    }

    /// Nil if it is hidden.
    var title: String?
    var content = Content.figures("")
    /// The widest digits to expect. They set the size of the digits, so that the size does not change during a run.
    var widest = ""
    var unit = ""
    var style: Style
    /// As in ``ScreenField/size``.
    var size: Int

    var isBar: Bool { widest.isEmpty }

    /// The fields of the page that is shown; none on the pages of the course and of the weather.
    static func faces(of view: WatchModel) -> [FieldView] {
        guard case .fields(let index) = view.shownPage else { return [] }
        return view.pages[index].map { FieldView($0, of: view) }
    }

    private init(_ field: ScreenField, of view: WatchModel) {
        let state = view.state ?? ReceivedState(run: .idle)
        let metric = view.isMetric
        style = Style(colour: field.colour, isBold: true)
        size = field.size
        // As in RunFree: large fields have no title.
        let hasTitle = field.titleVisible && field.size < 60
        switch field.field {
        case .data(let data):
            title = hasTitle ? field.title ?? data.title : nil
            set(data, of: view, state, metric: metric)
        case .own(let name):
            let known = state.ownFields[name]
            title = hasTitle ? field.title ?? known?.field.title.text ?? name.description : nil
            let decimals = known?.field.decimals ?? 0
            set(
                known?.value.flatMap { abs($0) < 1e9 ? DecimalFormat.text($0, decimals: decimals) : nil } ?? "--",
                widest: decimals > 0 ? "000." + String(repeating: "0", count: decimals) : "000",
                unit: known?.field.unit?.text ?? "")
        }
    }

    private mutating func set(_ field: DataField, of view: WatchModel, _ state: ReceivedState, metric: Bool) {
        let value = state.fields[field]
        switch field.format {
        case .duration:
            // `nan` is no value on the wire; the range keeps the conversion safe.
            let milliseconds = Int64(((value ?? 0) * 1000).rounded())
            let isUnknown = value == nil && field.source != .timer
            content = .figures(isUnknown ? "--" : RunFormat.elapsed(milliseconds: milliseconds))
            widest = milliseconds < 36_000_000 ? "0:00:00" : "00:00:00"
        case .difference:
            let milliseconds = value.map { Int64(($0 * 1000).rounded()) }
            set(milliseconds.map(RunFormat.difference) ?? "--", widest: "+00:00", unit: "")
        case .clock:
            let clock = (field == .timeOfDay ? state.time : state.times[field]).map {
                Screen.clock($0, minutesFromUTC: view.minutesFromUTC, twelveHour: view.settings.twelveHourClock)
            }
            let parts = (clock ?? "--:--").split(separator: " ").map(String.init)
            set(parts[0], widest: "00:00", unit: parts.count > 1 ? parts[1] : "")
        case .distance:
            set(
                value == nil && field.source == .course
                    ? "--" : RunFormat.distance(metres: value ?? 0, metric: metric),
                widest: "00.00", unit: RunFormat.distanceUnit(metric: metric))
        case .height:
            set(
                RunFormat.heightFigures(metres: value, metric: metric), widest: metric ? "0000" : "00000",
                unit: RunFormat.heightUnit(metric: metric))
        case .pace:
            set(
                RunFormat.pace(secondsPerMetre: value, metric: metric), widest: "00:00",
                unit: RunFormat.paceUnit(metric: metric))
        case .speed:
            set(
                RunFormat.speed(metresPerSecond: value, metric: metric), widest: "00.0",
                unit: RunFormat.speedUnit(metric: metric))
        case .integer where field == .heartRate: setHeartRate(state, usingZones: view.settings.useHeartRateZones)
        case .integer:
            set(
                value.flatMap { DecimalFormat.text($0, decimals: 0) } ?? "--",
                widest: field == .laps ? "00" : "000", unit: field.unit.rawValue)
        case .hundredths:
            set(value.flatMap { DecimalFormat.text($0, decimals: 2) } ?? "--", widest: "0.00", unit: "")
        case .pressure:
            set(
                value.flatMap { DecimalFormat.text($0 / 100, decimals: 1) } ?? "--", widest: "0000.0", unit: "hPa")
        case .zone: setZone(state)
        }
    }

    private mutating func set(_ text: String, widest: String, unit: String) {
        content = .figures(text)
        self.widest = text.count > widest.count ? text : widest
        self.unit = unit
    }

    private mutating func setHeartRate(_ state: ReceivedState, usingZones: Bool) {
        let heart = state.heart
        widest = "000"
        unit = "bpm"
        switch heart.link.state {
        case .connected:
            content = .figures(heart.bpm.map(String.init) ?? "--")
            if heart.isStale {
                title = title.map { "\($0), \((heart.ageMilliseconds ?? 0) / 1000) s old" }
            } else if heart.contact == false {
                title = title.map { $0 + ", no contact" }
            }
            if heart.bpm == nil || heart.isStale {
                style = .quiet
            } else if usingZones, style.colour == .primary, let zone = heart.zone {
                style.colour = Self.colour(ofZone: zone)
            }
        case .connecting: content = .message([StatusText.heartLink(state), "connecting…"], Style(colour: .yellow))
        case .disconnected, nil:
            content =
                StatusText.isBluetoothDisabled(state)
                ? .message(
                    [StatusText.heartLink(state), "Bluetooth disabled", "no Bluetooth", "no HR"], Style(colour: .red))
                : .message(
                    [StatusText.heartLink(state), "no HR monitor connected", "no HR monitor", "no HR"], .quiet)
        }
    }

    private mutating func setZone(_ state: ReceivedState) {
        if state.heart.link.state == .connected, let zone = state.heart.zone {
            content = .bar(state.heart.zoneFraction ?? 0, state.heart.zoneName ?? Zones.name(of: zone))
            style.colour = Self.colour(ofZone: zone)
        } else {
            content = .message(["No Zone Data Available", "No Zone Data", "No Zone"], .quiet)
        }
    }

    /// The zone colours of RunFree; zone 0 is green.
    private static func colour(ofZone zone: Int) -> Style.Colour {
        switch zone {
        case 0: .green
        case 1: .teal
        case 2: .blue
        case 3: .yellow
        case 4: .orange
        default: .red
        }
    }
}
