import Testing

/// The Bluetooth layers serve any sensor: what a strap is, is decided in Sources/Sensors/HeartRate alone.
@Suite struct BluetoothLayerTests {
    @Test(arguments: ["Attribute", "Bluetooth", "BlueZ", "Management"])
    func noBluetoothLayerMentionsAStrapOrAHeartRate(folder: String) throws {
        let files = try Repository.files(in: "Sources/Sensors/" + folder, ".swift")
        #expect(!files.isEmpty)
        for file in files {
            for line in try Repository.text(of: file).split(separator: "\n") {
                let words = line.lowercased()
                #expect(!words.contains("strap") && !words.contains("heart"), "\(file): \(line)")
            }
        }
    }
}
