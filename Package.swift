// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    // A section for each function: the linker drops those that nothing calls. Lines are what a backtrace needs of debug information.
    .unsafeFlags(
        ["-Xfrontend", "-function-sections", "-gline-tables-only"],
        .when(platforms: [.linux], configuration: .release)
    ),
]

// Tests of the release build: what they test is optimised, they themselves need not be, and compile in half the time.
let unoptimised = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

// The command carries its runtime with it: it starts in a fifth of the time, and runs where no Swift is installed.
let staticRuntime: [LinkerSetting] = [
    // The linker that comes with Swift folds functions that are equal and have no address of their own; nothing looks for symbols
    // in the program.
    .unsafeFlags(
        ["-static-stdlib", "-use-ld=lld"] + ["--no-export-dynamic", "--icf=safe", "-O2"].flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release)
    ),
    // What the static library of FoundationEssentials needs and does not say (ArgumentParser brings it in).
    .linkedLibrary("_FoundationCShims", .when(platforms: [.linux], configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(platforms: [.linux], configuration: .release)),
]

/// A library of this package: its folder is Sources/GROUP/NAME, and nothing of it is public.
func library(
    _ name: String,
    in group: String,
    _ dependencies: [Target.Dependency] = [],
    builtIn resources: String...
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/\(group)/\(name)",
        exclude: ["README.md"],
        resources: resources.map { .embedInCode($0) },
        swiftSettings: strict
    )
}

/// The tests in Tests/GROUP/NAMETests, of the library NAME or another; those that compute a lot themselves are optimised too.
func tests(
    _ name: String,
    of library: String? = nil,
    in group: String,
    _ dependencies: [Target.Dependency] = [],
    settings: [SwiftSetting] = unoptimised
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: library ?? name), "TestSupport"] + dependencies,
        path: "Tests/\(group)/\(name)Tests",
        swiftSettings: settings
    )
}

