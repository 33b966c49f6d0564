import Messages

/// Collects the `fragment`s of a client's operations until each operation is complete.
///
/// Parts are joined by number, in any order of arrival. The bytes of all unfinished operations, their number and the
/// number of their parts are limited.
package struct FragmentTable {
    /// The bytes that all unfinished operations hold together.
    package let byteLimit: Int
    /// Limits that no sensible client reaches.
    static let maximumParts = 100_000
    static let maximumOperations = 100

    private struct Entry {
        var id: String
        var total: Int
        var parts: [Int: [UInt8]] = [:]
        var byteCount = 0
    }

    private var entries: [Entry] = []
    package private(set) var byteCount = 0
    private var partCount = 0

    package init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The number of operations that are unfinished, or were dropped unfinished.
    var unfinishedCount: Int { entries.count + forgottenCount }
    private var forgottenCount = 0

    /// Adds a part; returns the operation's text if it was the last one missing.
    package mutating func add(id: String, number: Int, total: Int, data: [UInt8]) throws(Refusal) -> [UInt8]? {
        guard total > 0, total <= FragmentTable.maximumParts, number >= 0, number < total else {
            throw Refusal("fragment: expected num below total, found \(number) of \(total)")
        }
        guard id.utf8.count <= 1_000 else {
            throw Refusal("fragment: expected an id of at most 1000 bytes, found \(id.utf8.count)")
        }
        let index = entries.firstIndex { $0.id == id } ?? append(Entry(id: id, total: total))
        guard entries[index].total == total else {
            discard(index)
            throw Refusal("fragment: expected the same total in each part, found another")
        }
        guard entries[index].parts[number] == nil else {
            discard(index)
            throw Refusal("fragment: expected part \(number) once, found it twice")
        }
        // A client that never finishes its operations loses the oldest one.
        while isFull(for: data.count), entries.count > 1, entries[0].id != id {
            discard(0)
            forgottenCount += 1
        }
        guard !isFull(for: data.count), let current = entries.firstIndex(where: { $0.id == id }) else {
            if let current = entries.firstIndex(where: { $0.id == id }) { discard(current) }
            throw Refusal(
                "fragment: expected at most \(byteLimit) bytes and \(Self.maximumParts) parts in all, found more"
            )
        }
        entries[current].parts[number] = data
        entries[current].byteCount += data.count
        byteCount += data.count
        partCount += 1
        guard entries[current].parts.count == total else { return nil }
        let parts = entries[current].parts
        discard(current)
        var joined: [UInt8] = []
        for number in 0..<total { joined += parts[number] ?? [] }
        return joined
    }

    private func isFull(for count: Int) -> Bool {
        byteCount + count > byteLimit || partCount >= Self.maximumParts || entries.count > Self.maximumOperations
    }

    private mutating func append(_ entry: Entry) -> Int {
        entries.append(entry)
        return entries.count - 1
    }

    private mutating func discard(_ index: Int) {
        byteCount -= entries[index].byteCount
        partCount -= entries[index].parts.count
        entries.remove(at: index)
    }
}

/// Limits what latched topics keep for the start of each chunk of the bag.
///
/// Transforms are kept by child frame, as they are in the bag; everything else by its last message.
struct LatchedBudget {
    /// The maximum number of static transforms, more than any robot has.
    static let maximumFrames = 1_000

    private let byteLimit: Int
    private var byteCounts: [String: Int] = [:]
    private var frames: [String: Set<String>] = [:]
    private var byteCount = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// Notes a message of a latched topic, or refuses it.
    ///
    /// - Parameter count: the bytes of the publish operation.
    mutating func keep(_ message: StampedMessage, byteCount count: Int) throws(Refusal) {
        let name = message.topic.name
        let total = byteCount + count - byteCounts[name, default: 0]
        guard total <= byteLimit else {
            throw Refusal(
                topic: name,
                "publish: expected at most \(byteLimit) bytes in the last messages of all latched topics, found more"
            )
        }
        if let transforms = (message.message as? TFMessage)?.transforms {
            var all = frames[name, default: []]
            for transform in transforms {
                all.insert(transform.childFrameID)
                guard all.count <= Self.maximumFrames, transform.childFrameID.utf8.count <= 1_000 else {
                    throw Refusal(
                        topic: name,
                        "publish: expected at most \(Self.maximumFrames) frames in a latched topic, found more"
                    )
                }
            }
            frames[name] = all
        }
        byteCount = total
        byteCounts[name] = count
    }
}
