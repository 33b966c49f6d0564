import Recording
import Sessions
import SystemPackage
import TestSupport

extension FuzzTarget {
    static let frames = sessionFile("frames.jsonl", loadsImage: true, loadsDepth: true)
    static let motionSamples = sessionFile("imu.jsonl")
    static let motionTable = sessionFile("imu.csv")
    static let locations = sessionFile("gps.jsonl")
    static let headings = sessionFile("heading.jsonl")
    static let radioObservations = sessionFile("radio.jsonl")
    static let indoorPositions = sessionFile("indoor.jsonl")
    static let sessionMetadata = sessionFile("metadata.json")
    static let tileManifest = sessionFile("tiles/manifest.json")
    static let mbtiles = sessionFile("tiles/map.mbtiles")
    static let depth = sessionFile("depth/000000.bin", loadsDepth: true)

    /// One file of a session whose other files are sound: opened and walked through.
    ///
    /// - Parameters:
    ///   - loadsImage: The first frame's image is loaded too, where the file bears on it.
    ///   - loadsDepth: The same for depth.
    private static func sessionFile(
        _ file: String,
        loadsImage: Bool = false,
        loadsDepth: Bool = false
    ) -> FuzzTarget {
        let name = file.split(separator: "/").last.map { String($0) } ?? file
        let session = FuzzSession(for: file)
        return FuzzTarget(
            name: "session-" + name.replacing(".", with: "-"),
            seeds: { session.seeds },
            dictionary: dictionary,
            maximumBytes: session.maximumBytes,
            run: { input in
                guard let opened = session.open(with: Array(input)) else { return }
                walk(opened, loadsImage: loadsImage, loadsDepth: loadsDepth)
                if session.hasTiles { lookAtTiles(opened) }
                // Only the list of frames says what is an orphan.
                if file == "frames.jsonl" { _ = opened.orphans() }
            }
        )
    }

    private static let dictionary =
        [
            "timestamp", "frame_index", "camera_transform", "camera_intrinsics", "camera_resolution",
            "tracking_state", "device_orientation", "has_image", "has_depth", "depth_resolution",
            "relative_depth_resolution", "imu_timestamp", "user_acceleration", "rotation_rate", "gravity",
            "attitude_quaternion", "magnetic_field", "latitude", "longitude", "altitude", "unix_time", "layers",
            "min_zoom", "world_alignment", "start_time", "true_heading", "channel_id", "observation_kind", "tags",
            "metadata_json", "floor_level", "registration_quality",
        ].map { "\"\($0)\":" }
        + [
            "\n", "[]", "{}", "null", "true", "-1", "1e999", "9223372036854775807", "0.1", "\"portrait\"", "\u{FEFF}",
            ",",
        ]

    private static func walk(_ session: any Session, loadsImage: Bool, loadsDepth: Bool) {
        let summary = session.summary
        require(summary.firstTime <= summary.lastTime, "a session that ends before it begins")
        guard let cursor = try? session.records(RecordRequest()) else { return }
        let loader = session.makeLoader()
        var diagnostics = Diagnostics()
        var last = Timestamp(nanoseconds: .min)
        var isLoaded = !loadsImage && !loadsDepth
        while let record = try? cursor.next() {
            require(record.time >= last, "records out of order")
            last = record.time
            guard case .frame(let frame) = record, !isLoaded else { continue }
            isLoaded = true
            if loadsImage, let image = loader.image(of: frame, &diagnostics) {
                _ = loader.decode(image, of: frame, fullSize: false, &diagnostics)
            }
            guard loadsDepth else { continue }
            if let map = loader.depth(of: frame, &diagnostics) {
                require(map.metres.count == map.width * map.height, "a depth map of another size")
            }
            _ = loader.relativeDepth(of: frame, &diagnostics)
        }
    }

    private static func lookAtTiles(_ session: any Session) {
        var diagnostics = Diagnostics()
        for kind in TileKind.allCases {
            _ = session.tiles.tile(
                kind,
                latitudeDegrees: SessionBuilder.latitudeDegrees,
                longitudeDegrees: SessionBuilder.longitudeDegrees,
                &diagnostics
            )
        }
    }
}

