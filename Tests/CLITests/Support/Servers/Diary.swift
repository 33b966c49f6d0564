import Foundation

/// What a test's rosbridge server wrote down, in its order.
struct Diary {
    struct Entry: Decodable {
        var event: String
        /// Seconds of a monotonic clock.
        var at: Double?
        /// Characters of the operation.
        var length: Int?
        var topic: String?
        var type: String?
        var latch: Bool?
        var digest: String?
        var stamp: Int64?
        var service: String?
        var num: Int?
        var total: Int?
        var code: Int?
        var forgotten: Int?
        var why: String?
    }

    var entries: [Entry]

    init(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        entries = try text.split(separator: "\n").map {
            try JSONDecoder().decode(Entry.self, from: Data($0.utf8))
        }
    }

    func all(_ event: String) -> [Entry] { entries.filter { $0.event == event } }

    var publishes: [Entry] { all("publish") }

    /// Digests by topic, in their order.
    var digests: [String: [String]] {
        Dictionary(grouping: publishes, by: { $0.topic ?? "" }).mapValues { $0.map { $0.digest ?? "" } }
    }

    /// Stamps of a topic's messages, in nanoseconds.
    func stamps(_ topic: String) -> [Int64] { publishes.filter { $0.topic == topic }.compactMap(\.stamp) }

    var advertised: [String] { all("advertise").compactMap(\.topic) }

    func count(_ topic: String) -> Int { publishes.count { $0.topic == topic } }
}
