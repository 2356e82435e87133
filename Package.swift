// swift-tools-version: 6.2
import PackageDescription

let core: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    // The linker leaves out what a program does not use: functions have sections of their own, and are not kept for
    // programs that are linked later.
    .unsafeFlags(
        ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"], .when(configuration: .release)),
]
/// For code that tests run for hours of activities: optimized in debug builds too, which keep their overflow checks.
let fast: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]
let shell = core + [.strictMemorySafety()]
/// For code that runs seldom: a program's memory is mostly its code.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
/// For tests: a test runs once, so it is compiled quickly: a third of the time without debug information, a module that is
/// emitted apart, and an index of what they import. SwiftPM adds -g to the end, so the frontend is told.
let quick: [SwiftSetting] =
    core + [
        .unsafeFlags(
            [
                "-Onone", "-Xfrontend", "-gnone", "-no-emit-module-separately-wmo", "-index-ignore-system-modules",
                "-index-ignore-clang-modules",
            ], .when(configuration: .release))
    ]
/// The programs have Swift's runtime in them. lld packs relative relocations (0.7 MB of paced), which gold, the default
/// linker, cannot. glibc 2.36 loads them; debian/control says so.
let program: [LinkerSetting] = [
    .unsafeFlags(
        ["-static-stdlib", "-use-ld=lld"]
            + ["-z", "pack-relative-relocs", "-z", "now", "--no-export-dynamic", "--icf=safe"]
            .flatMap { ["-Xlinker", $0] },
        .when(configuration: .release))
]
let c: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

/// Rings 0 to 2.
let inner: [Target.Dependency] = [
    "Linux", "JournalCoding", "Wire", "Formats", "Pipeline", "Sensors", "JSONCoding", "Domain",
]
/// Ring 3. Each target is the only one that imports its C library.
let adapters: [Target.Dependency] = [
    "Bluetooth", "Gnss", "Board", "Simulation", "Servers", "Import", "SQLite", "Storage",
]