/// A sound session, of which a target replaces one file; it has what that file needs and nothing else.
private struct FuzzSession: Sendable {
    let seeds: [[UInt8]]
    let hasTiles: Bool
    private let file: String
    private let sound: MemoryFiles
    /// Where a database is, which needs a path.
    private static let database = FuzzFile("map.mbtiles", in: FuzzFolder("session"))

    /// - Parameter file: an IMU table is part of the oldest layout, all else of the newest.
    init(for file: String) {
        let isOld = file.hasSuffix(".csv")
        let frameCount = file == "frames.jsonl" ? 2 : 1
        let made = try? SessionBuilder(frameCount: frameCount, generation: isOld ? .zero : .two)
        guard var builder = made else { preconditionFailure("a session that cannot be made") }
        let observations = ["heading.jsonl", "radio.jsonl", "indoor.jsonl"]
        // What no question about the file needs is not read for each input.
        if !["frames.jsonl", "imu.jsonl", "imu.csv"].contains(file) {
            for key in builder.lines[0].keys where !Self.neededKeys.contains(key) { builder.lines[0][key] = nil }
        }
        if observations.contains(file) || file.hasPrefix("tiles") { builder.metadata = nil }
        switch file {
        case "gps.jsonl": builder.addLocations(count: 3)
        case "heading.jsonl", "radio.jsonl", "indoor.jsonl":
            builder.addObservations()
            for other in observations where other != file { builder.files[other] = nil }
        case "imu.csv": builder.files[file] = Array(SessionBuilder.motionTable(sampleCount: 3).utf8)
        case "imu.jsonl": builder.files[file] = Self.samples
        case "tiles/manifest.json":
            builder.addTiles([SessionBuilder.tileLayer(.elevation), SessionBuilder.tileLayer(.satelliteImagery)])
        case "tiles/map.mbtiles": builder.files[file] = Self.tiles
        default: break
        }
        self.file = file
        hasTiles = file.hasPrefix("tiles")
        let contents = builder.contents
        sound = MemoryFiles(files: contents)
        let bytes = contents[file] ?? []
        seeds = [bytes, Array(bytes.prefix(bytes.count / 2)), []]
    }

    /// Twice what a seed has, so that lines can come again.
    var maximumBytes: Int { max(1024, 2 * (seeds.first?.count ?? 0)) }

    /// The session with the file as it is given; nil where it is refused, which is never for being something else.
    func open(with bytes: [UInt8]) -> (any Session)? {
        do {
            var files = sound.replacing(file, by: bytes)
            if file.hasSuffix(".mbtiles") {
                Self.database.write(bytes)
                files.database = Self.database.path
            }
            return try SessionFormats.open(files)
        } catch SessionError.notASession(_, let found) {
            require(false, "a folder with frames.jsonl is taken for \(found)")
        } catch {
            // Refused with words.
            require(!"\(error)".isEmpty, "an error without words")
        }
        return nil
    }

    private static let neededKeys: Set = [
        "frame_index", "timestamp", "camera_transform", "camera_intrinsics", "camera_resolution", "tracking_state",
        "has_depth", "depth_resolution", "device_orientation",
    ]

    private static var samples: [UInt8] {
        let sample =
            #"{"timestamp":1000.1,"user_acceleration":[0.01,0.02,0.03],"rotation_rate":[0.1,0.2,0.3],"#
            + #""gravity":[0,-1,0],"attitude_quaternion":[0,0,0,1],"magnetic_field":[1,2,3]}"# + "\n"
        return Array((sample + sample.replacing("1000.1", with: "1000.2")).utf8)
    }

    /// With the smallest pages, so that all of them are in an input.
    private static var tiles: [UInt8] {
        var tiles = HandmadeMBTiles(["format": "png", "encoding": "terrarium", "minzoom": "11"])
        tiles.schema = "PRAGMA page_size = 512; " + tiles.schema
        tiles.addDenver([0x89])
        guard let bytes = try? tiles.bytes() else { preconditionFailure("MBTiles that cannot be made") }
        return bytes
    }
}
