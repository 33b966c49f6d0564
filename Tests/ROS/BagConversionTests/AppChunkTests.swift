import BagTools
import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

@Suite("Chunks of the phone app")
struct AppChunkTests {
    private static let start: Int64 = 1_782_435_323_650_000_000

    @Test("every message type that is compiled in becomes its CDR")
    func everyType() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("mapeverything_0.db3")
        var topics: [HandmadeBag.TopicRow] = []
        var rows: [HandmadeBag.Row] = []
        for (index, type) in MessageTypes.all.enumerated() {
            let name = "/topic\(index)"
            topics.append(.init(name: name, type: type.typeName))
            rows.append(.init(name, Self.start + Int64(index), try HandmadeBag.operation(name, type.init())))
        }
        try HandmadeBag.appChunk(chunk, topics: topics, rows: rows)
        let report = try await convert([chunk], to: directory.appending("out"))
        #expect(report.writtenCount == MessageTypes.all.count)
        #expect(!report.lostAnything)
        let read = try allRows(directory.appending("out"))
        for (row, type) in zip(read, MessageTypes.all) {
            var expected: [UInt8] = []
            type.init().appendCDR(to: &expected)
            #expect(row.bytes == expected, "\(type.typeName)")
        }
    }

    @Test("diagnostics, whose level is a byte, convert")
    func diagnostics() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a_0.db3")
        let json = """
            {"op":"publish","topic":"/mapping/status","msg":{"header":{"stamp":{"sec":5,"nanosec":7},"frame_id":"map"},\
            "status":[{"level":2,"name":"queue","message":"full","hardware_id":"phone","values":[{"key":"a","value":"b"}]}]}}
            """
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/mapping/status", type: "diagnostic_msgs/msg/DiagnosticArray")],
            rows: [.init("/mapping/status", Self.start, json: json)]
        )
        _ = try await convert([chunk], to: directory.appending("out"))
        let row = try #require(try allRows(directory.appending("out")).first)
        let message = try DiagnosticArray.decoding(cdr: row.bytes)
        #expect(message.status.first?.level == 2)
        #expect(message.status.first?.values.first?.value == "b")
        #expect(message.header.stamp == Time(sec: 5, nanosec: 7))
    }

    @Test("the names of the first builds are brought up to date")
    func legacyNames() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a_0.db3")
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/reconstructor/session", type: "reconstructor_msgs/MappingSession")],
            rows: [
                .init(
                    "/reconstructor/session",
                    Self.start,
                    try HandmadeBag.operation("/reconstructor/session", MappingSession())
                )
            ]
        )
        let report = try await convert([chunk], to: directory.appending("out"))
        let reader = try BagReader(opening: directory.appending("out"))
        #expect(reader.topics.map(\.name) == ["/mapping/session"])
        #expect(reader.topics.map(\.typeName) == ["mapeverything_msgs/msg/MappingSession"])
        #expect(report.warnings.isEmpty, "\(report.warnings)")
    }

    @Test("one broken message is counted and named, and the others stay")
    func brokenMessages() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a_0.db3")
        let good = #"{"op":"publish","topic":"/n","msg":{"data":1}}"#
        let rows = [
            good, #"{"op":"publish","topic":"/n","msg":{"data":"x"}}"#, #"{"op":"publish","topic":"/n","ms"#,
            #"{"op":"publish","topic":"/n"}"#, #"{"op":"subscribe","topic":"/n","msg":{"data":1}}"#, "[]", good,
            #"{"data":7}"#,
        ]
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/n", type: "std_msgs/msg/Int32")],
            rows: rows.enumerated().map { .init("/n", Self.start + Int64($0.offset), json: $0.element) }
        )
        let report = try await convert([chunk], to: directory.appending("out"))
        #expect(report.readCount == 8)
        #expect(report.writtenCount == 3)
        #expect(report.brokenCount == 5)
        #expect(report.broken.map { $0.timeNanoseconds - Self.start } == [1, 2, 3, 4, 5])
        #expect(report.broken[0].description.contains("data"))
        #expect(report.lostAnything)
        let values = try allRows(directory.appending("out")).map { try Int32Message.decoding(cdr: $0.bytes).data }
        #expect(values == [1, 1, 7])
    }

    @Test("keys that a type does not have are counted by name")
    func unknownKeys() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a_0.db3")
        let json = #"{"op":"publish","topic":"/n","msg":{"data":1,"metadata_json":"{}","more":{"x":1}}}"#
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/n", type: "std_msgs/msg/Int32")],
            rows: (0..<3).map { .init("/n", Self.start + $0, json: json) }
        )
        let report = try await convert([chunk], to: directory.appending("out"))
        #expect(report.unknownKeys.map(\.path) == ["metadata_json", "more"])
        #expect(report.unknownKeys.map(\.count) == [3, 3])
        #expect(report.writtenCount == 3)
    }

    @Test("keys that a hostile bag makes up without end cost no memory")
    func keysWithoutEnd() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a_0.db3")
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/n", type: "std_msgs/msg/Int32")],
            rows: (0..<1_500).map {
                .init("/n", Self.start + $0, json: #"{"op":"publish","msg":{"data":1,"k\#($0)":1}}"#)
            }
        )
        let report = try await convert([chunk], to: directory.appending("out"))
        #expect(report.unknownKeys.count == 1_000 && report.writtenCount == 1_500)
    }

    @Test("rows out of order and chunks that overlap come out in time order")
    func order() async throws {
        let directory = try TemporaryDirectory()
        let topic = HandmadeBag.TopicRow(name: "/n", type: "std_msgs/msg/Int32")
        let orders: [[Int64]] = [[0, 30, 10, 50], [20, 60, 40]]
        for (index, times) in orders.enumerated() {
            try HandmadeBag.appChunk(
                directory.appending("a_\(index).db3"),
                topics: [topic],
                rows: times.map { .init("/n", Self.start + $0, json: #"{"op":"publish","msg":{"data":\#($0)}}"#) }
            )
        }
        let inputs = [directory.appending("a_0.db3"), directory.appending("a_1.db3")]
        _ = try await convert(inputs, to: directory.appending("out"))
        let rows = try allRows(directory.appending("out"))
        #expect(rows.map { $0.timeNanoseconds - Self.start } == [0, 10, 20, 30, 40, 50, 60])
        #expect(try rows.map { try Int32Message.decoding(cdr: $0.bytes).data } == [0, 10, 20, 30, 40, 50, 60])
    }

    @Test(
        "copies of one topic, time and content are left out where that is asked for, and counted",
        arguments: [true, false]
    )
    func copies(drops: Bool) async throws {
        let directory = try TemporaryDirectory()
        let topics = ["/n", "/other"].map { HandmadeBag.TopicRow(name: $0, type: "std_msgs/msg/Int32") }
        // A publisher that lost its connection after 20 began again at 10. Other content of the same time is no copy.
        let rows = [
            ("/n", 0, 0), ("/n", 10, 1), ("/n", 20, 2), ("/n", 10, 1), ("/n", 20, 2), ("/n", 20, 3), ("/other", 20, 2),
        ]
        try HandmadeBag.appChunk(
            directory.appending("a_0.db3"),
            topics: topics,
            rows: rows.map { .init($0, Self.start + Int64($1), json: #"{"op":"publish","msg":{"data":\#($2)}}"#) }
        )
        let report = try await convert([directory.appending("a_0.db3")], to: directory.appending("out")) {
            $0.dropsDuplicates = drops
        }
        #expect(report.repeatedCount == (drops ? 2 : 0) && report.readCount == 7 && !report.isIncomplete)
        let times = try allRows(directory.appending("out")).map { $0.timeNanoseconds - Self.start }
        #expect(times == (drops ? [0, 10, 20, 20, 20] : [0, 10, 10, 20, 20, 20, 20]))
    }
}

/// Copies that a bridge sent again after it had lost its connection, as a recorder files them: by the time of receipt.
@Suite struct LateCopyTests {
    private static let start: Int64 = 1_700_000_000_000_000_000

    @Test func areKnownByTheirStamps() async throws {
        let directory = try TemporaryDirectory()
        func pose(_ stamp: Int64, _ x: Double) -> PoseStamped {
            var message = PoseStamped()
            message.header.stamp = Time(nanosecondsSinceEpoch: stamp)
            message.header.frameID = "map"
            message.pose.position.x = x
            return message
        }
        let topics = [
            Topic(name: "/pose", type: PoseStamped.self, qos: .reliable(depth: 10)),
            Topic(name: "/never_set", type: PoseStamped.self, qos: .reliable(depth: 10)),
            Topic(name: "/latched", type: PoseStamped.self, qos: .latched),
        ]
        let sink = BagSink(directory.appending("bag"), options: BagOptions())
        try await sink.open(topics)
        // The same again after three seconds is a copy, after two minutes another's, and another place of one stamp is none.
        let rows: [(topic: Int, seconds: Int64, message: PoseStamped)] = [
            (0, 1, pose(Self.start, 1)), (1, 1, pose(0, 1)), (2, 1, pose(Self.start, 1)),
            (0, 2, pose(Self.start + 1, 1)),
            (0, 4, pose(Self.start, 1)), (0, 4, pose(Self.start + 1, 1)), (1, 4, pose(0, 1)),
            (2, 4, pose(Self.start, 1)),
            (0, 5, pose(Self.start + 1, 2)), (0, 200, pose(Self.start, 1)),
        ]
        for row in rows {
            let time = Self.start + row.seconds * 1_000_000_000
            try await sink.write(StampedMessage(topic: topics[row.topic], timeNanoseconds: time, message: row.message))
        }
        _ = try await sink.finish()
        let report = try await convert([directory.appending("bag")], to: directory.appending("out")) {
            $0.dropsDuplicates = true
        }
        #expect(report.repeatedCount == 2 && report.readCount == rows.count && !report.isIncomplete)
        let left = try allRows(directory.appending("out")).map { ($0.timeNanoseconds - Self.start) / 1_000_000_000 }
        #expect(left == [1, 1, 1, 2, 4, 4, 5, 200])
    }
}

/// Converts with the options given, and returns the report.
func convert(
    _ inputs: [FilePath],
    to output: FilePath,
    _ adjust: (inout ConversionOptions) -> Void = { _ in }
) async throws -> ConversionReport {
    var options = ConversionOptions()
    adjust(&options)
    let plan = try ConversionPlan(inputs: inputs, options: options)
    return try await BagConverter(plan, output: output).run()
}

/// Every row of a bag in time order.
func allRows(_ path: FilePath) throws -> [BagRow] {
    let cursor = try BagReader(opening: path).rows()
    var rows: [BagRow] = []
    while let row = try cursor.next() { rows.append(row) }
    return rows
}
