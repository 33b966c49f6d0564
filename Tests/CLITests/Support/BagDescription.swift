/// What the messages of a topic have in common, as rosbags reads them.
struct BagDescription: Decodable {
    var type: String
    var count: Int
    var frames: [String]
    var children: [String]
    /// Of clouds: `name@offset:datatype`.
    var fields: [String]
    /// Of all clouds together.
    var points: Int
    var dense: Bool

    static func of(_ bag: String) async throws -> [String: BagDescription] {
        try await Peer.json("describe_bag.py", [bag])
    }
}
