import Foundation
import Testing

/// Bags of synthetic sessions of every kind, in every form.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct BagTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    struct Kind: Sendable, CustomTestStringConvertible {
        var sample: [String]
        var bag: [String] = []
        /// Largest median distance of the clouds of neighbouring frames.
        var centimetres = 2.0
        var testDescription: String { (sample + bag).joined(separator: " ") }
    }

    static let kinds = [
        Kind(sample: ["--orientation", "portrait", "--noise"]),
        Kind(sample: ["--orientation", "portraitUpsideDown", "--gps"], bag: ["--serialization", "rosbridge_json"]),
        Kind(sample: ["--orientation", "landscapeLeft", "--imu-rate", "0"], bag: ["--chunk-size-mb", "0.2"]),
        Kind(sample: ["--orientation", "landscapeRight"], bag: ["--durability", "resilient", "--chunk-seconds", "1"]),
        Kind(
            sample: ["--orientation", "mixed", "--noise"],
            bag: ["--outlier", "radius", "--voxel-point", "centroid"]
        ),
        Kind(sample: ["--orientation", "none"], bag: ["--frames", "app"]),
        Kind(sample: ["--relative-depth", "--gps"], bag: ["--profile", "app"], centimetres: 5),
        Kind(sample: ["--everything"], bag: ["--profile", "full"]),
    ]

    @Test(arguments: kinds)
    func everyKindConforms(kind: Kind) async throws {
        let session = folder("session"), bag = folder("bag")
        let shape = ["--duration", "2", "--fps", "10", "--size", "480x360"]
        try await Binary.succeed(["sample", "-o", session] + shape + kind.sample)
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record", "--voxel-size", "0.02"] + kind.bag)
        try await Conformance.check(bag, counts: ["/mapping/pointcloud/lidar": 10])
        guard !kind.bag.contains("rosbridge_json") else { return }
        let overlap = try await Conformance.overlap(bag)
        // The room is exact and its light does not move: only noise, the grids and the image's own pixels are left.
        // The app takes every fourth pixel.
        #expect(overlap.centimetres > 0 && overlap.centimetres < kind.centimetres)
        #expect(overlap.colour >= 0 && overlap.colour < 10)
    }

    @Test func sessionsWithoutLidarHaveTheRest() async throws {
        let session = folder("session"), bag = folder("bag")
        let shape = ["--duration", "1", "--fps", "10", "--size", "480x360"]
        try await Binary.succeed(["sample", "-o", session, "--no-lidar", "--relative-depth"] + shape)
        let output = try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record"])
        #expect(output.contains("/mapping/pointcloud/lidar"))
        let listing = try await BagListing.of(bag)
        #expect(listing.count("/mapping/pose") == 10 && listing.count("/mapping/pointcloud/lidar") == 0)
        try await Conformance.check(bag)
    }

    /// Of the catalogue all but the clock, which is for a replay, the tags, which are asked for by name, and what only refined
    /// poses have.
    @Test func everythingHasEveryTopic() async throws {
        struct Topic: Decodable { let name: String }
        let session = folder("session"), bag = folder("bag")
        let shape = ["--duration", "2", "--fps", "10", "--size", "480x360"]
        try await Binary.succeed(["sample", "-o", session, "--everything"] + shape)
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "full", "--dense", "320"])
        let catalogue: [Topic] = try await Binary.json(["topics", "--json"])
        let listing = try await BagListing.of(bag)
        let absent = catalogue.map(\.name).filter { listing.count($0) == 0 }
        #expect(Set(absent) == ["/clock", "/mapping/tags", "/mapping/pose_with_covariance"])
        #expect(listing.count("/mapping/session") == 2 && listing.count("/mapping/indoor_localization") >= 2)
        let check: SessionFindings = try await Binary.json(["check", session, "--json"])
        #expect(check.findings.map(\.kind).isEmpty)
    }

    private struct SessionFindings: Decodable {
        struct Finding: Decodable { let kind: String }
        let findings: [Finding]
    }

    @Test(arguments: [["--chunk-seconds", "1"], ["--chunk-size-mb", "0.3"]])
    func chunksFollowOneAnother(rotation: [String]) async throws {
        let session = try await Samples.full.value
        let bag = folder("bag"), whole = folder("whole")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "full"] + rotation)
        try await Binary.succeed(["bag", session, "-o", whole, "--profile", "full"])
        let chunks = try await BagListing.of(bag), single = try await BagListing.of(whole)
        #expect(chunks.unrepeated == single.unrepeated)
        // The map is repeated with each chunk, with a stamp of its own.
        let (maps, map) = (try #require(chunks.repeated["/map"]), try #require(single.repeated["/map"]))
        #expect(maps.first == map.first && maps.last == map.last && map.count > 1)
        let files = Dictionary(grouping: chunks.rows, by: \.file)
        #expect(files.count > 3)
        #expect(Set(single.rows.map(\.file)) == ["whole_0.db3"])
        var end = Int64.min
        for index in 0..<files.count {
            let rows = try #require(files["bag_\(index).db3"])
            #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.time <= $1.time })
            // Each chunk plays alone: what is latched comes first, and no chunk begins before the last one ended.
            let latched: Set<String> = ["/tf_static", "/mapping/session", "/map"]
            let first = Set(rows.prefix { latched.contains($0.topic) }.map(\.topic))
            #expect(first.isSuperset(of: ["/tf_static", "/mapping/session"]), "\(first)")
            #expect(rows[0].time >= end)
            end = try #require(rows.last).time
        }
    }

    @Test func compressedDepthIsWhatImageTransportReads() async throws {
        let bag = folder("bag")
        try await Binary.succeed(["bag", try await Samples.full.value, "-o", bag, "--profile", "full"])
        struct Verdict: Decodable {
            var images: Int
            var worst_millimetres: Double
            var invalid: Int
        }
        let verdict: Verdict = try await Peer.json("check_compressed_depth.py", [bag])
        #expect(verdict.images == 20 && verdict.invalid > 0)
        #expect(verdict.worst_millimetres <= 0.501)
    }

    @Test func theSameInputGivesTheSameBytes() async throws {
        let session = try await Samples.full.value
        let variants = [["-j", "1"], ["-j", "2"], ["-j", "2"], ["-j", "7"]]
        var hashes: [[String: Data]] = []
        for (index, jobs) in variants.enumerated() {
            // The name is in the bag.
            let bag = folder("\(index)/bag")
            try FileManager.default.createDirectory(atPath: folder("\(index)"), withIntermediateDirectories: false)
            try await Binary.succeed(["bag", session, "-o", bag, "--profile", "full", "--chunk-seconds", "2"] + jobs)
            hashes.append(try FileTree.contents(bag))
        }
        #expect(hashes[0].keys.sorted() == ["bag_0.db3", "bag_1.db3", "metadata.yaml"])
        for other in hashes.dropFirst() { #expect(FileTree.differences(hashes[0], other) == []) }
    }
}
