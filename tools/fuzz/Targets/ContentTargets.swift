import BagTools
import Bags
import Messages
import TestSupport
import Text

extension FuzzTarget {
    /// The check of one message in a sound .mcap: the first byte chooses its type, the rest is the message in CDR.
    static let checkContent = FuzzTarget(
        name: "check-content",
        seeds: {
            types.enumerated().flatMap { index, type in
                [false, true].map { [UInt8(index)] + MessageFiller.message(of: type, isFilled: $0).encodedCDR() }
            } + [pictures(0xFFD8_FFE0), pictures(0x8950_4E47)]
        },
        dictionary: [
            "jpeg", "png", "; compressedDepth png", "rgb8", "32FC1", "x\u{0}", "\u{FF}\u{FF}\u{FF}\u{FF}", "plumb_bob",
            "\u{0}\u{0}\u{C0}\u{7F}",
        ],
        maximumBytes: 1024,
        run: { input in
            guard let first = input.first else { return }
            let type = types[Int(first) % types.count]
            guard let file = try? file(of: type, Array(input.dropFirst())) else { return require(false, "no file") }
            let report = BagChecker.check(MCAPMemorySource(file), named: "bag_0.mcap")
            require(report.messageCount == 1, "\(report.messageCount) messages of one")
        }
    )

    /// The check of an .mcap file of any bytes; what does not begin as one has to be looked at on the disk.
    static let mcapCheck = FuzzTarget(
        name: "mcap-check",
        seeds: mcap.seeds,
        dictionary: mcap.dictionary,
        maximumBytes: 2048,
        run: { input in
            if input.starts(with: [0x89, 0x4D, 0x43, 0x41, 0x50]) {
                _ = BagChecker.check(MCAPMemorySource(Array(input)), named: "bag_0.mcap")
            } else {
                bagFile.write(input)
                _ = try? BagChecker.check(bagFile.path)
            }
        }
    )

    /// A row of a rosbridge_json bag: the first byte chooses the type, the rest is the operation or the bare message.
    static let rosbridgeRow = FuzzTarget(
        name: "rosbridge-row",
        seeds: {
            MessageTypes.all.enumerated().flatMap { index, type in
                let message = MessageFiller.message(of: type, isFilled: true)
                var operation: [UInt8] = []
                try? RosbridgeEnvelope.appendPublish(topic: "/a", isLatched: true, message: message, to: &operation)
                return [operation, (try? message.encodedJSON()) ?? []].map { [UInt8(index)] + $0 }
            }
        },
        dictionary: ["\"op\":", "\"publish\"", "\"topic\":", "\"msg\":", "\"latch\":true", "{}", "null", "\"/a\""],
        run: { input in
            guard let first = input.first else { return }
            let type = MessageTypes.all[Int(first) % MessageTypes.all.count]
            checkRow(type, Array(input.dropFirst()))
        }
    )

    private static let bagFile = FuzzFile("bag_0.mcap", in: FuzzFolder("content"))

    /// What rules are there for, and one type without.
    private static let types: [any Message.Type] = [
        PointCloud2.self, Image.self, CompressedImage.self, CameraInfo.self, TFMessage.self, TransformStamped.self,
        PoseStamped.self, Odometry.self, PoseWithCovarianceStamped.self, PoseArray.self, Path.self, Imu.self,
        NavSatFix.self,
    ]

    private static func file(of type: any Message.Type, _ bytes: [UInt8]) throws -> [UInt8] {
        // The chunk of a writer takes a mebibyte otherwise.
        var writer = try MCAPWriter(profile: "ros2", library: "fuzz", options: MCAPWriterOptions(chunkBytes: 1024))
        // Without a definition the type is the one that is compiled in, and nothing has to be parsed.
        let schema = try writer.addSchema(name: type.typeName, encoding: "", data: [])
        let channel = try writer.addChannel(topic: "/a", schema: schema, messageEncoding: "cdr", metadata: [])
        try bytes.withUnsafeBytes {
            try writer.write(channel: channel, sequence: 1, logTime: 1_000, publishTime: 1_000, data: $0)
        }
        try writer.flushChunk()
        return writer.takeOutput() + writer.ending()
    }

    /// A picture that begins with a signature.
    private static func pictures(_ signature: UInt32) -> [UInt8] {
        var image = CompressedImage()
        image.format = signature == 0xFFD8_FFE0 ? "jpeg" : "32FC1; compressedDepth png"
        let start: [UInt8] = signature == 0xFFD8_FFE0 ? [] : [UInt8](repeating: 0, count: 12)
        let rest: [UInt8] =
            signature == 0xFFD8_FFE0
            ? [0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]
            : [0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 4, 0, 0, 0, 3]
        image.data = start + withUnsafeBytes(of: signature.bigEndian) { Array($0) } + rest
        return [2] + image.encodedCDR()
    }

    private static func checkRow<M: Message>(_ type: M.Type, _ row: [UInt8]) {
        let decoder = RowDecoder(M.kind, format: "rosbridge_json")
        var unknown = UnknownFields()
        guard let read = try? decoder.decode(row, unknown: &unknown) else { return }
        // A filter for the topic gives the row exactly where the row names it.
        require((RosbridgeRow.topic(row) == nil) == (read.topic == nil), "a topic in one reading only")
        var operation: [UInt8] = []
        try? RosbridgeEnvelope.appendPublish(topic: read.topic ?? "/a", message: read.message, to: &operation)
        guard !operation.isEmpty else { return }
        let again = try? decoder.decode(operation, unknown: &unknown)
        require(
            again?.message.encodedCDR() == read.message.encodedCDR() && again?.topic == read.topic ?? "/a",
            "another row when written again"
        )
    }
}
