import Recording

/// A small heap of what a stream yields, the earliest first; equal times keep the order of the file.
struct TimeHeap<Content> {
    /// How many entries may wait to be put in order, in every stream of a session.
    static var window: Int { 64 }

    struct Entry {
        var time: Timestamp
        var content: Content
    }

    private var entries: [(key: Timestamp, sequence: Int, entry: Entry)] = []
    private var sequence = 0

    var count: Int { entries.count }

    var firstTime: Timestamp? { entries.first?.key }

    mutating func insert(_ entry: Entry) {
        entries.append((entry.time, sequence, entry))
        sequence += 1
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(child, parent) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> Entry? {
        guard let first = entries.first else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < entries.count else { break }
            let right = left + 1
            let child = right < entries.count && precedes(right, left) ? right : left
            guard precedes(child, parent) else { break }
            entries.swapAt(child, parent)
            parent = child
        }
        return first.entry
    }

    private func precedes(_ a: Int, _ b: Int) -> Bool {
        (entries[a].key, entries[a].sequence) < (entries[b].key, entries[b].sequence)
    }
}
