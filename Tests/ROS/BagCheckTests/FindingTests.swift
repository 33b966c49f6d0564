import BagTools
import Messages
import TestSupport
import Testing

/// What scripts and people get to read.
@Suite("Check: findings")
struct FindingTests {
    @Test("every kind has a name of its own form, and advice of its own", arguments: BagFindingKind.allCases)
    func advice(kind: BagFindingKind) {
        #expect(kind.rawValue.wholeMatch(of: /[a-z][a-z0-9]*(\.[a-z0-9]+(-[a-z0-9]+)*)?/) != nil)
        #expect(kind.advice.count > 20 && !kind.advice.hasPrefix("see the documentation"))
    }

    @Test("errors are worse than warnings, and these than notes")
    func order() {
        #expect(BagFinding.Severity.allCases.sorted() == [.note, .warning, .error])
    }

    /// Before, a pair was none: the first row of a time had nothing that the second could be compared with.
    @Test("a copy is noted from the second on, once for each, and is not out of order besides")
    func copies() throws {
        let topic = HandmadeBag.Topic(
            name: "/made",
            typeName: StringMessage.typeName,
            definition: StringMessage.definitionText,
            hash: StringMessage.typeHash
        )
        func row(_ time: Int64, _ text: String) -> HandmadeBag.Row {
            HandmadeBag.Row(topic: 0, time: time, bytes: StringMessage(data: text).encodedCDR())
        }
        let rows = [row(1, "a"), row(2, "b"), row(3, "c"), row(2, "b"), row(3, "c"), row(3, "d")]
        let report = try HandmadeBag([topic], rows).check()
        #expect(report.findings.first { $0.kind == .messageRepeated }?.count == 2)
        #expect(!report.has(.messageOrder))
        #expect(try HandmadeBag([topic], [row(2, "b"), row(1, "a")]).check().has(.messageOrder))
    }

    /// The products of such sizes have no number, and rows of no points may be as many as one likes.
    @Test("the largest sizes of clouds and images are told")
    func largestSizes() throws {
        var cloud = PointCloud2()
        cloud.fields = ["x", "y", "z"].enumerated().map { index, name in
            var field = PointField()
            (field.name, field.offset, field.datatype, field.count) = (name, UInt32(4 * index), 7, 1)
            return field
        }
        (cloud.height, cloud.width, cloud.pointStep, cloud.rowStep) = (.max, .max, .max, .max)
        #expect(try Self.report(cloud).has(.cloudLayout))
        (cloud.width, cloud.pointStep, cloud.rowStep, cloud.isDense) = (0, 12, 0, true)
        let report = try Self.report(cloud)
        #expect(report.messageCount == 1 && !report.has(.cloudLayout) && !report.has(.cloudNonFinite))
        var image = Image()
        (image.height, image.width, image.step, image.encoding) = (.max, 1, .max, "rgb8")
        #expect(try Self.report(image).has(.imageLayout))
    }

    /// As a key such a node is compared: that never ends where it stands for a thousand million words.
    @Test("profiles of aliases of aliases are told")
    func aliasesOfAliases() throws {
        let bomb = (1...8).reduce("- a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n") { text, level in
            let names = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            return text + "- a\(level): &a\(level) [\(names)]\n"
        }
        let topic = HandmadeBag.Topic(
            name: "/made",
            typeName: "std_msgs/msg/Empty",
            definition: "",
            qos: bomb + "- ? *a8\n  : 1\n"
        )
        #expect(try HandmadeBag([topic], []).check().has(.qosUnreadable))
    }

    private static func report<M: Message>(_ message: M) throws -> BagCheckReport {
        let topic = HandmadeBag.Topic(
            name: "/made",
            typeName: M.typeName,
            definition: M.definitionText,
            hash: M.typeHash
        )
        return try HandmadeBag([topic], [HandmadeBag.Row(topic: 0, time: 1, bytes: message.encodedCDR())]).check()
    }

    /// A short pass of what tools/fuzz does for longer.
    @Test("mutated messages of every type with rules are all counted")
    func mutatedContent() throws {
        let types: [any Message.Type] = [
            PointCloud2.self, Image.self, CompressedImage.self, CameraInfo.self, TFMessage.self, PoseStamped.self,
            Odometry.self, PoseWithCovarianceStamped.self, PoseArray.self, Path.self, Imu.self,
        ]
        var generator = SeededRandomNumbers(seed: 61)
        func row<M: Message>(_ topic: Int, _ type: M.Type, seed: Int) -> HandmadeBag.Row {
            let bytes = RandomFiller.message(of: type, seed: UInt64(seed)).encodedCDR()
            let words = ["\u{FF}\u{FF}", "jpeg", "rgb8", "\0\0\0\0"]
            return HandmadeBag.Row(topic: topic, time: 1, bytes: mutated(bytes, words: words, using: &generator))
        }
        let rows = (0..<50).flatMap { seed in types.enumerated().map { row($0, $1, seed: seed) } }
        let topics = types.map { type in
            HandmadeBag.Topic(name: "/\(type.typeName.count)", typeName: type.typeName, definition: type.definitionText)
        }
        #expect(try HandmadeBag(topics, rows).check().messageCount == rows.count)
    }

    @Test(
        "hostile definitions are told",
        arguments: [
            "test_msgs/Made other",
            "test_msgs/B b\n" + String(repeating: "=", count: 80) + "\nMSG: test_msgs/B\ntest_msgs/Made a",
            "uint8[99999999999999999999] x",
            "std_msgs/Header[4294967295] x\nstd_msgs/Header[4294967295] y z",
            "string<=99999999999999999999 x",
        ]
    )
    func hostile(definition: String) throws {
        let topic = HandmadeBag.Topic(name: "/made", typeName: "test_msgs/msg/Made", definition: definition)
        let report = try HandmadeBag([topic], [HandmadeBag.Row(topic: 0, time: 1, bytes: [0, 1, 0, 0, 7])]).check()
        #expect(report.complaints == ["error definition.unparsable", "warning message.unknown-type"], "\(report.text)")
    }
}
