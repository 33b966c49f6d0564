/// Every message of a bag, as rosbags reads it.
struct BagListing: Decodable {
    struct Row: Decodable, Hashable {
        var file: String
        var topic: String
        /// The row's, in nanoseconds.
        var time: Int64
        /// The header's, in nanoseconds.
        var stamp: Int64?
        /// Of the message's CDR, whatever the bag's serialization.
        var digest: String
    }

    var topics: [String: String]
    var rows: [Row]

    static func of(_ bag: String) async throws -> BagListing {
        try await Peer.json("list_bag.py", [bag])
    }

    func count(_ topic: String) -> Int { rows.count { $0.topic == topic } }

    /// Digests of the topics whose latched messages are stamped anew where they are repeated, and of all others.
    var repeated: [String: [String]] { digests.filter { $0.key == "/map" } }
    var unrepeated: [String: [String]] { digests.filter { $0.key != "/map" } }

    /// Digests by topic, in their order, without what was latched and is repeated at the start of each chunk.
    var digests: [String: [String]] {
        Dictionary(grouping: rows, by: \.topic).mapValues { rows in
            let all = rows.map(\.digest)
            return switch rows[0].topic {
            case "/tf_static": Array(all.prefix(1))
            // That it starts, and at the very end that it stops.
            case "/mapping/session": all.count > 1 ? [all[0], all[all.count - 1]] : all
            default: all
            }
        }
    }
}
