import Foundation

/// A small bag of a synthetic session in a form, and its conversions.
enum SampleBags {
    /// Latched ones, diagnostics, transforms, images, clouds, and types of our own.
    static let topics = [
        "/tf", "/tf_static", "/mapping/session", "/mapping/status", "/mapping/pose", "/mapping/camera/camera_info",
        "/mapping/camera/image/compressed", "/mapping/gps/metadata", "/mapping/pointcloud/lidar",
    ]
    static let count = 55

    /// Writes the first second and a half of the full sample.
    static func write(_ bag: String, _ options: [String] = []) async throws {
        let selection = ["--profile", "full", "--duration", "1.5", "--topics"] + topics
        try await Binary.succeed(
            ["bag", try await Samples.full.value, "-o", bag, "--profile", "record"] + selection + options
        )
    }

    @discardableResult
    static func convert(_ bags: [String], to output: String, _ options: [String] = []) async throws -> String {
        try await Command.succeed(["convert"] + bags + ["-o", output] + options)
    }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// The storage files of a bag.
    static func files(_ bag: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bag).filter { $0 != "metadata.yaml" }.sorted()
            .map { "\(bag)/\($0)" }
    }
}

/// What `convert --json` says.
struct ConversionResult: Decodable {
    struct Topic: Decodable {
        var name: String
        var type: String
        var read: Int
        var written: Int
        var broken: Int
    }

    struct Broken: Decodable {
        var topic: String
        var stamp_ns: Int64
        var reason: String
    }

    struct UnknownKey: Decodable {
        var topic: String
        var key: String
        var count: Int
    }

    struct LeftOut: Decodable {
        var name: String
        var reason: String
        var has_messages: Bool
    }

    var input_messages: Int
    var filtered: Int
    var missing: Int
    var damage: [String]
    var read: Int
    var written: Int
    var broken: Int
    var carried_latched: Int
    var topics: [Topic]
    var broken_messages: [Broken]
    var unknown_keys: [UnknownKey]
    var left_out: [LeftOut]
    var warnings: [String]

    init(_ outcome: Outcome) throws {
        self = try JSONDecoder().decode(ConversionResult.self, from: Data(outcome.output.utf8))
    }
}
