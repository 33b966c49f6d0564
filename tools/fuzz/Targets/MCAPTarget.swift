import Bags

extension FuzzTarget {
    /// The MCAP reader on a whole file: by its summary, by walking through it, and message by message.
    static let mcap = FuzzTarget(
        name: "mcap",
        seeds: { mcapSeeds },
        dictionary: [
            "MCAP0\r\n", "lz4", "zstd", "ros2", "ros2msg", "cdr", "\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
            "\u{2}\u{14}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "\u{F}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "\u{6}",
            "\u{8}",
        ],
        run: { input in
            let source = MCAPMemorySource(Array(input))
            walk(source)
            guard let file = try? MCAPFile(source) else { return }
            readMessages(of: file)
            readRest(of: file)
        }
    )

    private static func walk(_ source: MCAPMemorySource) {
        guard var walk = try? MCAPWalk(source) else { return }
        // Records have at least nine bytes, but chunks hold more than they take.
        var remaining = 1_000_000
        while let item = try? walk.next() {
            if case .message(let message)? = item.record {
                let count = (try? walk.data(of: message))?.count
                require(count.map { $0 <= message.byteCount } ?? true, "more data than a message has")
            }
            require(item.place.offset >= 0 && item.place.offset <= source.size, "a record outside of the file")
            remaining -= 1
            if remaining == 0 { return }
        }
    }

    private static func readMessages(of file: MCAPFile) {
        let cursor = file.messages(verifiesChecksums: true)
        var last = UInt64.min
        var count: UInt64 = 0
        var isOrdered = true
        while let message = try? cursor.next() {
            if message.logTime < last { isOrdered = false }
            last = message.logTime
            let data = try? cursor.withData { [UInt8]($0) }
            require(data.map { $0.count <= message.byteCount } ?? true, "more data than a message has")
            count += 1
        }
        // A chunk that lies about its times cannot be put in order, but it can be told.
        let isTold = !cursor.problems.list.isEmpty || !file.problems.list.isEmpty
        require(isOrdered || isTold, "messages out of order, and no problem")
        let some = MCAPMessageFilter(channels: [1], startTime: 1_000, endTime: 2_000)
        let filtered = file.messages(some)
        while let message = try? filtered.next() {
            let isWanted = message.channelID == 1 && (1_000...2_000).contains(message.logTime)
            require(isWanted, "a message that was not asked for")
            count &-= 1
        }
        require(count < UInt64.max / 2, "more messages of one channel than of all")
    }

    private static func readRest(of file: MCAPFile) {
        _ = try? file.dataSectionProblem()
        for attachment in file.attachments {
            _ = try? file.problem(of: attachment.record, at: attachment.place)
            _ = try? file.data(of: attachment.record)
        }
        for channel in file.channels { _ = file.schema(of: channel) }
        _ = (file.messageCounts, file.timeRange, file.chunks)
        for problem in file.problems.list { require(!problem.description.isEmpty, "a problem without words") }
    }

    /// Files of each compression, with and without an ending, and one without chunks that was cut.
    private static var mcapSeeds: [[UInt8]] {
        let whole = MCAPCompression.allCases.compactMap { try? file($0, isEnded: true) }
        let open = (try? file(.none, isEnded: false)) ?? []
        return whole + [open, Array(open.prefix(open.count / 2)), Array(open.prefix(30))]
    }

    private static func file(_ compression: MCAPCompression, isEnded: Bool) throws -> [UInt8] {
        let options = MCAPWriterOptions(chunkBytes: 96, compression: compression)
        var writer = try MCAPWriter(profile: "ros2", library: "fuzz", options: options)
        writer.addMetadata(name: "rosbag2", [("serialized_metadata", "version: 9")])
        writer.addAttachment(name: "a", mediaType: "text/plain", logTime: 1, createTime: 2, data: [1, 2, 3])
        let schema = try writer.addSchema(name: "p/msg/M", encoding: "ros2msg", data: Array("uint8 a".utf8))
        let channels = try ["/a", "/b"].map {
            try writer.addChannel(topic: $0, schema: schema, messageEncoding: "cdr", metadata: [("offered_qos", "")])
        }
        for index in 0..<6 {
            let data: [UInt8] = [0, 1, 0, 0, UInt8(index)]
            try data.withUnsafeBytes { bytes in
                try writer.write(
                    channel: channels[index % 2],
                    sequence: UInt32(index),
                    logTime: UInt64(1_000 + 300 * (index ^ 1)),
                    publishTime: UInt64(1_000 * index),
                    data: bytes
                )
            }
        }
        try writer.flushChunk()
        let bytes = writer.takeOutput()
        return isEnded ? bytes + writer.ending() : bytes
    }
}
