import Foundation
import Testing

/// Wrong usage: status 2, before anything is opened or created.
@Suite(.serialized) struct UsageTests {
    /// What the argument parser finds: it has words of its own.
    @Test(arguments: [
        ["nonsense"], ["bag"], ["bag", "S", "-o", "O", "--bogus"],
        ["bag", "S", "-o", "O", "--rate", "2"],
        ["bag", "S", "-o", "O", "--voxel-size", "abc"], ["bag", "S", "-o", "O", "--serialization", "protobuf"],
        ["bag", "S", "-o", "O", "--frames", "foo"], ["bag", "S", "-o", "O", "--outlier", "foo"],
        ["inspect", "S", "--georeference", "near"],
        ["bag", "S", "-o", "O", "--voxel-point", "foo"], ["bag", "S", "-o", "O", "--stamp", "foo"],
        ["bag", "S", "-o", "O", "--calibration", "foo"], ["bag", "S", "-o", "O", "--durability", "foo"],
        ["replay", "S", "--on-full", "foo"],
        ["replay", "S", "--progress", "foo"], ["record"], ["sample"], ["inspect"], ["completions"],
    ])
    func refusesWhatItDoesNotKnow(arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        outcome.expectError(2, isShaped: false)
        #expect(outcome.errors.contains("Usage:"))
    }

