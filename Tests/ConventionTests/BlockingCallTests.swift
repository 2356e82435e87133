import Testing

/// The daemon makes no blocking calls to other processes.
@Suite struct BlockingCallTests {
    /// Each waits for a response of the bus or a name server, or for target in a queue.
    private static let waiting = [
        "sd_bus_call", "sd_bus_call_method", "sd_bus_call_methodv", "sd_bus_add_match", "sd_bus_match_signal",
        "sd_bus_request_name", "sd_bus_release_name", "sd_bus_flush", "sd_bus_flush_close_unref",
        "sd_bus_default_flush_close", "sd_bus_wait", "sd_bus_get_unique_name", "sd_bus_get_bus_id", "sd_bus_can_send",
        "sd_bus_list_names", "sd_bus_get_name_creds", "sd_bus_get_name_machine_id", "sd_bus_get_owner_creds",
        "sd_bus_query_sender_creds", "sd_bus_query_sender_privilege", "getaddrinfo", "gethostbyname", "getnameinfo",
    ]

    /// These block, or choose other addresses than paced's, with any suffix.
    private static let beginnings = [
        "sd_bus_get_property", "sd_bus_set_property", "sd_bus_open", "sd_bus_default",
    ]

    @Test func noCodeWaitsForTheBusOrANameServer() throws {
        for target in try Repository.folders(in: "Sources") where target != "TestKit" {
            for ending in [".swift", ".c", ".h"] {
                for file in try Repository.files(in: "Sources/" + target, ending) {
                    for line in try Repository.code(of: file) {
                        #expect(Self.waitingCall(in: line) == nil, "\(file): \(line)")
                    }
                }
            }
        }
    }

    @Test func blockingCallIsDetected() {
        for name in ["sd_bus_call(", "sd_bus_flush (", "sd_bus_get_property_string(", "sd_bus_open_system(&bus)"] {
            #expect(Self.waitingCall(in: "    try check(unsafe \(name)bus)") != nil, "\(name)")
        }
        #expect(Self.waitingCall(in: #"checkSystemd("sd_bus_call_async", unsafe sd_bus_call_async(bus, nil))"#) == nil)
        #expect(Self.waitingCall(in: "sd_bus_add_match_async(bus, &slot)") == nil)
    }

    private static func waitingCall(in line: Substring) -> Substring? {
        // Few lines have either, and the search for the pattern is slow.
        guard line.contains("sd_bus_") || line.contains("get") else { return nil }
        return line.matches(of: #/\b(sd_bus_\w+|get\w+)\s*\(/#).map(\.1).first { name in
            waiting.contains(String(name)) || beginnings.contains { name.hasPrefix($0) }
        }
    }
}
