import Domain

/// The language of a report.
package enum ReportLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// A sentence of the report. One that the language lacks stays English, with its figures.
    func text(_ sentence: Sentence) -> String {
        if self == .english { return sentence.description }
        let values = sentence.values.map(figures)
        return Sentence(template: words[sentence.template] ?? sentence.template, values: values)?.description
            ?? sentence.description
    }

    /// A text that may be one of the report's own words; figures in the language's way.
    @_disfavoredOverload func text(_ text: String) -> String {
        words[text] ?? figures(text)
    }

    /// A text with the decimal mark of the language.
    func figures(_ text: String) -> String {
        if self == .english { return text }
        var bytes = Array(text.utf8)
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        for index in bytes.indices.dropFirst().dropLast()
        where bytes[index] == UInt8(ascii: ".") && isDigit(bytes[index - 1]) && isDigit(bytes[index + 1]) {
            bytes[index] = UInt8(ascii: ",")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private var words: [String: String] {
        switch self {
        case .english: [:]
        case .german: Self.germanWords
        }
    }

    /// By the English words: sentences with `{1}` and so on for what varies, and single words.
    private static let germanWords = [
        // The head
        "Run": "Lauf", "Walk": "Spaziergang", "Hike": "Wanderung", "Ride": "Fahrt", "Activity": "Aktivität",
        "indoors": "drinnen", "simulated by a demo": "von einer Demo simuliert", "still in progress": "noch im Gang",
        "Unknown date": "Datum unbekannt", "Weather at the start: {1}": "Wetter am Start: {1}",
        // The totals
        "Totals": "Summen", "Distance": "Distanz", "Time": "Zeit", "Moving": "In Bewegung", "Paused": "Pausen",
        "Average pace": "Mittleres Tempo", "Average speed": "Mittlere Geschwindigkeit",
        "Moving pace": "Tempo in Bewegung", "Moving speed": "Geschwindigkeit in Bewegung",
        "Grade-adjusted pace": "Steigungsbereinigtes Tempo", "Highest speed": "Höchste Geschwindigkeit",
        "Ascent": "Anstieg", "Descent": "Abstieg", "Average heart rate": "Mittlerer Puls",
        "Highest heart rate": "Höchster Puls", "Energy": "Energie", "Average power": "Mittlere Leistung",
        "Normalized power": "Normalisierte Leistung", "Highest power": "Höchste Leistung", "Work": "Arbeit",
        "Average cadence": "Mittlere Trittfrequenz", "steps/min": "Schritte/min", "rpm": "U/min",
        // The map
        "Route": "Strecke",
        "The route on a map, {1} by {2} {3}, north is up. The charts have its values.":
            "Die Strecke auf einer Karte, {1} mal {2} {3}, Norden ist oben. Die Diagramme haben ihre Werte.",
        "Start": "Start", "End": "Ziel", "Start, end": "Start und Ziel",
        "First position shown": "Erste gezeigte Stelle", "Last position shown": "Letzte gezeigte Stelle",
        "First and last position shown": "Erste und letzte gezeigte Stelle",
        "slow {1}": "langsam {1}", "fast {1}": "schnell {1}", "yellow is the median, {1}": "gelb ist der Median, {1}",
        "standing": "stehend",
        // The charts
        "Values along the way": "Werte unterwegs", "By distance": "Nach Distanz",
        "By time, with pauses": "Nach Zeit, mit Pausen", "Place in the activity": "Stelle der Aktivität",
        "Heart rate": "Puls", "Pace": "Tempo", "Speed": "Geschwindigkeit", "Elevation": "Höhe",
        "Cadence": "Trittfrequenz", "Power": "Leistung", "{1} to {2} {3}": "{1} bis {2} {3}",
        "{1}: from {2} to {3} {4}, by {5}": "{1}: von {2} bis {3} {4}, nach {5}", "time": "Zeit",
        "distance": "Distanz",
        // The tables
        "Splits of {1}": "Abschnitte von {1}", "Heart": "Puls", "Laps": "Runden", "Lap": "Runde",
        "The first {1} of {2} laps.": "Die ersten {1} von {2} Runden.", "Heart-rate zones": "Pulszonen",
        "Power zones": "Leistungszonen", "Zone": "Zone", "Range": "Bereich", "Share": "Anteil",
        "Warm Up": "Aufwärmen", "below {1} bpm": "unter {1} bpm", "from {1} bpm": "ab {1} bpm",
        "Heart rate variability": "Herzfrequenzvariabilität", "Figure": "Größe", "Value": "Wert",
        "Mean RR interval": "Mittleres RR-Intervall", "Artefacts": "Artefakte", "Best times": "Bestzeiten",
        "Over": "Über", "From": "Ab", "Best power": "Beste Leistung", "Average": "Mittel", "Badges": "Abzeichen",
        "Badge": "Abzeichen", "1 mile": "1 Meile", "half marathon": "Halbmarathon", "marathon": "Marathon",
        "{1} of {2} rows fit on the paper.": "{1} von {2} Zeilen passen auf das Papier.",
        // The marks
        "Marks": "Markierungen", "Mark": "Nr.", "Place": "Ort", "Note": "Notiz", "Other values": "Weitere Werte",
        "Lowest": "Niedrigster", "Highest": "Höchster",
        "generic": "Stelle", "summit": "Gipfel", "valley": "Tal", "water": "Wasser", "food": "Essen",
        "danger": "Gefahr", "first-aid": "Erste Hilfe", "sprint": "Sprint", "campsite": "Campingplatz",
        "rest-area": "Rastplatz", "service": "Service", "checkpoint": "Kontrollpunkt", "shelter": "Schutzhütte",
        "meeting-spot": "Treffpunkt", "overlook": "Aussicht", "toilet": "Toilette", "shower": "Dusche",
        "gear": "Ausrüstung", "sharp-curve": "Scharfe Kurve", "steep-incline": "Steiler Anstieg", "tunnel": "Tunnel",
        "bridge": "Brücke", "obstacle": "Hindernis", "crossing": "Querung", "store": "Laden",
        "transport": "Verkehrsmittel", "info": "Information",
        // The notes
        "About these figures": "Zu diesen Werten", "Made by paced {1}.": "Erstellt von paced {1}.",
        "What was within {1} m of a point near the start, or of one near the end, is left out: times, totals, splits "
            + "and laps begin at the first position shown and end at the last one.":
            "Was weniger als {1} m von einem Punkt nahe dem Start oder dem Ziel entfernt war, fehlt: Zeiten, Summen, "
            + "Abschnitte und Runden beginnen mit der ersten gezeigten Stelle und enden mit der letzten.",
        "No clock was set: the date is unknown.": "Die Uhr war nicht gestellt: das Datum ist unbekannt.",
        "≈ The date is a guess of a clock that nothing has confirmed.":
            "≈ Das Datum ist die Vermutung einer Uhr, die nichts bestätigt hat.",
        "≈ The position was lost once: distance and pace are less certain there, and lines have gaps.":
            "≈ Die Position fehlte einmal: Distanz und Tempo sind dort weniger sicher, und Linien haben Lücken.",
        "≈ The position was lost {1} times: distance and pace are less certain there, and lines have gaps.":
            "≈ Die Position fehlte {1}-mal: Distanz und Tempo sind dort weniger sicher, und Linien haben Lücken.",
        "≈ Samples are missing once: the distance counts a straight line there, and lines have gaps.":
            "≈ Messwerte fehlen einmal: die Distanz zählt dort eine gerade Linie, und Linien haben Lücken.",
        "≈ Samples are missing {1} times: the distance counts a straight line there, and lines have gaps.":
            "≈ Messwerte fehlen {1}-mal: die Distanz zählt dort eine gerade Linie, und Linien haben Lücken.",
        "≈ This activity is {1}: figures may be too low.":
            "≈ Diese Aktivität wurde aus einem beschädigten Journal gerettet ({1}): Werte können zu niedrig sein.",
        "Indoors there are no positions; a distance is that of a sensor.":
            "Drinnen gibt es keine Positionen; eine Distanz ist die eines Sensors.",
        "Imported; the figures are computed from its samples.":
            "Importiert; die Werte sind aus den Messwerten berechnet.",
        "Imported from {1}; the figures are computed from its samples.":
            "Importiert von {1}; die Werte sind aus den Messwerten berechnet.",
        "≈ The file states a distance of {1}, the samples give {2}.":
            "≈ Die Datei nennt eine Distanz von {1}, die Messwerte ergeben {2}.",
        "Sensor: {1}.": "Sensor: {1}.",
        "Charts show means of about {1} s, figures and tables all samples.":
            "Diagramme zeigen Mittel von etwa {1} s, Werte und Tabellen alle Messwerte.",
    ]
}
