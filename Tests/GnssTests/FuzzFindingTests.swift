import Gnss
import Sensors
import Testing

@Suite struct FuzzFindingTests {
    /// libgps 3.22 reads such a line in an endless loop, which Tools/swift-tests ends. A time limit of the test would
    /// include the time that it waits for a thread.
    @Test(arguments: [
        #"{"class":"TPV","devices":[{"class":"DEVICE"}]}"#, #"{"class":"TPV","mode":3,"foo":[{"class":"DEVICE"}]}"#,
        #"{"class":"SKY","foo":[{"class":"DEVICE","path":1}]}"#,
    ])
    func lineWithASecondClassIsIgnored(line: String) {
        #expect(GpsdMessage(line: ArraySlice(line.utf8)) == .other)
    }
}
