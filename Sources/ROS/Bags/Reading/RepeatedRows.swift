/// Recognises rows that are there twice: of one topic and one time, with the same bytes.
///
/// A publisher that loses its connection sends again what may not have arrived, so the copy comes a while later.
package struct RepeatedRows<Topic: Hashable> {
    /// Rows of a topic among which a copy is looked for.
    private static var window: Int { 4096 }

    private struct Key: Hashable {
        var time: Int64
        var digest: Int
    }

    private struct Recent {
        var keys: Set<Key> = []
        /// The oldest is overwritten once it is full.
        var ring: [Key] = []
        var next = 0

        mutating func remember(_ key: Key) {
            guard ring.count >= RepeatedRows.window else { return ring.append(key) }
            keys.remove(ring[next])
            ring[next] = key
            next = (next + 1) % RepeatedRows.window
        }
    }

    private var topics: [Topic: Recent] = [:]

    package init() {}

    /// True if this is a copy of a row before it; it is one of those from now on.
    package mutating func isRepeated(
        topic: Topic,
        timeNanoseconds time: Int64,
        bytes: UnsafeRawBufferPointer
    ) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let key = Key(time: time, digest: hasher.finalize())
        guard topics[topic, default: Recent()].keys.insert(key).inserted else { return true }
        topics[topic]?.remember(key)
        return false
    }
}
