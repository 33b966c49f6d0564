import BagTools
import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

@Suite("Types that this program does not define")
struct ForeignTypeTests {
    private static let start: Int64 = 1_700_000_000_000_000_000
    private static let definition = """
        std_msgs/Header header
        uint8 LOW=1
        string<=8 label "none"
        float32[3] weights
        foreign_msgs/Part[] parts
        \(String(repeating: "=", count: 80))
        MSG: foreign_msgs/Part
        int16 number
        uint8[] blob
        \(String(repeating: "=", count: 80))
        MSG: std_msgs/Header
        builtin_interfaces/Time stamp
        string frame_id
        \(String(repeating: "=", count: 80))
        MSG: builtin_interfaces/Time
        int32 sec
        uint32 nanosec
        """
    private static let json = """
        {"op":"publish","topic":"/foreign","msg":{"header":{"stamp":{"sec":1,"nanosec":2},"frame_id":"map"},\
        "label":"abc","weights":[1,2.5,-3],"parts":[{"number":-7,"blob":"AQID"},{"number":8,"blob":""}]}}
        """

    @Test("a definition in the bag is enough to go from CDR to JSON and back")
    func roundTrip() async throws {
        let directory = try TemporaryDirectory()
        let cdr = try chunkOfCDR(in: directory)
        _ = try await convert([cdr], to: directory.appending("json")) { $0.bag.serialization = .rosbridgeJSON }
        let text = String(decoding: try #require(try allRows(directory.appending("json")).first).bytes, as: UTF8.self)
        #expect(text.contains(#""label":"abc""#) && text.contains(#""blob":"AQID""#), "\(text)")
        _ = try await convert([directory.appending("json")], to: directory.appending("back"))
        #expect(try allRows(directory.appending("back")).map(\.bytes) == allRows(cdr).map(\.bytes))
    }

    @Test("a topic without a definition is left out with advice; where nothing else is left, that is an error")
    func unknown() async throws {
        let directory = try TemporaryDirectory()
        let chunk = try chunkOfJSON(in: directory)
        let report = try await convert([chunk], to: directory.appending("out"))
        #expect(report.skipped.map(\.name) == ["/foreign"])
        #expect(report.writtenCount == 1 && report.skippedCount == 1)
        for skips in [false, true] {
            let error = await #expect(throws: BagError.self) {
                try await convert([chunk], to: directory.appending("out2")) {
                    $0.selection.only = ["/foreign"]
                    $0.skipsUnknown = skips
                }
            }
            #expect(error.map { "\($0)".contains("foreign_msgs/msg/Thing") && "\($0)".contains("--msg-path") } == true)
        }
    }

    @Test("--msg-path defines it")
    func messagePath() async throws {
        let directory = try TemporaryDirectory()
        let chunk = try chunkOfJSON(in: directory)
        let resolver = try writeMessages(in: directory)
        let report = try await convert([chunk], to: directory.appending("out")) {
            $0.resolver = resolver
        }
        #expect(report.writtenCount == 2)
        let reader = try BagReader(opening: directory.appending("out"))
        let topic = try #require(reader.topics.first { $0.name == "/foreign" })
        #expect(topic.definitionText.contains("MSG: foreign_msgs/Part"))
        #expect(topic.typeHash.hasPrefix("RIHS01_"))
        let row = try #require(try allRows(directory.appending("out")).first { $0.bytes.count > 20 })
        // Header, 1 s, 2 ns, "map": by hand from the rules of CDR.
        #expect(Array(row.bytes.prefix(20)) == [0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 109, 97, 112, 0])
    }

    @Test("rosbags decodes the converted messages to the values of the JSON", .enabled(if: PeerPython.isAvailable))
    func peer() async throws {
        let directory = try TemporaryDirectory()
        let chunk = try chunkOfJSON(in: directory)
        let resolver = try writeMessages(in: directory)
        _ = try await convert([chunk], to: directory.appending("out")) {
            $0.resolver = resolver
        }
        let output = try PeerPython.output(
            of: """
                import sys
                from rosbags.highlevel import AnyReader
                from pathlib import Path
                with AnyReader([Path(sys.argv[1])]) as reader:
                    for connection, time, data in reader.messages():
                        if connection.topic == "/foreign":
                            m = reader.deserialize(data, connection.msgtype)
                            print(m.header.stamp.sec, m.header.frame_id, m.label, list(map(float, m.weights)),
                                  [(p.number, bytes(p.blob).hex()) for p in m.parts])
                """,
            [directory.appending("out").string]
        )
        #expect(output == "1 map abc [1.0, 2.5, -3.0] [(-7, '010203'), (8, '')]")
    }

