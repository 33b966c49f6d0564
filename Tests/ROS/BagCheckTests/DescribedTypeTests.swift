import BagTools
import Codecs
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Messages of types that only the bag, or a folder of .msg files, describes; and of odd encodings.
@Suite("Check: described types")
struct DescribedTypeTests {
    private static let definition = """
        std_msgs/Header header
        wstring title
        uint8[] data
        test_msgs/Pair[2] pairs
        ================================================================================
        MSG: test_msgs/Pair
        int8 small
        int64 large
        """

    /// One message of the definition above: stamp 5.000000006 s, frame "a".
    private static let message: [UInt8] =
        [0, 1, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0, 0x61, 0, 0, 0]
        // A wstring of one unit of four bytes, then three bytes of data and their padding.
        + [1, 0, 0, 0, 0xE9, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9] + pair(0xFF, first: true) + pair(1, first: false)

    private static func pair(_ small: UInt8, first: Bool) -> [UInt8] {
        // The first begins at body byte 31, the second at 48; the int64 is aligned to 8.
        [small] + [UInt8](repeating: 0, count: first ? 0 : 7) + [1, 2, 3, 4, 5, 6, 7, 8]
    }

    private static func bag(_ bytes: [UInt8], definition: String? = definition) throws -> HandmadeBag {
        try HandmadeBag(
            [HandmadeBag.Topic(name: "/made", typeName: "test_msgs/msg/Made", definition: definition)],
            [HandmadeBag.Row(topic: 0, time: 5_000_000_006, bytes: bytes)]
        )
    }

    @Test("are decoded, encoded again and held to their stamps")
    func described() throws {
        let report = try Self.bag(Self.message).check()
        #expect(report.complaints.isEmpty, "\(report.text)")
        #expect(report.decodedCount == 1)
        var late = Self.message
        late[8] = 7
        #expect(try Self.bag(late).check().has(.stampRowDiffers))
        let cut = try Self.bag(Self.message.dropLast(1)).check()
        #expect(cut.complaints == ["error message.decode"], "\(cut.text)")
        var padded = Self.message
        padded[Self.message.count - 12] = 3
        let report3 = try Self.bag(padded).check()
        #expect(report3.complaints == [] && report3.has(.messagePadding), "\(report3.text)")
    }

    @Test("wstrings of two bytes are understood")
    func narrow() throws {
        var message = Self.message
        message.replaceSubrange(24..<28, with: [0xE9, 0, 0, 0])
        // Two units of two bytes instead of one of four: the same bytes, so that alignment stays.
        message[20] = 2
        let report = try Self.bag(message).check()
        #expect(report.complaints.isEmpty, "\(report.text)")
    }

    @Test("a folder of .msg files serves where the bag does not describe the type")
    func folder() throws {
        let bag = try Self.bag(Self.message, definition: nil)
        let without = try bag.check()
        #expect(
            without.complaints == ["warning definition.missing", "warning message.unknown-type"],
            "\(without.text)"
        )
        #expect(without.decodedCount == 0)
        let folder = bag.directory.appending("test_msgs").appending("msg")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        let parts = Self.definition.components(
            separatedBy: String(repeating: "=", count: 80) + "\nMSG: test_msgs/Pair\n"
        )
        for (name, text) in zip(["Made", "Pair"], parts) {
            try text.write(toFile: folder.appending("\(name).msg").string, atomically: false, encoding: .utf8)
        }
        let options = BagCheckOptions(
            types: TypeResolver(directories: try MessageDirectories([bag.directory.path]))
        )
        let report = try bag.check(options)
        #expect(report.complaints == ["warning definition.missing"], "\(report.text)")
        #expect(report.decodedCount == 1)
    }

    @Test("types of ROS's common packages and legacy names need no definition")
    func knownTypes() throws {
        let names = [
            "sensor_msgs/msg/JointState", "rcl_interfaces/msg/Log", "reconstructor_msgs/msg/MappingSession",
            "sensor_msgs/BatteryState",
        ]
        let topics = names.map { HandmadeBag.Topic(name: "/" + $0, typeName: $0, definition: nil) }
        let rows = try names.enumerated().map { index, name in
            let schema = try TypeResolver().resolve(name).schema
            let bytes = try schema.encodedCDR(try schema.decode(json: Array("{}".utf8)))
            return HandmadeBag.Row(topic: index, time: 1, bytes: bytes)
        }
        let report = try HandmadeBag(topics, rows).check()
        #expect(report.decodedCount == names.count && !report.has(.messageUnknownType), "\(report.text)")
    }

    @Test("big-endian CDR is legal")
    func bigEndian() throws {
        let text: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 3, 0x68, 0x69, 0]
        let bag = try HandmadeBag(
            [HandmadeBag.Topic(name: "/t", typeName: "std_msgs/msg/String", definition: "string data")],
            [HandmadeBag.Row(topic: 0, time: 1, bytes: text)]
        )
        let report = try bag.check()
        #expect(
            report.complaints.isEmpty && report.has(.messageByteOrder) && report.decodedCount == 1,
            "\(report.text)"
        )
    }

    @Test("CycloneDDS's padding at the end is no finding, other bytes there are")
    func tail() throws {
        func report(_ tail: [UInt8], options: UInt8 = 0) throws -> BagCheckReport {
            let text: [UInt8] = [0, 1, 0, options, 3, 0, 0, 0, 0x68, 0x69, 0] + tail
            return try HandmadeBag(
                [HandmadeBag.Topic(name: "/t", typeName: "std_msgs/msg/String", definition: "string data")],
                [HandmadeBag.Row(topic: 0, time: 1, bytes: text)]
            ).check()
        }
        #expect(try report([0]).findings.isEmpty)
        let said = try report([0], options: 1)
        #expect(said.findings.map(\.kind) == [.messageHeader] && said.findings[0].severity == .note, "\(said.text)")
        #expect(try report([9]).complaints == ["error message.decode"])
        #expect(try report([0, 0, 0, 0]).complaints == ["error message.decode"])
        #expect(try report([0], options: 9).complaints == ["warning message.cdr-header"])
    }

    @Test("compressed depth images are looked at behind their header")
    func depth() throws {
        let png = try PNG16.encode(width: 4, height: 2, samples: [UInt16](repeating: 1000, count: 8))
        func report(_ data: [UInt8]) throws -> BagCheckReport {
            var image = CompressedImage()
            image.header = Header(stampNanoseconds: 7, frameID: "camera")
            image.format = "16UC1; compressedDepth png"
            image.data = data
            let topic = HandmadeBag.Topic(
                name: "/depth/compressedDepth",
                typeName: CompressedImage.typeName,
                definition: CompressedImage.definitionText,
                hash: CompressedImage.typeHash
            )
            let row = HandmadeBag.Row(topic: 0, time: 7, bytes: image.encodedCDR())
            let options = BagCheckOptions(imageProblem: { bytes, format in
                format == "png" && bytes == png ? nil : "other bytes"
            })
            return try HandmadeBag([topic], [row]).check(options)
        }
        let header = [UInt8](repeating: 0, count: 12)
        #expect(try report(header + png).findings.isEmpty)
        #expect(try report(png).complaints == ["error image.undecodable"])
        #expect(try report(header).complaints == ["error image.undecodable"])
        #expect(try report(header + png.dropLast(3)).complaints == ["error image.undecodable"])
    }
}
