import Domain
import Testing

@Suite struct OwnFieldNameTests {
    @Test(arguments: [
        ("Saddle Angle", "saddle_angle"), ("Core Temp (°C)", "core_temp_c"), ("2nd", "field_2nd"), ("__a__b", "a_b"),
        ("SmO2", "smo2"), ("–", nil), ("", nil),
    ])
    func nameIsMadeOfAnyText(text: String, name: String?) {
        #expect(OwnFieldName(madeOf: text)?.description == name)
    }

    @Test func longNamesAreCut() {
        let name = OwnFieldName(madeOf: String(repeating: "long ", count: 40))!
        #expect(name.description.utf8.count <= 64)
        #expect(name.numbered(12).description.hasSuffix("_12") && name.numbered(12).description.utf8.count <= 64)
    }

    @Test(arguments: ["A", "1a", "a-b", "", "ä", String(repeating: "a", count: 65)])
    func otherTextIsNoName(text: String) {
        #expect(OwnFieldName(text) == nil)
    }

    @Test func fieldsOfKnownKindsHaveDistinctNamesThatNothingElseHas() {
        let names = SensorKind.allCases.flatMap { $0.fields.map(\.field.name.description) }
        #expect(Set(names).count == names.count)
        #expect(Set(names).isDisjoint(with: DataField.allCases.map(\.rawValue) + OwnFieldName.csvColumns))
    }
}
