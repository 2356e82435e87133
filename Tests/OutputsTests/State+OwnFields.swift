import Domain

extension State {
    /// Adds as many own fields as there can be, with the longest texts and values, all of the first sensor.
    mutating func addOwnFields(named title: SanitizedText?) {
        for number in 0..<OwnField.limit {
            let field = OwnField(
                OwnFieldName("a\(number)_" + String(repeating: "a", count: 60))!, title: title ?? SanitizedText("?")!,
                unit: SanitizedText(String(repeating: "u", count: OwnField.unitLimit)), decimals: 3,
                icon: .temperature, nativeField: 254)
            ownFields.fields.append(field)
            ownFields.sensors.append(sensors[0].id)
            ownFields.values[number] = -999_999_999.125
            ownFields.lapAverages[number] = -999_999_999.125
            ownFields.averages[number] = -999_999_999.125
        }
    }
}
