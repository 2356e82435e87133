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
    /// As in ``Component/size``.
    var size: Int

    var isBar: Bool { widest.isEmpty }

    /// The visible components, in their order.
    static func faces(of view: WatchModel) -> [FieldView] {
        view.settings.components.enumerated()
            .filter { $0.element.visible && ($0.element.name != .zone || view.settings.useHeartRateZones) }
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map { FieldView($0.element, of: view) }
    }

    private init(_ component: Component, of view: WatchModel) {
        let state = view.state ?? StateLine(run: .idle)
        let metric = view.isMetric
        style = Style(colour: component.colour, isBold: true)
        size = component.size
        // As in RunFree: large fields have no title.
        title = component.titleVisible && component.size < 60 ? component.name.rawValue : nil
        switch component.name {
        case .time:
            let elapsed = state.total.elapsedMilliseconds ?? 0
            content = .figures(RunFormat.elapsed(milliseconds: elapsed))
            widest = elapsed < 36_000_000 ? "0:00:00" : "00:00:00"
        case .distance:
            let text = RunFormat.distance(metres: state.total.distanceMetres ?? 0, metric: metric)
            content = .figures(text)
            widest = text.count > 5 ? text : "00.00"
            unit = RunFormat.distanceUnit(metric: metric)
        case .pace:
            let text = RunFormat.pace(secondsPerMetre: state.pace, metric: metric)
            content = .figures(text)
            widest = text.count > 5 ? text : "00:00"
            unit = RunFormat.paceUnit(metric: metric)
        case .heartRate: setHeartRate(state, usingZones: view.settings.useHeartRateZones)
        case .zone: setZone(state)
        }
    }

    private mutating func setHeartRate(_ state: StateLine, usingZones: Bool) {
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
        case .connecting: content = .message([StatusText.heartLink(state), "Connecting…"], Style(colour: .yellow))
        case .disconnected, nil:
            content =
                StatusText.isBluetoothDisabled(state)
                ? .message(
                    [StatusText.heartLink(state), "Bluetooth Disabled", "No Bluetooth", "No HR"], Style(colour: .red))
                : .message(
                    [StatusText.heartLink(state), "No HR Monitor Connected", "No HR Monitor", "No HR"], .quiet)
        }
    }

    private mutating func setZone(_ state: StateLine) {
        if state.heart.link.state == .connected, let zone = state.heart.zone {
            content = .bar(state.heart.zoneFraction ?? 0, state.heart.zoneName ?? Zones.name(of: zone))
            style.colour = Self.colour(ofZone: zone)
        } else {
            content = .message(["No Zone Data Available", "No Zone Data", "No Zone"], .quiet)
        }
    }

    /// The zone colours of RunFree; zone 0 is green.
    private static func colour(ofZone zone: Int) -> Component.Colour {
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