    @Test("--type corrects the type of a topic")
    func correctedType() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a.db3")
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/n", type: "nobody_msgs/msg/Number")],
            rows: [.init("/n", Self.start, json: #"{"op":"publish","topic":"/n","msg":{"data":5}}"#)]
        )
        _ = try await convert([chunk], to: directory.appending("out")) { $0.types = ["/n": "std_msgs/msg/Int64"] }
        let row = try #require(try allRows(directory.appending("out")).first)
        #expect(try NumberMessage<Int64>.decoding(cdr: row.bytes).data == 5)
    }

    @Test(
        "circular, cut and absurd definitions are refused or fall back, and never crash",
        arguments: [
            "foreign_msgs/Thing again", "int32[99999999999999999999] x", "string<=", "int32", "uint8[1000000000000] x",
            "foreign_msgs/Missing x", String(repeating: "=", count: 80), "\u{0}\u{1}",
        ]
    )
    func hostileDefinitions(text: String) async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a.db3")
        try HandmadeBag.recorded(
            chunk,
            topics: [.init(name: "/n", type: "foreign_msgs/msg/Thing", definition: text)],
            rows: [.init("/n", Self.start, [0, 1, 0, 0, 1, 2, 3, 4])]
        )
        do {
            let report = try await convert([chunk], to: directory.appending("out")) {
                $0.bag.serialization = .rosbridgeJSON
            }
            #expect(report.brokenCount == 1, "four bytes are no message of an empty type")
        } catch let error as BagError {
            #expect("\(error)".contains("foreign_msgs/msg/Thing"), "\(error)")
        }
    }

    private func chunkOfJSON(in directory: TemporaryDirectory) throws -> FilePath {
        let path = directory.appending("json_0.db3")
        try HandmadeBag.appChunk(
            path,
            topics: [
                .init(name: "/foreign", type: "foreign_msgs/msg/Thing"), .init(name: "/n", type: "std_msgs/msg/Int32"),
            ],
            rows: [
                .init("/foreign", Self.start, json: Self.json),
                .init("/n", Self.start, json: #"{"op":"publish","msg":{"data":1}}"#),
            ]
        )
        return path
    }

    /// Made from the JSON by way of the definition, and read back by a peer in another test.
    private func chunkOfCDR(in directory: TemporaryDirectory) throws -> FilePath {
        let path = directory.appending("cdr_0.db3")
        // Header{1 s, 2 ns, "map"}, "abc", three floats, two parts: by hand from the rules of CDR.
        let bytes: [UInt8] =
            [0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 109, 97, 112, 0, 4, 0, 0, 0, 97, 98, 99, 0]
            + [0, 0, 0x80, 0x3F, 0, 0, 0x20, 0x40, 0, 0, 0x40, 0xC0, 2, 0, 0, 0]
            + [0xF9, 0xFF, 0, 0, 3, 0, 0, 0, 1, 2, 3, 0, 8, 0, 0, 0, 0, 0, 0, 0]
        try HandmadeBag.recorded(
            path,
            topics: [.init(name: "/foreign", type: "foreign_msgs/msg/Thing", definition: Self.definition)],
            rows: [.init("/foreign", Self.start, bytes)]
        )
        return path
    }

    /// Writes the definitions into a folder, and makes what finds them there.
    private func writeMessages(in directory: TemporaryDirectory) throws -> TypeResolver {
        let sections = Self.definition.split(separator: "\n" + String(repeating: "=", count: 80) + "\n")
        let folder = directory.appending("messages/foreign_msgs/msg").string
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data((sections[0] + "\n").utf8).write(to: URL(fileURLWithPath: folder + "/Thing.msg"))
        try Data("int16 number\nuint8[] blob\n".utf8).write(to: URL(fileURLWithPath: folder + "/Part.msg"))
        return TypeResolver(directories: try MessageDirectories([directory.appending("messages")]))
    }
}
