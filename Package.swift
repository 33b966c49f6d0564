// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// The command carries its runtime with it: it starts in a fifth of the time, and runs where no Swift is installed.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release)),
    // What Foundation's static libraries need and do not say (ArgumentParser and Yams bring Foundation in).
    .linkedLibrary("CoreFoundation", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationICU", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationCShims", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(platforms: [.linux], configuration: .release)),
]

/// A library of this package: its folder is Sources/NAME, and nothing of it is public.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of NAME are in Tests/NAMETests.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        swiftSettings: strict
    )
}

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
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
        // System libraries: module maps only.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

        // Below both worlds.
        library("JSONText"),
        library("YAMLText", [yams]),
        library("Files", [system]),

        // The capture world: what a phone recorded. Never mentions ROS.
        library("Capture"),
        library("Codecs", ["Capture", "Files", "CTurboJPEG", "CZlib", system]),
        library("Sessions", ["Capture", "Codecs", "Files", "JSONText", system]),
        library("PointClouds", ["Capture"]),
        library("Synthetic", ["Capture", "Codecs", system]),

        // The ROS world: messages, bags, rosbridge. Never mentions ARKit.
        library("ROS", ["JSONText"]),
        library("DynamicMessages", ["ROS", "JSONText", system]),
        library("Containers", ["Files", "CSQLite", "CZlib", "CZstd", "CLZ4", system]),
        library("Bags", ["ROS", "Containers", "DynamicMessages", "Files", "JSONText", "YAMLText", system, yams]),
        library("BagConversion", ["Bags", "DynamicMessages", "ROS", "JSONText", system]),
        library(
            "BagCheck",
            ["Bags", "Containers", "DynamicMessages", "Files", "ROS", "JSONText", "YAMLText", system, yams]
        ),
        library("BagRepair", ["BagCheck", "Bags", "Containers", "DynamicMessages", "Files", "ROS", system]),
        library("Playback", ["ROS"]),
        library(
            "BagPlayback",
            ["Bags", "BagConversion", "DynamicMessages", "JSONText", "Playback", "ROS", system]
        ),
        library("WebSocket"),
        library("WebSocketDeflate", ["WebSocket", "CZlib"]),
        library(
            "Rosbridge",
            ["ROS", "JSONText", "WebSocket", nioCore, nioPosix, nioSSL, nioTLS]
        ),

        // The one bridge between the two, and the command.
        library(
            "Replay",
            ["Capture", "Codecs", "JSONText", "Sessions", "PointClouds", "Playback", "ROS", "YAMLText", system, yams]
        ),
        .executableTarget(
            name: "mapeverything",
            dependencies: [
                "Replay", "Playback", "BagPlayback", "Bags", "BagConversion", "BagCheck", "BagRepair",
                "DynamicMessages", "Codecs", "Files", "Rosbridge",
                "WebSocket", "WebSocketDeflate",
                "Sessions", "Synthetic", "Capture", "PointClouds", "ROS", "JSONText",
                "CMalloc", arguments, logging, system,
            ],
            swiftSettings: strict,
            linkerSettings: staticRuntime
        ),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Capture", "Codecs", "Sessions", "PointClouds", "ROS", "Bags", "BagConversion", "Containers",
                "WebSocket", "Rosbridge",
                system, nioCore, nioPosix,
            ],
            path: "tools/bench",
            swiftSettings: strict
        ),

        .target(
            name: "TestSupport",
            dependencies: ["Capture", "Codecs", "JSONText", "ROS", system],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        tests("JSONText"),
        tests("YAMLText"),
        tests("Capture"),
        tests("Codecs", ["Capture", system]),
        tests("Sessions", ["Capture", "Codecs", "PointClouds", "Synthetic", system]),
        tests("PointClouds", ["Capture", "Codecs", "Synthetic"]),
        tests("Synthetic", ["Capture", "Codecs", "Sessions", system]),
        tests("ROS", ["JSONText", system]),
        tests("DynamicMessages", ["ROS", "JSONText", system]),
        tests("Containers", ["Files", system]),
        tests("Bags", ["ROS", "Containers", "DynamicMessages", system]),
        tests("BagConversion", ["Bags", "Containers", "ROS", "DynamicMessages", "JSONText", system]),
        tests("BagCheck", ["Bags", "Codecs", "Containers", "ROS", "DynamicMessages", system]),
        tests("BagRepair", ["BagCheck", "Bags", "Containers", "ROS", system]),
        tests("Playback", ["ROS"]),
        tests("BagPlayback", ["Bags", "DynamicMessages", "Playback", "ROS", system]),
        tests("WebSocket", ["WebSocketDeflate"]),
        tests("Rosbridge", ["ROS", "JSONText", "WebSocket", "WebSocketDeflate", nioCore, nioPosix]),
        tests("Replay", ["Capture", "Codecs", "Playback", "Sessions", "PointClouds", "ROS", "Synthetic", system]),
        .testTarget(
            name: "CLITests",
            dependencies: ["TestSupport", system],
            exclude: ["Peers"],
            swiftSettings: strict
        ),
        .testTarget(name: "StyleTests", dependencies: ["TestSupport", system], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// What tools/fuzz builds, with a sanitizer and libFuzzer's own main: no part of an ordinary build.
if Context.environment["MAPEVERYTHING_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "BagCheck", "Bags", "Capture", "Codecs", "Containers", "DynamicMessages", "JSONText", "Replay", "ROS",
                "Rosbridge", "Sessions", "TestSupport", "WebSocket", "WebSocketDeflate", system,
            ],
            path: "tools/fuzz/Targets",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]
        )
    )
}
