import Recording

/// A small heap of what a stream yields, the earliest first; equal times keep the order of the file.
struct TimeHeap<Content> {
    /// How many entries may wait to be put in order, in every stream of a session.
    static var window: Int { 64 }

    struct Entry {
        var time: Timestamp
        var content: Content
    }

    private var entries = Heap<(sequence: Int, entry: Entry)> { one, other in
        (one.entry.time, one.sequence) < (other.entry.time, other.sequence)
    }
    private var sequence = 0

    var count: Int { entries.count }

    var firstTime: Timestamp? { entries.first?.entry.time }

    mutating func insert(_ entry: Entry) {
        entries.insert((sequence, entry))
        sequence += 1
    }

    mutating func removeFirst() -> Entry? { entries.removeFirst()?.entry }
}
