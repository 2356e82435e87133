/// A layer of clouds, or the statement that there is none.
package struct CloudLayer: Hashable, Sendable {
    package enum Cover: String, CaseIterable, Sendable {
        /// 1 to 2 eighths of the sky.
        case few = "FEW"
        /// 3 to 4 eighths.
        case scattered = "SCT"
        /// 5 to 7 eighths.
        case broken = "BKN"
        /// 8 eighths.
        case overcast = "OVC"
        case skyClear = "SKC"
        /// An automatic station detects none below 12 000 ft.
        case clear = "CLR"
        /// None below 5000 ft, and no cumulonimbus.
        case noSignificantCloud = "NSC"
        /// An automatic station detects none.
        case noCloudDetected = "NCD"
        /// The sky cannot be seen; the height is the vertical visibility.
        case obscured = "VV"

        fileprivate var hasHeight: Bool {
            switch self {
            case .few, .scattered, .broken, .overcast, .obscured: true
            case .skyClear, .clear, .noSignificantCloud, .noCloudDetected: false
            }
        }
    }

    package enum Kind: String, CaseIterable, Sendable {
        case cumulonimbus = "CB"
        case toweringCumulus = "TCU"
    }

    /// Nil if it is missing.
    package var cover: Cover?
    /// Metres above the ground, for ``Cover/obscured`` the vertical visibility. Nil if it is missing, or there are no
    /// clouds.
    package var baseMetres: Double?
    package var kind: Kind?

    package init(cover: Cover? = nil, baseMetres: Double? = nil, kind: Kind? = nil) {
        self.cover = cover
        self.baseMetres = baseMetres
        self.kind = kind
    }
}

extension CloudLayer {
    /// Parses a layer at the cursor: `BKN014CB`, `VV001`, `NSC`, `//////TCU`. Nil if the word does not begin with one.
    static func parse(_ reader: inout GroupReader) -> CloudLayer? {
        var rest = reader
        var layer = CloudLayer()
        layer.cover = rest.skip(Cover.self)
        guard layer.cover != nil || rest.skip("///") else { return nil }
        if layer.cover?.hasHeight ?? true {
            var hasHeight = rest.skip("///")
            if let hundreds = rest.digits(3) {
                layer.baseMetres = Double(hundreds) * 100 * Visibility.metresPerFoot
                hasHeight = true
            }
            layer.kind = rest.skip(Kind.self)
            // "///CB" is a kind without more.
            guard hasHeight || (layer.cover == nil && layer.kind != nil) else { return nil }
            // The kind is missing.
            if layer.kind == nil { _ = rest.skip("///") }
        }
        reader = rest
        return layer
    }
}
