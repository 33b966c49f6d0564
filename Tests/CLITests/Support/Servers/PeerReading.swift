/// The messages of a bag, as readers of others find them.
///
/// Rows are "topic type time digest", sorted; the digest is that of the bytes as stored.
struct PeerReading: Decodable {
    /// By rosbags, of a directory of CDR with metadata.yaml; else its complaint.
    var rosbags: [String]
    /// By the mcap package or Python's sqlite3, of the storage files.
    var files: [String]
    /// How many messages of .mcap files mcap_ros2 decodes; else its complaint.
    var decoded: [String]

    static func of(_ bags: [String]) async throws -> [String: PeerReading] {
        try await Peer.json("read_bags.py", bags)
    }

    /// What both readers find; nil if they differ.
    var agreed: [String]? { rosbags == files ? files : nil }

    /// Rows of the topics alone.
    func rows(_ topics: String...) -> [String] {
        files.filter { row in topics.contains { row.hasPrefix($0 + " ") } }
    }
}

extension String {
    /// The nanoseconds of a row.
    var rowTime: Int64? { split(separator: " ").dropFirst(2).first.flatMap { Int64($0) } }
}