    /// A wrong word gets the right one.
    @Test(arguments: [
        (["inspct", "S"], "did you mean inspect?"), (["help", "wrong"], "expected a command"),
        (["tags", "mapp"], "did you mean map?"),
        (["bag", "--topics", "/tf", "/mapping/pose", "S", "-o", "O"], "put the path before it"),
    ])
    func saysWhatWasMeant(arguments: [String], hint: String) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 2 && outcome.errors.contains(hint), "\(outcome)")
    }

    /// A word of an option that is none gets the nearest, and no long list.
    @Test(arguments: [
        (["export", "S", "--to", "Colmapp"], "found Colmapp; did you mean colmap?"),
        (["export", "S", "--to", "shp"], "found shp; take geojson"),
        (["bag", "S", "--storage", "mcab"], "--storage: expected sqlite3 or mcap, found mcab; did you mean mcap?"),
        (["bag", "S", "-s", "DB3"], "-s: expected sqlite3 or mcap, found DB3"),
        (["bag", "S", "--compression", "ZST"], "expected none, lz4 or zstd, found ZST; did you mean zstd?"),
        (
            ["bag", "S", "--ros-distro", "jazy"],
            "`mapeverything bag --help-all` lists, found jazy; did you mean jazzy?"
        ),
        (
            ["bag", "S", "--outlier", "neighbors"],
            "expected neighbours, radius or off, found neighbors; did you mean n"
        ),
        (["sample", "-o", "O", "--walk", "two"], "found two; did you mean two-rooms?"),
        (
            ["sample", "-o", "O", "--format", "transform"],
            "`mapeverything help formats` lists, found transform; did you"
        ),
        (["sample", "-o", "O", "--format", "stray"], "found stray; did you mean stray-scanner?"),
        (["sample", "-o", "O", "--orientation", "Portait"], "found Portait; did you mean portrait?"),
        (["bag", "S", "-o", "O", "--profile", "ful"], "streams or a YAML file, found ful; did you mean full?"),
        (["map", "S", "-o", "x.objj"], "found x.objj; did you mean .obj?"),
        (["map", "S", "-o", "x.nothing"], "`mapeverything help formats` lists, found x.nothing"),
        (["batch", "plan", "S", "-o", "O", "--to", "Reprt"], "found Reprt; did you mean report?"),
    ])
    func saysWhichWordWasMeant(arguments: [String], hint: String) async throws {
        let outcome = try await Command.run(arguments)
        outcome.expectError(2, naming: hint)
        #expect(outcome.errors.split(separator: "\n").count <= 2, "\(outcome)")
    }

    /// Words are taken in capitals or not: what is refused is what comes after them.
    @Test(arguments: [
        ["bag", "S", "-o", "O", "--storage", "MCAP"], ["bag", "S", "-o", "O", "--compression", "Zstd"],
        ["bag", "S", "-o", "O", "--serialization", "Rosbridge-JSON"], ["bag", "S", "-o", "O", "--profile", "Record"],
        ["bag", "S", "-o", "O", "--georeference", "FirstFix"], ["bag", "S", "-o", "O", "--max-hz", "All"],
        ["export", "S", "-o", "O", "--to", "COLMAP"], ["map", "S", "-o", "O.PLY"], ["map", "S", "-o", "O.Obj"],
    ])
    func takesWordsHoweverTheyAreWritten(arguments: [String]) async throws {
        try await Command.run(arguments).expectError(66, naming: "S: expected")
    }

    /// The names by which `list` and `help formats` call the formats are those of the layouts of `sample`, too.
    @Test(arguments: [
        "Stray Scanner", "Record3D", "3D Scanner App", "Polycam", "ARKitScenes", "ios_logger", "transforms.json",
        "ScanPackage", "native", "nerfstudio", "NeRFCapture", "R3D", "stray-scanner",
    ])
    func samplesHaveTheNamesOfTheirFormats(name: String) async throws {
        try await Command.run(["sample", "-o", "O", "--format", name, "--duration", "0"])
            .expectError(2, naming: "--duration: expected")
        let page = try await Command.succeed(["help", "formats"])
        let isPrinted = page.contains(name) || page.contains(name.lowercased())
        #expect(isPrinted || name == "nerfstudio", "\(page)")
    }

    @Test(arguments: [
        ("environment", ["MAPEVERYTHING_URL", "TMPDIR", "COLUMNS", "ONNXRUNTIME_LIBRARY"]),
        ("exit-statuses", ["\n    65  ", "\n    74  ", "\n   130  "]),
        ("formats", ["Stray Scanner", "ARKitScenes", "native", ".mcap", "colmap", "parquet"]),
        ("topics", ["/mapping/pointcloud/lidar", "sensor_msgs/msg/Imu"]),
    ])
    func helpHasPagesOnWhatIsCommonToAll(topic: String, words: [String]) async throws {
        let page = try await Command.succeed(["help", topic])
        for word in words { #expect(page.contains(word), "\(word): \(page)") }
        #expect(page.split(separator: "\n").allSatisfy { topic == "topics" || $0.count <= 100 }, "\(page)")
        let overview = try await Command.succeed(["help"])
        #expect(overview.contains("| \(topic)") || overview.contains("\(topic) |"), "\(overview)")
    }

    @Test("--version --verbose names what is linked, and the packages as Package.swift asks for them")
    func versions() async throws {
        let page = try await Command.succeed(["--version", "--verbose"])
        let short = try await Command.succeed(["--version"])
        #expect(page.hasPrefix("mapeverything \(short)") && short.split(separator: ".").count == 3, "\(page)")
        let manifest = try String(contentsOfFile: Repository.path("Package.swift"), encoding: .utf8)
        let packages = manifest.matches(of: /github\.com\/apple\/([\w-]+)", from: "([\d.]+)"/)
        #expect(packages.count > 3)
        for package in packages {
            let row = page.split(separator: "\n").first { $0.hasPrefix("  \(package.output.1) ") }
            #expect(row?.hasSuffix(" \(package.output.2)") == true, "\(package.output.1): \(page)")
        }
        for library in ["SQLite", "zlib", "libdeflate", "Zstandard", "LZ4", "libyaml"] {
            let row = page.split(separator: "\n").first { $0.hasPrefix("  \(library) ") }
            #expect(row?.firstMatch(of: /\d+\.\d+/) != nil, "\(library): \(page)")
        }
        let glibc = page.split(separator: "\n").first { $0.hasPrefix("  glibc ") }
        let version = try #require(glibc?.firstMatch(of: /2\.(\d+) or newer$/), "\(page)")
        #expect(try #require(Int(version.1)) >= 17, "\(page)")
        // Nothing on PATH: what is missing is said with the command that installs it.
        let bare = try await Binary.run(["--verbose", "--version"], environment: ["PATH": "/nowhere"])
        #expect(bare.output.contains("not found: apt install ffmpeg"), "\(bare)")
    }

    @Test("without --output the result is named after the input, in the current folder; never inside of the input")
    func namesOutputs() async throws {
        let session = try await Samples.plain.value
        let directory = try Scratch()
        let name = URL(fileURLWithPath: session).lastPathComponent
        for (arguments, made) in [
            (["bag", session, "--topics", "mapping/pose"], "\(name)_bag"),
            (["report", session, "--points", "0"], "\(name).html"),
            (["map", session, "--voxel-size", "0.1"], "\(name).ply"),
            (["export", session, "--to", "tum"], "\(name)_tum.txt"),
            (["export", session, "--to", "pcd", "--voxel-size", "0.1"], "\(name).pcd"),
        ] {
            let outcome = try await Binary.run(arguments, in: directory.path)
            #expect(outcome.status == 0 && outcome.errors.hasPrefix("output: \(made)\n"), "\(outcome)")
            #expect(FileManager.default.fileExists(atPath: directory(made)))
            // What is there stays.
            let again = try await Binary.run(arguments, in: directory.path)
            #expect(again.status == 73 && again.errors.contains(made), "\(again)")
        }
        let inside = try await Binary.run(["bag", "."], in: session)
        #expect(inside.status == 73 && inside.errors.contains("outside of the input"), "\(inside)")
        // A bag of a bag's file: the name without its ending.
        try await Command.succeed([
            "bag", session, "-o", directory("one"), "--topics", "mapping/pose", "--storage", "mcap",
        ])
        let file = try #require(
            FileManager.default.contentsOfDirectory(atPath: directory("one")).first { $0.hasSuffix(".mcap") }
        )
        let page = try await Binary.run(["report", "one/" + file], in: directory.path)
        #expect(page.status == 0 && page.errors.hasPrefix("output: \(file.dropLast(5)).html\n"), "\(page)")
    }

    @Test("commands have the names that they have in ros2 bag, too")
    func aliases() async throws {
        let session = try await Samples.plain.value
        #expect(try await Command.succeed(["info", session]) == Command.succeed(["inspect", session]))
        try await Command.succeed(["play", session, "--dry-run", "--topics", "mapping/pose"])
        // Refused before anything is sent, as somebody's own server may run there.
        let local = try await Command.run(["play", session, "--header", "nonsense"])
        #expect(local.status == 2 && local.errors.contains("server: ws://127.0.0.1:9090, as no --url"), "\(local)")
        let wrong = try await Command.run(["pley", session])
        #expect(wrong.status == 2 && wrong.errors.contains("did you mean play?"), "\(wrong)")
    }

    @Test func namesTheRightCommand() async throws {
        let session = try await Samples.plain.value
        let directory = try Scratch()
        try await Command.succeed(["bag", session, "-o", directory("bag"), "--topics", "mapping/pose"])
        let bag = try await Command.run(["bag", directory("bag"), "-o", directory("x")])
        #expect(bag.status == 65 && bag.errors.contains("is a bag"), "\(bag)")
        let convert = try await Command.run(["convert", session, "-o", directory("x")])
        #expect(convert.status == 65 && convert.errors.contains("is a session"), "\(convert)")
        let export = try await Command.run(["export", session, "--format", "tum", "-o", directory("tum")])
        #expect(export.status == 0, "\(export)")
    }

    /// The options that what is published depends on.
    @Test(arguments: [
        ["--min-confidence", "3"], ["--min-depth=-1"], ["--min-depth=nan"], ["--min-depth", "5", "--max-depth", "1"],
        ["--voxel-size=-1"], ["--voxel-size=nan"], ["--outlier-voxel=-1"], ["--outlier-voxel=nan"],
        ["--duration", "0"], ["--duration=nan"], ["--duration=inf"], ["--duration=-1"], ["--start", "100"],
        ["--start", "2", "--end", "1"], ["--start", "frame:99"], ["--start", "1e300"],
        ["--start", "2026-01-02T00:00:00Z"], ["--epoch", "yesterday"], ["--epoch", "2038-06-01T00:00:00Z"],
        ["--epoch", "2026-13-01T00:00:00Z"], ["--timezone", "Nowhere/Land"], ["--timezone", "+99:00"],
        ["--timezone", "--9223372036854775808:00"], ["--timezone", "+01:-30"],
        ["--heading", "361"], ["--heading=nan"],
        ["--geoid", "/nope"], ["--geoid", "/dev/null"],
        ["--regex", "("], ["--exclude-regex", "["], ["--remap", "nonsense"], ["--remap", ":=/x"],
        ["--profile", "nope"], ["--topics", "/nope"], ["--regex", "^/nope$"], ["--exclude-regex", "."],
        ["-j", "0"], ["-j", "257"],
        ["--namespace", "foo bar"], ["--namespace", "1st"], ["--remap", "/mapping/pose:=/foo bar"],
        ["--topics", "/tf", "/mapping/pose", "--remap", "/mapping/pose:=/tf"],
    ])
    func refusesValuesThatCannotBeMeant(options: [String]) async throws {
        let session = try await Samples.plain.value
        let directory = try Scratch()
        let output = directory("bag")
        try await Command.run(["bag", session, "-o", output] + options).expectError(2)
        #expect(!FileManager.default.fileExists(atPath: output))
        try await Command.run(["inspect", session] + options).expectError(2)
    }

    @Test(arguments: [
        ["--max-bag-size", "1000"], ["--chunk-size-mb=nan"], ["--chunk-size-mb=-1"], ["--chunk-size-mb", "64M"],
        ["--chunk-size-mb", "1e3"], ["--chunk-size-mb", "0x10"], ["--chunk-size-mb", "99999999999999999999"],
        ["--chunk-size-mb", "9999999GB"], ["--chunk-size-mb", "MB"], ["--chunk-size-mb", "1.2.3MB"],
        ["--chunk-size-mb", "64 000"], ["--max-bag-size", "64"], ["--chunk-seconds=-1"],
        ["--chunk-seconds=nan"], ["--chunk-seconds=inf"],
    ])
    func refusesBagOptions(options: [String]) async throws {
        let session = try await Samples.plain.value
        let directory = try Scratch()
        let output = directory("bag")
        try await Command.run(["bag", session, "-o", output] + options).expectError(2)
        try await Binary.run(["record", "--port", "0", "-o", output] + options).expectError(2)
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test(arguments: [
        ["--url", "http://localhost"], ["--url", "ws://"], ["--url", "ws://localhost:99999"], ["--url", ""],
        ["--url", "x", "--rate", "fast"], ["--url", "x", "--rate=-1"], ["--url", "x", "--rate=nan"],
        ["--url", "x", "--rate=inf"], ["--url", "x", "--loop=-1"], ["--url", "x", "--clock=0"],
        ["--url", "x", "--clock=nan"], ["--url", "x", "--clock=inf"], ["--url", "x", "--queue-mb=0"],
        ["--url", "x", "--queue-mb=nan"], ["--url", "x", "--window-mb=0"], ["--url", "x", "--max-message-size", "10"],
        ["--url", "x", "--queue-mb=8m"], ["--url", "x", "--window-mb=inf"], ["--url", "x", "--max-message-size", "1k"],
        ["--url", "x", "--header", "nonsense"], ["--url", "x", "--reconnect", "often"],
        ["--url", "x", "--reconnect=inf"], ["--url", "x", "--reconnect=nan"], ["--url", "x", "--settle=-1"],
        ["--url", "x", "--settle=nan"], ["--url", "x", "--settle=inf"], ["--url", "x", "--settle=1e300"],
        ["--url", "x", "--live-window=-1"], ["--url", "x", "--live-window=nan"], ["--url", "x", "--live-window=inf"],
        ["--url", "x", "--ping=-1"], ["--url", "x", "--ping=nan"], ["--url", "x", "--ping=inf"],
        ["--url", "x", "--delay=-1"], ["--url", "x", "--delay=nan"], ["--url", "x", "--delay=inf"],
    ])
    func refusesConnectionOptions(options: [String]) async throws {
        let session = try await Samples.plain.value
        try await Command.run(["replay", session] + options).expectError(2)
    }

    @Test(arguments: [
        ["--fps", "0"], ["--fps=nan"], ["--fps=1e9"], ["--duration=0"], ["--duration=-1"], ["--duration=nan"],
        ["--size", "4x4"], ["--size", "1920"], ["--size", "99999x99999"], ["--orientation", "up"], ["--imu-rate=-1"],
        ["--imu-rate=nan"], ["--imu-rate=1e9"], ["--images", "0"], ["--images=-1"], ["--jpeg-quality", "0"],
        ["--jpeg-quality", "101"], ["-j", "0"], ["-j", "257"],
    ])
    func refusesSampleOptions(options: [String]) async throws {
        let directory = try Scratch()
        let output = directory("session")
        try await Command.run(["sample", "-o", output] + options).expectError(2, naming: String(options[0].prefix(4)))
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test(arguments: [
        ["completions", "tcsh"], ["topics", "--msg", "foo/Bar"], ["record", "-o", "O", "--port=-1"],
        ["record", "-o", "O", "--port=65536"], ["record", "-o", "O", "--max-message-size", "2GB"],
        ["record", "-o", "O", "--port", "0", "--msg-path", "/nowhere"], ["topics", "--msg", "std_msgs/String/x/y"],
    ])
    func refusesOtherValues(arguments: [String]) async throws {
        try await Command.run(arguments).expectError(2)
    }

    @Test("an address that there is not is told in words of ours")
    func noSuchAddress() async throws {
        let directory = try Scratch()
        let outcome = try await Binary.run(["record", "-o", directory("bag"), "--address", "300.0.0.1"])
        outcome.expectError(69, naming: "300.0.0.1")
        #expect(
            !outcome.errors.contains("SocketAddress") && outcome.errors.contains("no such name or address"),
            "\(outcome)"
        )
    }

    @Test(
        "lengths and places in time are read as people write them, by every option in seconds",
        arguments: [
            ("3", 3.0), ("0.5", 0.5), ("2s", 2), ("1500ms", 1.5), ("0:02", 2), ("0:01.5", 1.5), ("0.05min", 3),
            ("0:00:02", 2),
        ]
    )
    func times(text: String, seconds: Double) async throws {
        struct Inspected: Decodable {
            struct Topic: Decodable {
                var name: String
                var count: Int
            }
            var topics: [Topic]
        }
        let session = try await Samples.plain.value
        func poses(_ options: [String]) async throws -> Int {
            let found: Inspected = try await Command.json(["inspect", session, "--json", "--exact"] + options)
            return found.topics.first { $0.name == "/mapping/pose" }?.count ?? 0
        }
        // Ten frames a second, four seconds.
        #expect(try await poses(["--start", text]) == 40 - Int(seconds * 10))
        #expect(try await poses(["--start=\(text)"]) == 40 - Int(seconds * 10))
        let cut = try await poses(["--duration", text])
        #expect(abs(cut - Int(seconds * 10)) <= 1)
        // One whose seconds are checked before anything else is.
        let outcome = try await Command.run(["replay", session, "--dry-run", "--skip-gaps", text])
        #expect(outcome.status == 0, "\(outcome.everything)")
    }

    @Test(
        "what is no time is said to be none",
        arguments: [
            "3x", "1:2", "0:61", ":30", "s", "1:00:00:00", "0x3s", "3 s", "-3s", "infs", "yesterday", "frame:-1", "nan",
            "9999-12-31T23:59:59Z",
        ]
    )
    func noTimes(text: String) async throws {
        let session = try await Samples.plain.value
        let outcome = try await Command.run(["inspect", session, "--start=\(text)"])
        outcome.expectError(2, naming: "--start: expected a time from 0 s", "frame:N", "RFC 3339", "found \(text)")
    }

    @Test(
        "a number below 0 is a value: its error says what is expected",
        arguments: [
            (["bag", "S", "--max-hz", "-1"], "--max-hz: expected a number above 0 (0.001 to 10000, or all), found -1"),
            (["map", "S", "--voxel-size", "-1"], "--voxel-size: expected"),
            (["inspect", "S", "--duration", "-2.5"], "--duration: expected a time above 0 s, such as"),
            (["serve", "S", "--ping", "-3"], "--ping: expected"),
        ]
    )
    func negativeNumbers(arguments: [String], words: String) async throws {
        let session = try await Samples.plain.value
        let outcome = try await Command.run(arguments.map { $0 == "S" ? session : $0 })
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.everything)")
    }

    @Test("--dense alone is the standard size, and takes no path")
    func denseAlone() async throws {
        struct Inspected: Decodable {
            struct Topic: Decodable { var name: String }
            var topics: [Topic]
        }
        let session = try await Samples.plain.value
        for words in [
            ["--dense", session], [session, "--dense"], [session, "--dense", "64x48"], [session, "--dense=64"],
        ] {
            let found: Inspected = try await Command.json(["inspect", "--json"] + words)
            #expect(found.topics.contains { $0.name == "/mapping/depth_dense/image_raw" }, "\(words)")
        }
        let off: Inspected = try await Command.json(["inspect", "--json", session, "--dense", "off"])
        #expect(!off.topics.contains { $0.name.contains("dense") })
    }
}
