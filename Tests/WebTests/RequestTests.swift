import Domain
import HTTPServer
import JSONCoding
import Testing
import Web

@Suite struct RequestRulesTests {
    private static func request(
        _ path: String = "/api/token", _ method: String = "GET", headers: [String: String] = [:],
        isLoopback: Bool = true, isEncrypted: Bool = false
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, query: [:], headers: headers, isLoopback: isLoopback,
            isEncrypted: isEncrypted)
    }

    private static let rules = RequestRules(names: ["bike", "bike.local"], plain: .live)

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("[::1]:8080", true), ("[::1]", true), ("localhost", true), ("LOCALHOST:1", true),
        ("bike.local:8080", true), ("192.168.4.1", true), ("evil.example", false), ("evil.example:8080", false),
        ("bike.local.evil.example", false), ("127.0.0.1.evil.example", false), ("", false), ("a:b", false),
        ("a:b:c", false), ("[::1", false), ("bike:99999", false), ("bike local", false),
    ])
    func onlyOwnHostsAreServed(_ host: String, _ isServed: Bool) {
        let refusal = Self.rules.refusal(of: Self.request(headers: ["Host": host]))
        #expect((refusal == nil) == isServed)
    }

    @Test func requestWithoutHostIsRefused() {
        #expect(Self.rules.refusal(of: Self.request())?.status == 421)
    }

    @Test(arguments: [
        ("http://bike:8080", true), ("https://bike:8080", true), ("http://bike", false), ("null", false), ("", false),
        ("http://evil.example", false), ("http://bike:8080.evil.example", false), ("http://bike:8081", false),
        ("ftp://bike:8080", false),
    ])
    func onlyTheOwnOriginIsServed(_ origin: String, _ isServed: Bool) {
        let refusal = Self.rules.refusal(of: Self.request(headers: ["Host": "bike:8080", "Origin": origin]))
        #expect((refusal == nil) == isServed)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func otherSitesMayLinkToThePageOnly(_ site: String) {
        let headers = ["Host": "bike", "Sec-Fetch-Site": site]
        #expect(Self.rules.refusal(of: Self.request("/", headers: headers)) == nil)
        #expect(Self.rules.refusal(of: Self.request("/metrics", headers: headers))?.status == 403)
        #expect(Self.rules.refusal(of: Self.request("/api", "POST", headers: headers))?.status == 403)
    }

    @Test func plainConnectionOfAnotherMachineIsLimited() {
        #expect(Self.rules.allowance(of: Self.request()) == .all)
        #expect(Self.rules.allowance(of: Self.request(isLoopback: false)) == .live)
        #expect(Self.rules.allowance(of: Self.request(isLoopback: false, isEncrypted: true)) == .all)
    }

    @Test(
        arguments: [
            ("Bearer ABC", "ABC"), ("bearer ABC", "ABC"), ("Bearer", nil), ("Basic ABC", nil), ("Bearer A B", nil),
            ("", nil),
        ] as [(String, String?)])
    func bearerTokenIsRead(_ value: String, _ token: String?) {
        #expect(Self.request(headers: ["Authorization": value]).bearerToken == token)
    }
}

@Suite struct APIRequestTests {
    private static func read(_ path: String, _ query: [String: String] = [:], _ method: String = "GET") throws
        -> APIRequest
    {
        try APIRequest(
            HTTPRequest(method: method, path: path, query: query, headers: [:], isLoopback: true, isEncrypted: false))
    }

    private static func arguments(_ path: String, _ query: [String: String] = [:]) throws -> [String]? {
        guard case .read(let request) = try read(path, query) else { return nil }
        return request.arguments
    }