let package = Package(
    name: "paced",
    products: [
        .executable(name: "paced", targets: ["paced"]),
        .executable(name: "pacectl", targets: ["pacectl"]),
        .executable(name: "paced-net", targets: ["paced-net"]),
        .executable(name: "paced-web", targets: ["paced-web"]),
        .executable(name: "paced-link", targets: ["paced-link"]),
    ],
    targets: [
        // C shims and libraries
        .target(name: "CLinux", cSettings: c),
        .systemLibrary(name: "CMath"),
        .target(name: "CCurl", cSettings: c, linkerSettings: [.linkedLibrary("curl")]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CBlueZ", cSettings: c, linkerSettings: [.linkedLibrary("bluetooth")]),
        .target(name: "CEvdev", cSettings: c, linkerSettings: [.linkedLibrary("evdev")]),
        .target(name: "CGps", cSettings: c, linkerSettings: [.linkedLibrary("gps")]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CGcrypt", pkgConfig: "libgcrypt", providers: [.apt(["libgcrypt20-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .target(
            name: "CMosquitto", cSettings: c, linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("ssl")]),
        .target(name: "CMicroHTTPD", cSettings: c, linkerSettings: [.linkedLibrary("microhttpd")]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "CAllocations", cSettings: c),
        .systemLibrary(name: "CFuzzer"),
        // Ring 0
        .target(name: "Domain", swiftSettings: core + fast),
        // Ring 1
        .target(name: "JSONCoding", dependencies: ["CJansson", "Domain"], swiftSettings: shell),
        .target(name: "Sensors", dependencies: ["CMath", "Domain"], swiftSettings: core + fast),
        .target(name: "Pipeline", dependencies: ["CMath", "Domain"], swiftSettings: core + fast),
        .target(name: "Formats", dependencies: ["CMath", "JSONCoding", "Domain"], swiftSettings: core + small + fast),
        .target(name: "Weather", dependencies: ["CMath", "JSONCoding", "Domain"], swiftSettings: core + small),
        .target(
            name: "Maps", dependencies: ["CMath", "Pipeline", "JSONCoding", "Domain"], swiftSettings: core + small),
        .target(
            name: "Transit", dependencies: ["Formats", "Pipeline", "JSONCoding", "Domain"],
            resources: [.embedInCode("cata.json")], swiftSettings: core + small),
        .target(
            name: "Report", dependencies: ["CMath", "JSONCoding", "Domain"],
            resources: [.embedInCode("page.css"), .embedInCode("page.js")], swiftSettings: core + small),
        .target(
            name: "Wire", dependencies: ["Sensors", "JSONCoding", "Domain"],
            resources: [.embedInCode("schema.json")], swiftSettings: core),
        .target(
            name: "JournalCoding", dependencies: ["Formats", "Pipeline", "Wire", "JSONCoding", "Domain"],
            swiftSettings: core + small + fast),
        // Ring 2
        .target(name: "Linux", dependencies: ["CLinux", "CSystemd", "Domain"], swiftSettings: shell),
        .target(name: "Client", dependencies: ["Linux", "Domain"], swiftSettings: core + small),
        .target(name: "Program", dependencies: ["Linux", "Domain"], swiftSettings: core + small),
        // Ring 3
        .target(
            name: "Bluetooth", dependencies: ["CBlueZ", "Linux", "Sensors", "Domain"], swiftSettings: shell + small),
        .target(
            name: "Gnss", dependencies: ["CGps", "Linux", "Sensors", "JSONCoding", "Domain"],
            swiftSettings: shell + small),
        .target(name: "Board", dependencies: ["CEvdev", "Linux", "Domain"], swiftSettings: shell + small),
        .target(name: "Simulation", dependencies: ["CMath", "Linux", "Domain"], swiftSettings: core + small),
        .target(name: "Servers", dependencies: ["Linux", "Wire", "JSONCoding", "Domain"], swiftSettings: shell),
        .target(name: "Gzip", dependencies: ["CZlib", "Formats"], swiftSettings: shell + small),
        .target(name: "Import", dependencies: ["CExpat", "Formats", "Domain"], swiftSettings: shell + small),
        .target(name: "Privacy", dependencies: ["CGcrypt"], swiftSettings: shell),
        .target(name: "SQLite", dependencies: ["CSQLite", "Linux", "Domain"], swiftSettings: shell + small),
        .target(name: "Zip", dependencies: ["CZip"], swiftSettings: shell + small),
        .target(
            name: "Tiles", dependencies: ["SQLite", "Linux", "JSONCoding", "Domain"], swiftSettings: core + small),
        .target(
            name: "MapStorage", dependencies: ["SQLite", "Transit", "Maps", "Pipeline", "JSONCoding", "Domain"],
            swiftSettings: core + small),
        .target(
            name: "Storage",
            dependencies: [
                "SQLite", "Linux", "JournalCoding", "Wire", "Formats", "Pipeline", "Sensors", "JSONCoding", "Domain",
            ],
            swiftSettings: shell + small),
        .target(name: "HTTP", dependencies: ["CCurl", "Linux", "JSONCoding", "Domain"], swiftSettings: shell + small),
        .target(
            name: "HTTPServer", dependencies: ["CMicroHTTPD", "Linux", "JSONCoding", "Domain"],
            swiftSettings: shell + small),
        .target(name: "MQTT", dependencies: ["CMosquitto", "Linux", "Domain"], swiftSettings: shell + small),
        .target(name: "QRCode", dependencies: ["CQREncode"], swiftSettings: shell + small),
        // Ring 4
        .target(name: "Daemon", dependencies: ["Program"] + adapters + inner, swiftSettings: core + small),
        .target(
            name: "Console",
            dependencies: [
                "Client", "Report", "Weather", "Maps", "MapStorage", "Tiles", "Transit", "Zip", "Gzip", "Privacy",
                "QRCode",
            ] + adapters + inner,
            swiftSettings: core + small),
        .target(
            name: "Web",
            dependencies: [
                "HTTPServer", "Gzip", "Privacy", "Tiles", "SQLite", "Servers", "Client", "Program", "Linux", "Wire",
                "JSONCoding",
                "Domain",
            ],
            swiftSettings: core + small),
        .target(
            name: "Network",
            dependencies: [
                "HTTP", "Weather", "Tiles", "MapStorage", "Maps", "Transit", "Import", "Servers", "Client", "Program",
                "Linux",
                "SQLite",
                "Wire", "Formats", "Pipeline", "JSONCoding", "Domain",
            ],
            swiftSettings: core + small),
        .target(
            name: "Link",
            dependencies: [
                "MQTT", "HTTP", "Gzip", "Import", "Privacy", "Report", "Servers", "Client", "Program", "Storage",
                "SQLite",
                "Linux",
                "Wire", "Pipeline", "Formats", "JSONCoding", "Domain",
            ],
            swiftSettings: core + small),
        .executableTarget(
            name: "paced", dependencies: ["Daemon"], swiftSettings: core, linkerSettings: program),
        .executableTarget(
            name: "pacectl", dependencies: ["Console"], swiftSettings: core, linkerSettings: program),
        .executableTarget(
            name: "paced-net", dependencies: ["Network"], swiftSettings: core, linkerSettings: program),
        .executableTarget(
            name: "paced-web", dependencies: ["Web"], swiftSettings: core, linkerSettings: program),
        .executableTarget(
            name: "paced-link", dependencies: ["Link"], swiftSettings: core, linkerSettings: program),
        // Tools
        .executableTarget(
            name: "Bench",
            dependencies: ["CAllocations", "Weather", "Maps", "MapStorage", "Transit"] + adapters + inner,
            swiftSettings: core, linkerSettings: program),
        .executableTarget(
            name: "Fuzz", dependencies: ["CFuzzer", "Maps", "Transit", "Weather"] + adapters + inner,
            swiftSettings: core),
        // Tests
        .target(
            name: "TestKit", dependencies: adapters + inner,
            swiftSettings: quick),
        .testTarget(name: "DomainTests", dependencies: ["Domain", "TestKit"], swiftSettings: quick),
        .testTarget(
            name: "SensorsTests", dependencies: ["Formats", "Pipeline", "Sensors", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(
            name: "PipelineTests", dependencies: ["Pipeline", "Domain", "TestKit"],
            exclude: ["Geodesic/vectors.csv", "Sun/vectors.csv"], swiftSettings: quick),
        .testTarget(
            name: "WeatherTests", dependencies: ["Weather", "Wire", "JSONCoding", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(
            name: "TransitTests",
            dependencies: [
                "MapStorage", "Transit", "Import", "SQLite", "Formats", "Pipeline", "JSONCoding", "Domain", "TestKit",
            ],
            swiftSettings: quick),
        .testTarget(
            name: "MapsTests",
            dependencies: ["MapStorage", "Maps", "SQLite", "Pipeline", "JSONCoding", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(
            name: "OutputsTests",
            dependencies: ["JournalCoding", "Wire", "Formats", "Pipeline", "JSONCoding", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(
            name: "NetworkTests",
            dependencies: [
                "Network", "MapStorage", "Transit", "HTTP", "Program", "Linux", "Wire", "Formats", "JSONCoding",
                "Domain", "TestKit",
            ],
            swiftSettings: quick),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Web", "Tiles", "SQLite", "HTTPServer", "Program", "Linux", "JSONCoding", "Domain", "TestKit",
            ],
            swiftSettings: quick),
        .testTarget(
            name: "LinkTests",
            dependencies: ["Link", "Program", "Storage", "Linux", "JSONCoding", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(name: "LinuxTests", dependencies: ["Linux", "Domain", "TestKit"], swiftSettings: quick),
        // Records a synthetic run; tests kill it in the middle, or give it a disk that loses writes.
        .executableTarget(
            name: "JournalProcess", dependencies: ["Storage", "Linux", "Pipeline", "Formats", "Domain", "TestKit"],
            path: "Tests/JournalProcess", swiftSettings: quick),
        .testTarget(
            name: "BluetoothTests", dependencies: ["Bluetooth", "Linux", "Sensors", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(name: "BoardTests", dependencies: ["Board", "Linux", "Domain", "TestKit"], swiftSettings: quick),
        .testTarget(
            name: "GnssTests", dependencies: ["Gnss", "Linux", "Sensors", "Domain", "TestKit"], swiftSettings: quick),
        .testTarget(
            name: "ImportTests",
            dependencies: ["Import", "Wire", "Formats", "Pipeline", "JSONCoding", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(
            name: "ServersTests",
            dependencies: ["Servers", "Linux", "Wire", "Pipeline", "Sensors", "JSONCoding", "Domain", "TestKit"],
            swiftSettings: quick),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation", "Linux", "Domain"], swiftSettings: quick),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "JournalProcess", "Storage", "SQLite", "Linux", "JournalCoding", "Wire", "Formats", "Pipeline",
                "Sensors", "JSONCoding", "Domain", "TestKit",
            ],
            swiftSettings: quick),
        .testTarget(
            name: "DaemonTests",
            dependencies: ["Daemon", "Program", "TestKit"] + adapters + inner,
            swiftSettings: quick),
        .testTarget(
            name: "ConsoleTests", dependencies: ["Console", "Report", "Maps", "Privacy", "TestKit"] + adapters + inner,
            exclude: ["Screens"], swiftSettings: quick),
        .testTarget(
            name: "ReplayTests", dependencies: ["TestKit"] + adapters + inner,
            swiftSettings: quick),
        .testTarget(name: "ConventionTests", dependencies: ["Wire"], swiftSettings: quick),
    ]
)

let tools: Set = ["Bench", "Fuzz", "CAllocations", "CFuzzer"]
let tests = Set(package.targets.filter { $0.type == .test }.map(\.name)).union(["TestKit", "JournalProcess"])
/// What is left out of a build for a purpose: `make run` first has the two programs of its screen, `make build` the programs
/// only, `make test` no tools, and the sanitizers no tests of code without threads and pointers either.
let omitted: [String: Set<String>] = [
    "screen": tests.union(tools).union([
        "paced-net", "paced-web", "paced-link", "Network", "Web", "Link", "HTTP", "HTTPServer", "MQTT", "CCurl",
        "CMicroHTTPD", "CMosquitto",
    ]),
    "programs": tests.union(tools),
    "tests": tools,
    "sanitized": tools.union([
        "DomainTests", "SensorsTests", "PipelineTests", "WeatherTests", "TransitTests", "OutputsTests",
        "ReplayTests", "ConventionTests",
    ]),
]
let names = omitted[Context.environment["PACED_TARGETS"] ?? ""] ?? []
package.targets.removeAll { names.contains($0.name) }
package.products.removeAll { names.contains($0.name) }
