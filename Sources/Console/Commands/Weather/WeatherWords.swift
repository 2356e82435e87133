package import Weather

/// The sky in words.
package enum WeatherWords {
    /// The part of the sky that the layers cover, such as "cloudy"; nil if it is not known.
    package static func sky(_ covers: [CloudLayer.Cover]) -> String? {
        let darkest: [CloudLayer.Cover] = [
            .obscured, .overcast, .broken, .scattered, .few, .noSignificantCloud, .noCloudDetected, .clear, .skyClear,
        ]
        return darkest.first(where: covers.contains).map { cover in
            switch cover {
            case .obscured: "sky obscured"
            case .overcast: "overcast"
            case .broken: "cloudy"
            case .scattered: "partly cloudy"
            case .few: "few clouds"
            case .noSignificantCloud: "no significant clouds"
            case .noCloudDetected: "no clouds detected"
            case .clear, .skyClear: "clear sky"
            }
        }
    }
}
