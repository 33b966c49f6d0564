// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// Tests of the release build: what they test is optimised, they themselves need not be, and compile in half the time.
let unoptimised = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

// The command carries its runtime with it: it starts in a fifth of the time, and runs where no Swift is installed.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release)),
    // What Foundation's static libraries need and do not say (ArgumentParser and Yams bring Foundation in).
    .linkedLibrary("CoreFoundation", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationICU", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationCShims", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(platforms: [.linux], configuration: .release)),
]

/// A library of this package: its folder is Sources/ROOM/NAME, and nothing of it is public.
func library(_ name: String, in room: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(room)/\(name)", swiftSettings: strict)
}

/// The tests of NAME are in Tests/ROOM/NAMETests; those that compute a lot themselves are optimised too.
func tests(
    _ name: String,
    in room: String,
    _ dependencies: [Target.Dependency] = [],
    settings: [SwiftSetting] = unoptimised
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/\(room)/\(name)Tests",
        swiftSettings: settings
    )
}

/// The module map of a system library, of which apt has the package.
func systemLibrary(_ name: String, pkgConfig: String, apt package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")

let package = Package(
    name: "mapeverything",
    products: [.executable(name: "mapeverything", targets: ["mapeverything"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // Module maps of system libraries.
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
        .systemLibrary(name: "CProcess", path: "Sources/System/CProcess"),
        systemLibrary("CAprilTag", pkgConfig: "apriltag", apt: "libapriltag-dev"),
        systemLibrary("CLZ4", pkgConfig: "liblz4", apt: "liblz4-dev"),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        systemLibrary("CTurboJPEG", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        systemLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),

        // Below both worlds.
        library("JSONText", in: "Base"),
        library("YAMLText", in: "Base", [yams]),
        library("Drawing", in: "Base", ["JSONText"]),
        library("Work", in: "Base", ["JSONText"]),
        library("Files", in: "Base", [system]),
        library("Databases", in: "Base", ["Files", "CSQLite", system]),

        // The capture world: what a phone recorded. Never mentions ROS.
        library("Recording", in: "Capture"),
        library("Codecs", in: "Capture", ["Recording", "Files", "CTurboJPEG", "CZlib", system]),
        library("Earth", in: "Capture", ["Recording", "Codecs"]),
        library(
            "Sessions",
            in: "Capture",
            ["Recording", "Codecs", "Databases", "Earth", "Files", "JSONText", "Work", system]
        ),
        library("PointClouds", in: "Capture", ["Recording"]),
        library("Maps", in: "Capture", ["Recording", "PointClouds", "Work", "Sessions"]),
        library("Tags", in: "Capture", ["Recording", "CAprilTag"]),
        library("TagMaps", in: "Capture", ["Recording", "Codecs", "Earth", "JSONText", "Sessions", "Tags", "Work"]),
        library("SessionLines", in: "Capture", ["Recording", "JSONText"]),
        library(
            "Synthetic",
            in: "Capture",
            ["Recording", "Codecs", "Files", "Work", "SessionLines", "Tags", system]
        ),

        // The ROS world: messages, bags, what plays. Never mentions ARKit.
        library("Messages", in: "ROS", ["JSONText"]),
        library("DynamicMessages", in: "ROS", ["Messages", "JSONText", system]),
        library("Containers", in: "ROS", ["Files", "CZlib", "CZstd", "CLZ4", system]),
        library(
            "Bags",
            in: "ROS",
            ["Messages", "Containers", "Databases", "DynamicMessages", "Files", "JSONText", "YAMLText", system, yams]
        ),
        library("BagConversion", in: "ROS", ["Bags", "DynamicMessages", "Messages", "JSONText", "Work", system]),
        library(
            "BagCheck",
            in: "ROS",
            ["Bags", "Containers", "Databases", "DynamicMessages", "Files", "Messages", "JSONText", "Work", system]
        ),
        library(
            "BagRepair",
            in: "ROS",
            ["BagCheck", "Bags", "Containers", "Databases", "DynamicMessages", "Files", "Messages", "Work", system]
        ),
        library("Playback", in: "ROS", ["Messages", "Files"]),
        library("BagPlayback", in: "ROS", ["Bags", "DynamicMessages", "Playback", "Messages", system]),

        // Wires.
        library("WebSocket", in: "Network"),
        library("WebSocketDeflate", in: "Network", ["WebSocket", "CZlib"]),
        library(
            "Rosbridge",
            in: "Network",
            ["Messages", "JSONText", "WebSocket", "Files", nioCore, nioPosix, nioSSL, nioTLS]
        ),
        library(
            "Probe",
            in: "Network",
            ["Rosbridge", "Messages", "Work", "WebSocket", "Files", nioCore, nioPosix]
        ),
        library(
            "Foxglove",
            in: "Network",
            ["Rosbridge", "Messages", "Playback", "WebSocket", "JSONText", nioCore, nioPosix]
        ),

        // The one bridge between the two, and the command.
        library(
            "Replay",
            in: "Bridge",
            [
                "Recording", "Codecs", "Earth", "JSONText", "Sessions", "PointClouds", "Maps", "Tags", "Playback",
                "Messages", "Work",
                "YAMLText", system, yams,
            ]
        ),
        library(
            "Reports",
            in: "Bridge",
            [
                "Recording", "Codecs", "Drawing", "Earth", "Sessions", "PointClouds", "Work", "Replay", "Messages",
                "JSONText",
            ]
        ),
        library(
            "Exports",
            in: "Bridge",
            [
                "Recording", "Codecs", "Earth", "Sessions", "PointClouds", "Maps", "Replay", "Playback", "Messages",
                "DynamicMessages", "JSONText", "Containers", "Files", "Work", system,
            ]
        ),
        library(
            "Trimming",
            in: "Bridge",
            ["Recording", "Codecs", "Files", "Maps", "Work", "Replay", "SessionLines", "Sessions", system]
        ),
        library(
            "Batch",
            in: "Bridge",
            [
                "Recording", "Sessions", "Replay", "Exports", "Reports", "Drawing", "Messages", "JSONText",
                "Containers",
                "Files", "Work", system,
            ]
        ),
        library(
            "Arvos",
            in: "Bridge",
            [
                "Recording", "Codecs", "Replay", "Messages", "JSONText", "Bags", "Rosbridge", "WebSocket", nioCore,
                nioPosix, nioHTTP,
            ]
        ),
        .executableTarget(
            name: "mapeverything",
            dependencies: [
                "Replay", "Exports", "Reports", "Trimming", "Arvos", "Batch", "Playback", "BagPlayback", "Bags",
                "BagConversion",
                "BagCheck",
                "BagRepair",
                "DynamicMessages", "Codecs", "Containers", "Files", "Maps", "Rosbridge", "Probe", "Foxglove",
                "WebSocket", "WebSocketDeflate",
                "Sessions", "Synthetic", "Recording", "Drawing", "Earth", "PointClouds", "TagMaps", "Tags", "Messages",
                "JSONText", "Work",
                "CMalloc", "CProcess", arguments, logging, system,
            ],
            swiftSettings: strict,
            linkerSettings: staticRuntime
        ),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Recording", "Codecs", "Sessions", "PointClouds", "Maps", "Messages", "Bags", "BagConversion",
                "Containers", "WebSocket", "Rosbridge",
                system, nioCore, nioPosix,
            ],
            path: "tools/bench",
            swiftSettings: strict
        ),

        .executableTarget(
            name: "autobahn",
            dependencies: ["Rosbridge", "WebSocket", "WebSocketDeflate", arguments],
            path: "tools/autobahn",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "throughput",
            dependencies: [
                "Replay", "Rosbridge", "Probe", "Messages", "JSONText", "Files", nioCore, nioPosix, arguments, system,
            ],
            path: "tools/throughput",
            swiftSettings: strict
        ),

        .target(
            name: "TestSupport",
            dependencies: ["Recording", "Codecs", "Databases", "JSONText", "Messages", system],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        tests("JSONText", in: "Base"),
        tests("Drawing", in: "Base"),
        tests("Work", in: "Base", ["JSONText"]),
        tests("Files", in: "Base", [system]),
        tests("YAMLText", in: "Base"),
        tests("Databases", in: "Base", [system]),
        tests("Recording", in: "Capture"),
        tests("Codecs", in: "Capture", ["Recording", system]),
        tests("Earth", in: "Capture", ["Recording", "Codecs"]),
        tests(
            "Sessions",
            in: "Capture",
            ["Recording", "Codecs", "Databases", "Earth", "Files", "PointClouds", "Synthetic", system]
        ),
        tests("PointClouds", in: "Capture", ["Recording", "Codecs", "Synthetic"], settings: strict),
        tests("Maps", in: "Capture", ["Recording", "PointClouds", "Synthetic", system], settings: strict),
        tests("Tags", in: "Capture", ["Recording", "Codecs", system], settings: strict),
        tests("TagMaps", in: "Capture", ["Recording", "Earth", "JSONText", "Tags", system]),
        tests("Synthetic", in: "Capture", ["Recording", "Codecs", "Work", "Sessions", "Tags", system]),
        tests("Messages", in: "ROS", ["JSONText", system]),
        tests("DynamicMessages", in: "ROS", ["Messages", "JSONText", system]),
        tests("Containers", in: "ROS", ["Files", system]),
        tests("Bags", in: "ROS", ["Messages", "Containers", "Databases", "DynamicMessages", "JSONText", system]),
        tests(
            "BagConversion",
            in: "ROS",
            ["Bags", "Containers", "Databases", "Messages", "DynamicMessages", "JSONText", system]
        ),
        tests(
            "BagCheck",
            in: "ROS",
            [
                "Bags", "BagConversion", "BagRepair", "Codecs", "Containers", "Databases", "Messages",
                "DynamicMessages",
                system,
            ]
        ),
        tests("BagRepair", in: "ROS", ["BagCheck", "Bags", "Containers", "Databases", "Messages", system]),
        tests("Playback", in: "ROS", ["Messages"]),
        tests("BagPlayback", in: "ROS", ["Bags", "DynamicMessages", "Playback", "Messages", system]),
        tests("WebSocket", in: "Network", ["WebSocketDeflate"]),
        tests("Probe", in: "Network", ["Messages", "Rosbridge", "throughput"]),
        tests(
            "Foxglove",
            in: "Network",
            ["Messages", "Playback", "Rosbridge", "WebSocket", "JSONText", nioCore, nioPosix]
        ),
        tests(
            "Rosbridge",
            in: "Network",
            ["Messages", "JSONText", "WebSocket", "WebSocketDeflate", nioCore, nioPosix]
        ),
        tests(
            "Replay",
            in: "Bridge",
            [
                "Recording", "Codecs", "Earth", "JSONText", "Maps", "Playback", "Sessions", "PointClouds", "Messages",
                "Synthetic", system,
            ]
        ),
        tests(
            "Exports",
            in: "Bridge",
            ["Recording", "PointClouds", "Maps", "Replay", "Sessions", "Synthetic", "JSONText", "Files", system]
        ),
        tests("Batch", in: "Bridge", ["JSONText", "Files", "Messages", system]),
        tests(
            "Trimming",
            in: "Bridge",
            ["Recording", "Codecs", "Files", "Sessions", "Synthetic", system]
        ),
        tests(
            "Arvos",
            in: "Bridge",
            [
                "Recording", "Codecs", "Replay", "Synthetic", "Sessions", "Playback", "Messages", "JSONText",
                "Rosbridge", "WebSocket", nioCore, nioPosix, system,
            ]
        ),
        .testTarget(
            name: "CLITests",
            dependencies: ["TestSupport", system],
            exclude: ["Peers"],
            swiftSettings: unoptimised
        ),
        .testTarget(name: "StyleTests", dependencies: ["TestSupport", system], swiftSettings: unoptimised),
    ],
    swiftLanguageModes: [.v6]
)

// What tools/fuzz builds, with a sanitizer and libFuzzer's own main: no part of an ordinary build.
if Context.environment["MAPEVERYTHING_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Arvos", "BagCheck", "Bags", "Recording", "Codecs", "Containers", "Databases", "DynamicMessages",
                "Files", "Foxglove", "JSONText", "Replay", "Messages", "Rosbridge", "Sessions", "TagMaps",
                "TestSupport",
                "WebSocket",
                "WebSocketDeflate", system,
            ],
            path: "tools/fuzz/Targets",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]
        )
    )
}
