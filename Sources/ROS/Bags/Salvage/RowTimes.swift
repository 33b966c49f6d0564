import Messages

/// Finds times for rows with invalid timestamps: those in the headers of their messages.
package struct RowTimes {
    private let topics: [Int64: BagTopic]
    /// The decoders by topic number; nil if the type is unknown.
    private var decoders: [Int64: RowDecoder?] = [:]

    /// - Parameter topics: The topics by the file's numbers.
    package init(_ topics: [Int64: BagTopic]) {
        self.topics = topics
    }

    /// The time in a message's header in nanoseconds; nil if there is none, or it cannot be read.
    package mutating func stamp(topic: Int64, _ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard let known = topics[topic] else { return nil }
        let decoder = decoders[topic] ?? (try? RowDecoder(known))
        decoders[topic] = .some(decoder)
        var unknown = UnknownFields()
        let stamp = try? decoder?.decode(bytes, unknown: &unknown).message.headerStampNanoseconds
        return stamp.flatMap { $0 > 0 ? $0 : nil }
    }

    /// A description of what was done.
    package static func action(_ count: Int) -> String {
        "gave \(count) messages whose timestamp was no time since 1970 that of their header, or of the row before"
    }
}
