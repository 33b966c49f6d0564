import Messages
import Platform
import Sessions

extension BagReportSink {
    /// What a stream of a bag is: its name in the head of a page, the types of its topics, the section that shows it.
    private static let streams: [(name: String, types: Set<String>, section: String)] = [
        ("images", [CompressedImage.typeName, Image.typeName], "images"), ("depth", [], "topics"),
        ("clouds", [PointCloud2.typeName], "cloud"), ("IMU", [Imu.typeName], "time"),
        ("fixes", [NavSatFix.typeName], "topics"), ("odometry", [Odometry.typeName], "map"),
        ("transforms", [TFMessage.typeName], "topics"),
    ]

    /// True for an image whose pixels are metres or millimetres: by its encoding, which REP-118 says, or the one that
    /// image_transport puts ahead of a codec.
    static func isDepth(_ message: StampedMessage) -> Bool {
        let encoding =
            switch message.topic.typeName {
            case Image.typeName: message.message.compiled(as: Image.self)?.encoding
            case CompressedImage.typeName: message.message.compiled(as: CompressedImage.self)?.format
            default: nil as String?
            }
        return encoding.map { $0.hasPrefix("16UC1") || $0.hasPrefix("32FC1") } ?? false
    }

    /// How many messages of each stream there are, in how many topics.
    ///
    /// - Parameters:
    ///   - doubted: The topics of which a check found something.
    ///   - sections: The identifiers of what the page shows; all else leads to the table of topics.
    func streams(doubted: Set<String>, sections: Set<String>) -> [(share: StreamShare, section: String)] {
        Self.streams.map { stream in
            let names = order.filter { name in
                // A confidence is an image of what the depth beside it is worth.
                guard let row = rows[name], !name.hasSuffix("/confidence") else { return false }
                return row.isDepth ? stream.name == "depth" : stream.types.contains(row.typeName)
            }
            let read = names.reduce(0) { $0 + (rows[$1]?.count ?? 0) }
            let held = names.reduce(0) { $0 + max(counts[$1] ?? 0, rows[$1]?.count ?? 0) }
            let isDoubted = read < held || names.contains { doubted.contains($0) }
            var text = held == 0 ? "none" : Readable.count(read)
            if read < held { text += " of \(Readable.count(held))" }
            if held > 0, names.count > 1 { text += " in \(names.count) topics" }
            let share = StreamShare(stream.name, text, isDoubted ? .part : held > 0 ? .whole : .none)
            // Where there is nothing, there is nothing to be led to.
            guard share.amount != .none else { return (share, "") }
            return (share, sections.contains(stream.section) ? stream.section : "topics")
        }
    }
}