/// The module map of a system library, of which apt has the package.
func systemLibrary(_ name: String, pkgConfig: String, apt package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")

let package = Package(
    name: "mapeverything",
    products: [.executable(name: "mapeverything", targets: ["EntryPoint"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // Module maps of system libraries.
        .systemLibrary(name: "CCycloneDDS", path: "Sources/System/CCycloneDDS"),
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
        .systemLibrary(name: "COnnxRuntime", path: "Sources/System/COnnxRuntime"),
        .systemLibrary(name: "CProcess", path: "Sources/System/CProcess"),
        systemLibrary("CAprilTag", pkgConfig: "apriltag", apt: "libapriltag-dev"),
        systemLibrary("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev"),
        systemLibrary("CLZ4", pkgConfig: "liblz4", apt: "liblz4-dev"),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        systemLibrary("CTurboJPEG", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev"),
        systemLibrary("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        systemLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),

        // Below both worlds.
        // Text: JSON and YAML read and written, and what pages are made of; it knows no files.
        library("Text", in: "Base", ["CYAML"], builtIn: "Pages"),
        // Platform: files, databases, processes, clocks and workers for all others, which call the system only where this does
        // not reach; and numbers.
        library("Platform", in: "Base", ["Text", "CDeflate", "CSQLite", "CZlib", system]),

        // The capture world: what a phone recorded. Never mentions ROS.
        // Recording: the values of a recording and their lines in the native layout; it opens no file.
        library("Recording", in: "Capture", ["Platform", "Text"]),
        // Codecs: pictures and archives as bytes; it knows no recording format.
        library("Codecs", in: "Capture", ["Platform", "Recording", "CTurboJPEG", "CZlib", system]),
        // Perception: what one or two frames show, points and tags; it knows no session.
        library("Perception", in: "Capture", ["Platform", "Recording", "CAprilTag", "COnnxRuntime"]),
        // Sessions: recordings of every format are opened, walked, placed on the Earth, checked and mended here alone.
        library("Sessions", in: "Capture", ["Codecs", "Perception", "Platform", "Recording", "Text", system]),
        // CFusion: the innermost loop of a map, once for every processor and once for those with wide lanes; it knows no Swift.
        .target(name: "CFusion", path: "Sources/Capture/CFusion"),
        // Maps: many frames become one map, of surfaces and of tags.
        library(
            "Maps",
            in: "Capture",
            ["CFusion", "Codecs", "Perception", "Platform", "Recording", "Sessions", "Text"]
        ),
        // Synthetic: rooms are rendered in the layout of each format, by code that no reader shares.
        library("Synthetic", in: "Capture", ["Codecs", "Perception", "Platform", "Recording", system]),

        // The ROS world: messages, bags, what plays. Never mentions ARKit.
        // Messages: types that are known here or only at run time, in CDR and JSON; no file, no socket.
        library(
            "Messages",
            in: "ROS",
            ["Text", system],
            builtIn: "DynamicMessages/Definitions/CommonDefinitions.txt"
        ),
        // Bags: the bytes of .mcap and .db3 are written and read here alone.
        library("Bags", in: "ROS", ["Messages", "Platform", "Text", "CZstd", "CLZ4", system]),
        // BagTools: whole bags are converted, checked and repaired.
        library("BagTools", in: "ROS", ["Bags", "Messages", "Platform", "Text", system]),
        // Playback: the one place that paces, seeks and loops; it shifts stamps, and knows no session.
        library("Playback", in: "ROS", ["Bags", "Messages", "Platform", system]),

        // Wires.
        // WebSocket: RFC 6455 and 7692 as state machines; bytes in, events and bytes out, no socket.
        library("WebSocket", in: "Network", ["CZlib"]),
        // Rosbridge: connections over NIO, the server that all protocols share, rosbridge and its publisher.
        library(
            "Rosbridge",
            in: "Network",
            ["Messages", "Platform", "Text", "WebSocket", nioCore, nioPosix, nioSSL, nioTLS]
        ),
        // Foxglove: Foxglove's protocol and the live page.
        library(
            "Foxglove",
            in: "Network",
            ["Messages", "Playback", "Rosbridge", "Text", "WebSocket", nioCore, nioPosix]
        ),

        // DDS: ROS 2 without a bridge and without ROS; Cyclone DDS is found at run time.
        library("DDS", in: "Network", ["CCycloneDDS", "Messages", "Platform"]),

        // The bridge between the two, and the command.
        // Translation: recordings become ROS messages, and bags recordings: topics and rates, axes and frame names, units, Unix time.
        library(
            "Translation",
            in: "Bridge",
            [
                "Bags", "Codecs", "Maps", "Messages", "Perception", "Platform", "Playback", "Recording", "Sessions",
                "Text", system,
            ]
        ),
        // HTMLReports: a recording or a bag as one page, and the drawing of its parts.
        library(
            "HTMLReports",
            in: "Bridge",
            ["Codecs", "Messages", "Perception", "Platform", "Recording", "Translation", "Sessions", "Text"]
        ),
        // Exports: a recording or a bag as the files of other tools, or as a session of the native layout; and one thing done to many.
        library(
            "Exports",
            in: "Bridge",
            [
                "Bags", "Codecs", "HTMLReports", "Maps", "Messages", "Perception", "Platform", "Playback", "Recording",
                "Translation", "Sessions", "Text", system,
            ]
        ),
        // Arvos: the stream of the Arvos app, sent and received.
        library(
            "Arvos",
            in: "Bridge",
            [
                "Bags", "Codecs", "Messages", "Playback", "Recording", "Translation", "Rosbridge", "Text", "WebSocket",
                nioCore, nioPosix, nioHTTP,
            ]
        ),
        // The command; what it is linked to is a target of its own, so that tests can run command lines without a process.
        .target(
            name: "mapeverything",
            dependencies: [
                "Platform", "Translation", "Exports", "HTMLReports", "Arvos", "DDS", "Playback", "Bags", "BagTools",
                "Messages", "Codecs", "Maps", "Rosbridge", "Foxglove", "WebSocket", "Sessions", "Synthetic",
                "Recording", "Text", "Perception", "CMalloc", "COnnxRuntime", "CProcess", "CDeflate", "CLZ4",
                "CSQLite",
                "CTurboJPEG", "CYAML",
                "CZlib", "CZstd", arguments, system,
            ],
            exclude: ["EntryPoint"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "EntryPoint",
            dependencies: ["mapeverything"],
            path: "Sources/mapeverything/EntryPoint",
            swiftSettings: strict,
            linkerSettings: staticRuntime
        ),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Recording", "Codecs", "Sessions", "Perception", "Maps", "Messages", "Bags", "BagTools", "WebSocket",
                "Rosbridge", system, nioCore, nioPosix,
            ],
            path: "tools/bench",
            exclude: ["README.md"],
            swiftSettings: strict
        ),

        .executableTarget(
            name: "autobahn",
            dependencies: ["Rosbridge", "WebSocket", arguments],
            path: "tools/autobahn",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "throughput",
            dependencies: [
                "Translation", "Rosbridge", "WebSocket", "Messages", "Text", "Platform", nioCore, nioPosix, arguments,
                system,
            ],
            path: "tools/throughput",
            swiftSettings: strict
        ),

        .target(
            name: "TestSupport",
            dependencies: ["Recording", "Codecs", "Platform", "Text", "Messages", "Synthetic", system],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        tests("JSONText", of: "Text", in: "Base"),
        tests("Numbers", of: "Platform", in: "Base"),
        tests("Drawing", of: "HTMLReports", in: "Bridge"),
        tests("Work", of: "Platform", in: "Base", ["Text"]),
        tests("Files", of: "Platform", in: "Base", [system]),
        tests("YAMLText", of: "Text", in: "Base"),
        tests("Databases", of: "Platform", in: "Base", [system]),
        tests("Recording", in: "Capture"),
        tests("Codecs", in: "Capture", ["Recording", system]),
        tests("Earth", of: "Sessions", in: "Capture", ["Recording", "Codecs"]),
        tests(
            "Sessions",
            in: "Capture",
            ["Recording", "Codecs", "Platform", "Perception", "Synthetic", system]
        ),
        tests("PointClouds", of: "Perception", in: "Capture", ["Recording", "Codecs", "Synthetic"], settings: strict),
        tests(
            "Maps",
            in: "Capture",
            ["CFusion", "Platform", "Recording", "Perception", "Synthetic", system],
            settings: strict
        ),
        tests(
            "Refinement",
            of: "Maps",
            in: "Capture",
            ["Recording", "Sessions", "Perception", "Synthetic", system],
            settings: strict
        ),
        tests("DepthModel", of: "Perception", in: "Capture", ["Recording", system], settings: strict),
        tests("Tags", of: "Perception", in: "Capture", ["Recording", "Codecs", system], settings: strict),
        tests("TagMaps", of: "Maps", in: "Capture", ["Recording", "Sessions", "Text", "Perception", system]),
        tests("Synthetic", in: "Capture", ["Recording", "Codecs", "Platform", "Sessions", "Perception", system]),
        tests("Messages", in: "ROS", ["Text", system]),
        tests("DynamicMessages", of: "Messages", in: "ROS", ["Text", system]),
        tests("Containers", of: "Bags", in: "ROS", ["Platform", system]),
        tests("Bags", in: "ROS", ["Messages", "Platform", "Text", system]),
        tests(
            "BagConversion",
            of: "BagTools",
            in: "ROS",
            ["Bags", "Platform", "Messages", "Text", system]
        ),
        tests(
            "BagCheck",
            of: "BagTools",
            in: "ROS",
            // Advice is followed by typing it.
            ["Bags", "Codecs", "Platform", "Messages", "mapeverything", system]
        ),
        tests("BagRepair", of: "BagTools", in: "ROS", ["Bags", "Platform", "Messages", system]),
        tests("Playback", in: "ROS", ["Messages"]),
        tests("BagPlayback", of: "Playback", in: "ROS", ["Bags", "Messages", "Platform", system]),
        tests("WebSocket", in: "Network"),
        tests("Throughput", of: "throughput", in: "Network", ["Messages"]),
        tests("DDS", in: "Network", ["Messages"]),
        tests(
            "Foxglove",
            in: "Network",
            ["Messages", "Playback", "Rosbridge", "WebSocket", "Text", nioCore, nioPosix]
        ),
        tests(
            "Rosbridge",
            in: "Network",
            ["Messages", "Text", "WebSocket", nioCore, nioPosix]
        ),
        tests(
            "Translation",
            in: "Bridge",
            [
                "Bags", "Recording", "Codecs", "Sessions", "Text", "Maps", "Playback", "Perception", "Messages",
                "Platform", "Synthetic", system,
            ]
        ),
        tests(
            "Exports",
            in: "Bridge",
            [
                "Recording", "Perception", "Maps", "Messages", "Translation", "Sessions", "Synthetic", "Text",
                "Platform", system,
            ]
        ),
        tests("HTMLReports", in: "Bridge", ["Text", "Messages", "Platform", "Sessions"]),
        tests(
            "Batch",
            of: "Exports",
            in: "Bridge",
            ["Text", "Platform", "Messages", "Translation", "HTMLReports", "Sessions", system]
        ),
        tests(
            "Trimming",
            of: "Exports",
            in: "Bridge",
            ["Recording", "Codecs", "Platform", "Sessions", "Synthetic", system]
        ),
        tests(
            "Arvos",
            in: "Bridge",
            [
                "Recording", "Codecs", "Translation", "Synthetic", "Sessions", "Playback", "Messages", "Text",
                "Rosbridge", "WebSocket", nioCore, nioPosix, system,
            ]
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: ["mapeverything", "TestSupport", "Text", system],
            swiftSettings: unoptimised
        ),
        .testTarget(
            name: "CLITests",
            dependencies: ["mapeverything", "Exports", "Sessions", "Synthetic", "TestSupport", system],
            exclude: ["Peers"],
            swiftSettings: unoptimised
        ),
        // What is fuzzed: with a sanitizer by tools/fuzz, without one by its tests.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Arvos", "BagTools", "Bags", "Recording", "Codecs", "DDS", "Platform", "Messages", "Foxglove", "Text",
                "Exports", "Translation", "Rosbridge", "Sessions", "Maps", "TestSupport", "WebSocket", system,
            ],
            path: "tools/fuzz/Targets",
            swiftSettings: Context.environment["MAPEVERYTHING_FUZZ"] == nil ? unoptimised : strict
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["FuzzTargets", "TestSupport", system],
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
            dependencies: ["FuzzTargets", system],
            path: "tools/fuzz/EntryPoint",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]
        )
    )
}

// What tools/check and tools/coverage build of some libraries: their tests, and only what these need.
if let names = Context.environment["MAPEVERYTHING_TESTS"] {
    let byName = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var waiting = names.split(separator: ",").compactMap { byName["\($0)Tests"] }
    var needed: Set<String> = []
    while let target = waiting.popLast() {
        guard needed.insert(target.name).inserted else { continue }
        for case .byNameItem(let name, _) in target.dependencies { waiting += [byName[name]].compactMap(\.self) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