    @Test func pathsAreReadAsCommands() throws {
        #expect(
            try Self.arguments("/api/activities", ["limit": "5", "before": "9", "sport": "ride"])
                == ["--json", "activities", "--limit=5", "--before=9", "--sport=ride"])
        #expect(try Self.arguments("/api/activities/totals") == ["--json", "activities", "--totals=month"])
        #expect(try Self.arguments("/api/activities/7") == ["--json", "show", "7"])
        #expect(
            try Self.arguments("/api/activities/7/report", ["hide": "0", "units": "imperial"])
                == ["report", "7", "--hide=0", "--imperial"])
        #expect(
            try Self.arguments("/api/activities/7/file", ["format": "gpx", "hide": "200"])
                == ["export", "7", "--format=gpx", "--hide=200"])
        #expect(
            try Self.arguments("/api/places/search", ["text": "--radius"])
                == ["--json", "places", "search", "--", "--radius"])
        #expect(
            try Self.arguments("/api/transit/departures", ["stop": "1"])
                == ["--json", "transit", "departures", "--", "1"])
    }

    @Test(arguments: [
        "/api/", "/api/x", "/api/activities/-1", "/api/activities/0", "/api/activities/1x", "/api/activities/1/x",
        "/api/places", "/apis", "/metric",
    ])
    func otherPathsAreUnknown(_ path: String) {
        #expect(throws: APIRequest.Failure.notFound) { try Self.read(path) }
    }

    @Test(arguments: [
        ("limit", "0"), ("limit", "1001"), ("limit", "-1"), ("limit", ""), ("before", "0"), ("since", "2026-3-1"),
        ("until", "2026-03-01T00"), ("sport", "swim"), ("at", "1,2"), ("token", "x"),
    ])
    func wrongArgumentsAreRejected(_ name: String, _ value: String) {
        #expect(throws: APIRequest.Failure.self) { try Self.read("/api/activities", [name: value]) }
    }

    @Test(
        arguments: [
            ("/api/activities", ["limit": "0"], "limit must be a number from 1 to 1000"),
            ("/api/activities", ["limit": "1;rm"], "limit must be a number from 1 to 1000"),
            ("/api/activities", ["since": "yesterday"], "since must be a day"),
            ("/api/activities", ["sport": "swim"], "sport must be one of"),
            ("/api/activities", ["token": "x"], "send the token in the header Authorization"),
            ("/api/activities", ["page": "2"], "unknown argument page"),
            ("/api/activities/1/file", ["format": "exe"], "format must be one of fit"),
            ("/api/activities/1/file", [:], "format must be one of fit"),
            ("/api/courses/1/file", ["format": "csv"], "format must be one of fit"),
            ("/api/activities/1/report", ["hide": "5001"], "hide must be a number of metres from 0 to 5000"),
            ("/api/places/near", ["at": "52"], "at must be a latitude and a longitude"),
            ("/api/places/near", ["at": "91,0"], "at must be a latitude and a longitude"),
            ("/api/places/search", [:], "text must be a text"),
            ("/api/transit/home", ["bikes": "yes"], "bikes must be 1"),
        ] as [(String, [String: String], String)])
    func failureSaysWhatIsWrong(_ path: String, _ query: [String: String], _ message: String) {
        let failure = #expect(throws: APIRequest.Failure.self) { try Self.read(path, query) }
        guard case .wrongValue(let said) = failure else { return #expect(Bool(false)) }
        #expect(said.contains(message))
    }

    @Test(arguments: [
        ("/api", "GET", "POST"), ("/api/token", "PUT", "GET, POST, DELETE"), ("/api/activities", "DELETE", "GET"),
        ("/api/stream", "PUT", "GET, POST"),
    ])
    func otherMethodsAreRejected(_ path: String, _ method: String, _ allowed: String) {
        #expect(throws: APIRequest.Failure.wrongMethod(allowed: allowed)) { try Self.read(path, [:], method) }
    }

    @Test(arguments: ["52,13", "-90,180", "1e1,2"])
    func placesAreRead(_ text: String) throws {
        #expect(try Self.arguments("/api/places/near", ["at": text]) == ["--json", "places", "near", "--at=" + text])
    }

    @Test(arguments: ["52", "91,0", "0,181", "nan,0", "inf,1", "1,2,3", ",", "a,b"])
    func wrongPlacesAreRejected(_ text: String) {
        #expect(throws: APIRequest.Failure.self) { try Self.read("/api/places/near", ["at": text]) }
    }

    @Test func uploadsKeepTheNameOfTheFile() throws {
        let upload = try Self.read("/api/activities", ["file": "a/b c.fit", "sport": "ride", "again": "1"], "POST")
        guard case .upload(let upload) = upload else { return #expect(Bool(false)) }
        #expect(upload.name == "b c.fit")
        #expect(upload.arguments(file: "b c.fit") == ["import", "--sport", "ride", "--again", "--", "b c.fit"])
        let course = try Self.read("/api/courses", ["file": "-x.gpx", "load": "1"], "POST")
        guard case .upload(let course) = course else { return #expect(Bool(false)) }
        #expect(course.arguments(file: "-x.gpx") == ["course", "import", "--load", "--", "-x.gpx"])
    }

    @Test(arguments: ["", ".", "..", "a/..", ".x", "a\nb", String(repeating: "x", count: 201)])
    func wrongNamesOfFilesAreRejected(_ name: String) {
        #expect(throws: APIRequest.Failure.self) { try Self.read("/api/courses", ["file": name], "POST") }
    }

    @Test(arguments: [
        ("/api/courses/3/reverse", ["--json", "course", "reverse", "3"]),
        ("/api/activities/12/course", ["--json", "course", "from", "12"]),
        ("/api/transit/groups", ["--json", "transit", "groups"]),
        ("/api/transit/lines", ["--json", "transit", "lines"]),
    ])
    func changesAreRunsOfPacectl(_ path: String, _ arguments: [String]) throws {
        guard case .change(let change) = try Self.read(path, [:], "POST") else { return #expect(Bool(false)) }
        #expect(change.arguments == arguments)
        #expect(try !Self.read(path, [:], "POST").isLive)
        #expect(throws: APIRequest.Failure.self) { try Self.read(path, ["a": "1"], "POST") }
        #expect(throws: APIRequest.Failure.self) { try Self.read(path, [:], "DELETE") }
    }

    @Test(arguments: ["", "x", "../a.jpg", "a/b.jpg", ".jpg", "a.svg", "a.jpg\0"])
    func photoIsNoPath(_ name: String) throws {
        #expect(throws: APIRequest.Failure.self) { try Self.read("/api/places/photo", ["name": name]) }
        guard case .photo = try Self.read("/api/places/photo", ["name": "a.jpg"]) else { return #expect(Bool(false)) }
    }

    @Test func wordsOfABodyAreNoOptions() throws {
        guard case .change(let change) = try Self.read("/api/transit/groups", [:], "POST") else {
            return #expect(Bool(false))
        }
        func words(_ body: String) throws -> [String] {
            Array(try change.adding(Array(body.utf8)).arguments.dropFirst(3))
        }
        #expect(try words(#"["add","Nacht & Tag","--force","L 1"]"#) == ["add", "--", "Nacht & Tag", "--force", "L 1"])
        for body in ["", "{}", "[]", "[1]", #"[""]"#, #"["--output","x"]"#, #"["add","a\nb"]"#, #"["Add","x"]"#] {
            #expect(throws: APIRequest.Failure.self, "\(body)") { try words(body) }
        }
        let many = "[" + Array(repeating: #""a""#, count: 513).joined(separator: ",") + "]"
        #expect(throws: APIRequest.Failure.self) { try words(many) }
    }

    @Test func livePageNeedsNoHistory() throws {
        #expect(try Self.read("/api/stream", [:], "POST").isLive)
        #expect(try Self.read("/api", [:], "POST").isLive)
        #expect(try !Self.read("/api/activities").isLive)
        #expect(try !Self.read("/metrics").isLive)
        #expect(try Self.read("/api/courses/loaded/file", ["format": "geojson"]).isLive)
        #expect(try !Self.read("/api/courses/1/file", ["format": "geojson"]).isLive)
        #expect(try !Self.read("/api/courses/loaded/file", ["format": "gpx"]).isLive)
        #expect(throws: APIRequest.Failure.notFound) { try Self.read("/api/courses/loaded") }
        #expect(throws: APIRequest.Failure.notFound) { try Self.read("/api/activities/loaded/file", ["format": "gpx"]) }
        #expect(try !Self.read("/api/courses", ["file": "a"], "POST").isLive)
    }
}

@Suite struct CallPolicyTests {
    private static func policy(_ method: String, _ parameters: String = "{}") throws -> CallPolicy {
        try CallPolicy(Array(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#.utf8))
    }

    @Test(arguments: [
        "status", "settings.get", "activities.list", "activities.track", "course.profile", "transit.path",
        "link.uploads",
    ])
    func readingNeedsNoControl(_ method: String) throws {
        #expect(try !Self.policy(method).needsControl)
    }

    @Test(arguments: [
        "run.start", "run.stop", "settings.set", "sensor.scan", "activities.delete", "activities.edit", "course.load",
        "weather.at", "route.find", "transit.home", "x", "status ", "activities.recover", "link.upload", "link.flush",
    ])
    func everythingElseNeedsControl(_ method: String) throws {
        #expect(try Self.policy(method).needsControl)
    }

    @Test func livePageSeesTheRunInProgressOnly() throws {
        #expect(try Self.policy("activities.track").isLive)
        #expect(try !Self.policy("activities.track", #"{"id":1}"#).isLive)
        #expect(try Self.policy("run.lap").isLive)
        #expect(try !Self.policy("settings.set").isLive)
        #expect(try !Self.policy("activities.list").isLive)
    }

    @Test func questionsForOtherMachinesGoToTheOtherSocket() throws {
        for method in ["weather.at", "route.find", "transit.path"] {
            #expect(try Self.policy(method).socket == .network)
        }
        for method in ["link.uploads", "link.upload", "link.status"] {
            #expect(try Self.policy(method).socket == .link)
        }
        #expect(try Self.policy("run.start").socket == .control)
    }

    @Test(arguments: [
        "", "x", "{", "[]", "1", #"{"id":1}"#, #"{"method":"status"}"#, #"{"id":null,"method":"status"}"#,
        #"[{"jsonrpc":"2.0","id":1,"method":"status"}]"#, #"{"id":1,"method":"status","method":"run.stop"}"#,
        #"{"id":1,"method":"upload.begin"}"#, #"{"id":1,"method":"link.login"}"#, #"{"id":1,"method":7}"#,
    ])
    func wrongBodiesAreRejected(_ text: String) {
        #expect(throws: APIRequest.Failure.self) { try CallPolicy(Array(text.utf8)) }
    }
}

@Suite struct MetricsTests {
    private static let server = Metrics.Server(streams: 1, connections: 2, tokens: 3, requests: 4, refusals: 5)

    @Test func figuresHaveNeitherPositionNorHeartRate() throws {
        let state = #"""
            {"class":"STATE","run":"active","heart":{"link":"connected","bpm":151},
            "position":{"latitude":52.512345,"longitude":13.4},"gpsd":{"link":"lost"},
            "recorder":{"state":"writing","lag_ms":20,"free_mib":2},"ticks":{"late":7,"worst_ms":1.5},
            "power":{"battery_percent":71},"faults":[]}
            """#
        let text = Metrics.text(try JSON(parsing: state.utf8), Self.server)
        for line in [
            "paced_up 1", #"paced_run_state{state="active"} 1"#, "paced_ticks_late_total 7",
            "paced_tick_lateness_worst_seconds 0.0015", "paced_recorder_lag_seconds 0.02",
            "paced_recorder_free_bytes 2097152", #"paced_link_connected{link="strap"} 1"#,
            #"paced_link_connected{link="gpsd"} 0"#, "paced_battery_ratio 0.71", "paced_faults 0",
            "paced_web_streams 1",
            "paced_web_refusals_total 5",
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
        for secret in ["151", "52.5", "13.4", "latitude"] { #expect(!text.contains(secret)) }
    }

    @Test func absentDaemonIsReported() {
        let text = Metrics.text(nil, Self.server)
        #expect(text.contains("paced_up 0\n") && !text.contains("paced_ticks"))
    }
}

@Suite struct ListenAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:80", "[::1]:80"), ("0.0.0.0:0", "0.0.0.0:0"), ("::1:80", nil),
            ("localhost:80", nil), ("127.0.0.1", nil), ("127.0.0.1:x", nil), ("[::1]", nil), ("", nil),
            ("1.2.3:4", nil),
        ] as [(String, String?)])
    func onlyNumericAddressesAreRead(_ text: String, _ expected: String?) {
        #expect(ListenAddress(text)?.text == expected)
    }

    @Test func addressesForTelephonesComeFirst() {
        let all = [ListenAddress(host: "127.0.0.1", port: 8080), ListenAddress(host: "0.0.0.0", port: 8081)]
        let plain = PageAddresses(listening: all, isEncrypted: false, names: [], host: "bike")
        #expect(plain.list == ["http://bike.local:8081", "http://127.0.0.1:8080"])
        let encrypted = PageAddresses(listening: all, isEncrypted: true, names: ["b.example"], host: "bike")
        #expect(encrypted.list == ["https://b.example:8081", "http://127.0.0.1:8080"])
    }
}

@Suite struct ProgramMessageTests {
    @Test(arguments: [
        ("paced has no position: wait for one, or name one with --at LAT,LON", "paced has no position: wait for one"),
        ("a.csv exists; overwrite it with --force, or name another", "a.csv exists"),
        ("there is no activity 4; 3 is the newest", "there is no activity 4; 3 is the newest"),
        ("--at names one place", "--at names one place"),
    ])
    func messagesForAPageNameNoOptions(message: String, shown: String) {
        #expect(ProgramRunner.withoutOptions(message) == shown)
    }
}
