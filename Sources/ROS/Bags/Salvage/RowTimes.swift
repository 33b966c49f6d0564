import Messages

/// Times for rows whose own are none: those in the headers of their messages.
package struct RowTimes {
    private var decoders: [Int64: BagDecoder]

    /// - Parameter topics: By the file's numbers.
    package init(_ topics: [Int64: BagTopic]) {
        decoders = topics.mapValues { BagDecoder(topics: [$0]) }
    }

    /// The time in a message's header in nanoseconds; nil where it has none, or cannot be read.
    package mutating func stamp(topic: Int64, _ bytes: UnsafeRawBufferPointer) -> Int64? {
        let row = BagRow(topic: 0, timeNanoseconds: 0, bytes: Array(bytes))
        guard let stamp = try? decoders[topic]?.decode(row).message.headerStampNanoseconds, stamp > 0 else {
            return nil
        }
        return stamp
    }

    /// What was done, in words.
    package static func action(_ count: Int) -> String {
        "gave \(count) messages whose timestamp was no time since 1970 that of their header, or of the row before"
    }
}
