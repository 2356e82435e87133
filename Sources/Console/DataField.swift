import Domain

/// What one component of the run screen shows, before anybody knows how large.
struct DataField: Equatable {
    enum Content: Equatable {
        /// Figures that can be drawn large.
        case figures(String)
        /// Words in the place of figures: the same in longer and shorter, the longest first.
        case message([String], Style)
        /// A bar, filled to a fraction of 0 to 1, and the name of what it shows.
        case bar(Double, String)
    }

    /// Nil where it is not to be seen.
    var title: String?
    var content = Content.figures("")
    /// The widest figures that are to be expected: they decide how large all are drawn, so that nothing jumps.
    var widest = ""
    var unit = ""
    var style: Style
    /// As in ``Component/size``.
    var size: Int

    var isBar: Bool { widest.isEmpty }

    /// The components that are shown, in their order.
    static func faces(of view: WatchModel) -> [DataField] {
        view.settings.components.enumerated()
            .filter { $0.element.visible && ($0.element.name != .zone || view.settings.useHeartRateZones) }
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map { DataField($0.element, of: view) }
    }

    private init(_ component: Component, of view: WatchModel) {
        let state = view.state ?? StateLine(run: .idle)
        let metric = view.isMetric
        style = Style(colour: component.colour, isBold: true)
        size = component.size
        // RunFree's rule: what is large explains itself.
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

    /// The colours of RunFree, from green for zone 0.
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
