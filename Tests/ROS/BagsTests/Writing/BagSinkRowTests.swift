import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Rows of types that need not be known, seen from the files.
struct BagSinkRowTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private let second: Int64 = 1_000_000_000

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: BagOptions.Serialization.allCases, BagOptions.Durability.allCases)
    func rowsGiveTheBytesThatMessagesGive(
        _ serialization: BagOptions.Serialization,
        _ durability: BagOptions.Durability
    ) async throws {
        let options = BagOptions(serialization: serialization, durability: durability, maximumChunkBytes: 256 << 10)
        try FileManager.default.createDirectory(
            atPath: directory.appending("m").string,
            withIntermediateDirectories: false
        )
        let original = directory.appending("m").appending("bag")
        _ = try await BagSink(original, options: options).record(SampleTraffic.messages(ticks: 40))
        let whole = BagOptions(serialization: serialization, maximumChunkBytes: nil)
        let source = directory.appending("source")
        _ = try await BagSink(source, options: whole).record(SampleTraffic.messages(ticks: 40))

        let reader = try BagReader(opening: source)
        let sink = BagSink(bag, options: options, restamp: restamped)
        try await sink.open(reader.topics)
        let rows = try reader.rows(BagQuery())
        while let row = try rows.next() { try await sink.write(row) }
        _ = try await sink.finish()
        let found = try BagReader(opening: bag)
        let expected = try BagReader(opening: original)
        #expect(found.metadata.files.count > 1)
        #expect(found.metadata == expected.metadata)
        #expect(try allRows(found) == allRows(expected))
    }

    @Test func aLatchedRowOfItsOwnIsNotRepeatedInAddition() async throws {
        let sink = BagSink(bag, options: BagOptions(maximumChunkSeconds: 1)) { _, bytes, _ in bytes }
        try await sink.open([opaque("/latched", .latched), opaque("/other", .latched), opaque("/plain")])
        for time: Int64 in 0..<4 {
            for topic in 0..<3 where topic != 1 || time == 0 {
                try await sink.write(BagRow(topic: topic, timeNanoseconds: time * second, bytes: [UInt8(time)]))
            }
        }
        _ = try await sink.finish()
        let rows = try allRows(try BagReader(opening: bag))
        #expect(rows.filter { $0.topic == 0 }.map(\.bytes) == [[0], [1], [2], [3]])
        #expect(rows.filter { $0.topic == 1 }.map(\.timeNanoseconds) == [0, 1, 2, 3].map { $0 * second })
        #expect(rows.filter { $0.topic == 2 }.count == 4)
    }

    @Test func aChunkOfLatchedRowsAloneHasAllOfThem() async throws {
        let sink = BagSink(bag, options: BagOptions(maximumChunkSeconds: 1))
        try await sink.open([opaque("/latched", .latched), opaque("/other", .latched)])
        for (topic, time) in [(0, 0), (1, 0), (0, second)] {
            try await sink.write(BagRow(topic: topic, timeNanoseconds: time, bytes: [7]))
        }
        _ = try await sink.finish()
        let files = try BagReader(opening: bag).metadata.files
        #expect(files.map(\.messageCount) == [2, 2])
    }

    @Test(arguments: BagOptions.Serialization.allCases)
    func apartTransformsAreRepeatedTogether(_ serialization: BagOptions.Serialization) async throws {
        let source = directory.appending("source")
        let fixed = ["camera", "gps"].enumerated().map {
            SampleTraffic.fixedTransform(of: $0.element, at: SampleTraffic.start + Int64($0.offset) * second)
        }
        _ = try await BagSink(source, options: BagOptions(serialization: serialization)).record(fixed)
        let reader = try BagReader(opening: source)
        let options = BagOptions(serialization: serialization, maximumChunkSeconds: 0.5)
        let sink = BagSink(bag, options: options)
        try await sink.open(reader.topics)
        let rows = try reader.rows(BagQuery())
        while let row = try rows.next() { try await sink.write(row) }
        _ = try await sink.finish()
        // The second chunk begins with the gps alone: the camera has to be said again.
        let found = try BagReader(opening: bag)
        let decoders = try found.topics.map { try RowDecoder($0) }
        let frames = try allRows(found).map {
            (try decoders[$0.topic].decode($0.bytes) as? TFMessage)?.transforms.map(\.childFrameID) ?? []
        }
        #expect(frames == [["camera"], ["camera"], ["gps"]])
    }

    @Test func transientTopicsOfShortLifespanAreNotLatched() async throws {
        var rosbridge = opaque("/rosbridge", .latched)
        rosbridge.qosText = rosbridge.qosText.replacingOccurrences(
            of: "lifespan:\n    sec: 9223372036",
            with: "lifespan:\n    sec: 1"
        )
        let sink = BagSink(bag, options: BagOptions(maximumChunkSeconds: 1))
        try await sink.open([rosbridge, opaque("/plain")])
        for (topic, time) in [(0, 0), (1, 0), (1, second), (1, 2 * second)] {
            try await sink.write(BagRow(topic: topic, timeNanoseconds: time, bytes: [7]))
        }
        _ = try await sink.finish()
        #expect(try allRows(try BagReader(opening: bag)).map(\.topic) == [0, 1, 1, 1])
    }

    /// Profiles of other recorders keep what no topic of ours sets, in the words of the form that is written.
    @Test(arguments: BagOptions.Distribution.allCases)
    func foreignProfilesAreKeptInTheFormsWords(_ distribution: BagOptions.Distribution) async throws {
        var topic = opaque("/two_publishers")
        topic.qosText = """
            - {history: 3, depth: 0, reliability: best_effort, durability: 2, deadline: {sec: 1, nsec: 2},
               lifespan: {sec: 3, nsec: 4}, liveliness: manual_by_topic, liveliness_lease_duration: {sec: 5, nsec: 6},
               avoid_ros_namespace_conventions: true}
            - {history: keep_all, depth: 7, reliability: 1, durability: transient_local, deadline: {sec: 0, nsec: 0},
               lifespan: {sec: 0, nsec: 0}, liveliness: 1, liveliness_lease_duration: {sec: 0, nsec: 0},
               avoid_ros_namespace_conventions: false}
            """
        let sink = BagSink(bag, options: BagOptions(distribution: distribution))
        try await sink.open([topic])
        _ = try await sink.finish()
        let usesNames = ![.any, .humble, .iron].contains(distribution)
        let policies =
            usesNames
            ? ["unknown", "best_effort", "volatile", "manual_by_topic", "keep_all", "reliable", "transient_local"]
                + ["automatic"]
            : ["3", "2", "2", "3", "2", "1", "1", "1"]
        let values = Array(policies[..<3]) + ["0", "1", "2", "3", "4"] + [policies[3], "5", "6", "true"]
        let others = Array(policies[4..<7]) + ["7", "0", "0", "0", "0"] + [policies[7], "0", "0", "false"]
        let stored = try BagReader(opening: bag)
        for text in [stored.metadata.topics[0].qosText, stored.topics[0].qosText] {
            #expect(scalars(text).sorted() == (values + others).sorted(), "\(text)")
        }
    }

    /// The values of a YAML text in block style.
    private func scalars(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let value = line.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
            return value.isEmpty ? nil : value.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func whatCannotBeWrittenIsRefused() async throws {
        let sink = BagSink(bag)
        try await sink.open()
        #expect(try await sink.add(opaque("/a")) == 0)
        #expect(try await sink.add(opaque("/a")) == 0)
        var other = opaque("/a")
        other.typeName = "foreign_msgs/msg/Other"
        var json = opaque("/json")
        json.serializationFormat = "rosbridge_json"
        for topic in [other, json] {
            await #expect { _ = try await sink.add(topic) } throws: {
                if case BagError.unknownTopic = $0 { true } else { false }
            }
        }
        for row in [(-1, 5), (1, 5), (0, -5)] {
            await #expect(throws: BagError.self) {
                try await sink.write(BagRow(topic: row.0, timeNanoseconds: Int64(row.1), bytes: []))
            }
        }
        try await sink.write(BagRow(topic: 0, timeNanoseconds: 0, bytes: []))
        #expect(try await sink.finish().topics.map(\.written) == [1])
    }

    private func opaque(_ name: String, _ qos: QoS = .reliable(depth: 1)) -> BagTopic {
        BagTopic(
            name: name,
            typeName: "foreign_msgs/msg/Thing",
            serializationFormat: "cdr",
            qosText: qos.rosbag2Text,
            typeHash: "",
            definitionText: "uint8 thing\n"
        )
    }

    private func allRows(_ reader: BagReader) throws -> [BagRow] {
        var rows: [BagRow] = []
        let cursor = try reader.rows(BagQuery())
        while let row = try cursor.next() { rows.append(row) }
        return rows
    }
}

/// Stamps the session message, the one latched topic of the sample traffic that holds no transforms.
@Sendable private func restamped(_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]? {
    guard var message = try? RowDecoder(topic).decode(bytes) as? MappingSession else { return nil }
    message.header.stamp = Time(nanosecondsSinceEpoch: timeNanoseconds)
    var result: [UInt8] = []
    if topic.serializationFormat == "cdr" {
        message.appendCDR(to: &result)
    } else {
        try? RosbridgeEnvelope.appendPublish(topic: topic.name, message: message, to: &result)
    }
    return result
}
