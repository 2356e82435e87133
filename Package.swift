// swift-tools-version: 6.2
import PackageDescription

let core: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let shell = core + [.strictMemorySafety()]
let c: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

let package = Package(
    name: "paced",
    products: [
        .executable(name: "paced", targets: ["paced"]),
        .executable(name: "pacectl", targets: ["pacectl"]),
    ],
    targets: [
        // C shims and libraries
        .target(name: "CLinux", cSettings: c),
        .systemLibrary(name: "CMath"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CBlueZ", cSettings: c, linkerSettings: [.linkedLibrary("bluetooth")]),
        .target(name: "CEvdev", cSettings: c, linkerSettings: [.linkedLibrary("evdev")]),
        .target(name: "CGps", cSettings: c, linkerSettings: [.linkedLibrary("gps")]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CAllocations", cSettings: c),
        .systemLibrary(name: "CFuzzer"),
        // Ring 0
        .target(name: "Domain", swiftSettings: core),
        // Ring 1
        .target(name: "Sensors", dependencies: ["Domain", "CMath"], swiftSettings: core),
        .target(name: "Pipeline", dependencies: ["Domain", "CMath"], swiftSettings: core),
        .target(
            name: "Outputs", dependencies: ["Domain"], resources: [.embedInCode("schema.json")], swiftSettings: core),
        // Ring 2
        .target(name: "Linux", dependencies: ["CLinux", "CSystemd", "Domain"], swiftSettings: shell),
        // Ring 3
        .target(
            name: "Adapters",
            dependencies: [
                "CBlueZ", "CEvdev", "CExpat", "CGps", "CJansson", "CMath", "CSQLite", "Linux", "Sensors",
                "Pipeline", "Outputs", "Domain",
            ],
            swiftSettings: shell),
        // Ring 4
        .target(
            name: "Daemon", dependencies: ["Adapters", "Linux", "Sensors", "Pipeline", "Outputs", "Domain"],
            swiftSettings: core),
        .target(
            name: "Console", dependencies: ["Adapters", "Linux", "Sensors", "Pipeline", "Outputs", "Domain"],
            swiftSettings: core),
        .executableTarget(name: "paced", dependencies: ["Daemon"], swiftSettings: core),
        .executableTarget(name: "pacectl", dependencies: ["Console"], swiftSettings: core),
        // Tools
        .executableTarget(
            name: "Bench",
            dependencies: ["CAllocations", "Adapters", "Linux", "Sensors", "Pipeline", "Outputs", "Domain"],
            swiftSettings: core),
        .executableTarget(
            name: "Fuzz", dependencies: ["CFuzzer", "Adapters", "Linux", "Sensors", "Pipeline", "Outputs", "Domain"],
            swiftSettings: core),
        // Tests
        .target(
            name: "TestKit", dependencies: ["Adapters", "Linux", "Sensors", "Pipeline", "Outputs", "Domain"],
            swiftSettings: core),
        .testTarget(name: "DomainTests", dependencies: ["Domain", "TestKit"], swiftSettings: core),
        .testTarget(name: "SensorsTests", dependencies: ["Sensors", "Domain", "TestKit"], swiftSettings: core),
        .testTarget(
            name: "PipelineTests", dependencies: ["Pipeline", "Domain", "TestKit"],
            exclude: ["Geodesic/vectors.csv"], swiftSettings: core),
        .testTarget(name: "OutputsTests", dependencies: ["Outputs", "Domain", "TestKit"], swiftSettings: core),
        .testTarget(name: "LinuxTests", dependencies: ["Linux", "Domain", "TestKit"], swiftSettings: core),
        // Records a synthetic run; tests kill it in the middle, or give it a disk that loses writes.
        .executableTarget(
            name: "JournalProcess", dependencies: ["Adapters", "Linux", "Domain", "TestKit"],
            path: "Tests/JournalProcess", swiftSettings: core),
        .testTarget(
            name: "AdaptersTests",
            dependencies: [
                "JournalProcess", "Adapters", "Linux", "Sensors", "Outputs", "Pipeline", "Domain", "TestKit",
            ],
            swiftSettings: core),
        .testTarget(
            name: "DaemonTests",
            dependencies: ["Daemon", "Adapters", "Linux", "Sensors", "Pipeline", "Outputs", "Domain", "TestKit"],
            swiftSettings: core),
        .testTarget(
            name: "ConsoleTests", dependencies: ["Console", "Adapters", "Sensors", "Outputs", "Domain", "TestKit"],
            exclude: ["Screens"], swiftSettings: core),
        .testTarget(
            name: "ReplayTests", dependencies: ["Adapters", "Sensors", "Pipeline", "Outputs", "Domain", "TestKit"],
            swiftSettings: core),
        .testTarget(name: "ConventionTests", dependencies: ["Outputs"], swiftSettings: core),
    ]
)
