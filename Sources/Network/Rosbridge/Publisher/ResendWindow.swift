import Files
import Messages
import NIOCore

/// Messages that were confirmed, and are kept until the server has lived long enough to have passed them on.
///
/// A confirmation proves that the bridge has handled a message, not that DDS has delivered it: what a bridge has
/// handled shortly before it dies can be lost with it. So a message is kept until the server is known to have been
/// alive a whole window after the message was confirmed. Each answer shows that the server was alive when it was asked;
/// the time at which a loss is noticed, which may be much later, plays no part.
struct ResendWindow: Sendable {
    /// What is not kept any more and not certain either, by topic.
    typealias Forgotten = [String: Int]

    private struct Kept: Sendable {
        var entry: AckTracker.Entry
        var confirmedNanoseconds: Int64
    }

    /// Memory of a message beside its data.
    private static let overheadBytes = 512

    /// The length of the window; 0 keeps nothing.
    let nanoseconds: Int64
    let byteLimit: Int
    private(set) var byteCount = 0
    private var kept: CircularBuffer<Kept> = []
    /// Counts by topic, of one time of confirmation each.
    private var forgotten: CircularBuffer<(confirmedNanoseconds: Int64, counts: Forgotten)> = []

    init(nanoseconds: Int64, byteLimit: Int) {
        self.nanoseconds = nanoseconds
        self.byteLimit = byteLimit
    }

    var count: Int { kept.count }

    /// When a request has to be sent, at the earliest, whose answer shows that nothing needs to be kept any more.
    var endNanoseconds: Int64? {
        let last = [kept.last?.confirmedNanoseconds, forgotten.last?.confirmedNanoseconds].compactMap { $0 }.max()
        return last.map { $0.addingReportingOverflow(nanoseconds) }.map { $0.overflow ? .max : $0.partialValue }
    }

    /// Keeps a message that is confirmed now; the oldest ones are forgotten where there is no room for all.
    mutating func keep(_ entry: AckTracker.Entry, confirmedNanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        kept.append(Kept(entry: entry, confirmedNanoseconds: confirmedNanoseconds))
        byteCount += Self.size(entry)
        while byteCount > byteLimit, kept.count > 1, let oldest = kept.popFirst() {
            byteCount -= Self.size(oldest.entry)
            forget(oldest.entry, confirmedNanoseconds: oldest.confirmedNanoseconds)
        }
    }

    /// Counts a message that is confirmed and not kept, until that is certain.
    mutating func forget(_ entry: AckTracker.Entry, confirmedNanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        let name = entry.item.message.topic.name
        // In order of time: what was confirmed earlier than the last entry is counted with it.
        if let last = forgotten.indices.last, forgotten[last].confirmedNanoseconds >= confirmedNanoseconds {
            forgotten[last].counts[name, default: 0] += 1
        } else {
            forgotten.append((confirmedNanoseconds, [name: 1]))
        }
    }

    /// Lets go of what was confirmed a window or more before the server was alive.
    mutating func release(aliveNanoseconds: Int64) {
        let (latest, overflow) = aliveNanoseconds.subtractingReportingOverflow(nanoseconds)
        guard !overflow else { return }
        while let first = kept.first, first.confirmedNanoseconds <= latest {
            byteCount -= Self.size(first.entry)
            kept.removeFirst()
        }
        while let first = forgotten.first, first.confirmedNanoseconds <= latest { forgotten.removeFirst() }
    }

    /// Empties the window: returns what was kept, in order, and what ought to have been.
    mutating func takeAll() -> (entries: [AckTracker.Entry], forgotten: Forgotten) {
        defer { self = ResendWindow(nanoseconds: nanoseconds, byteLimit: byteLimit) }
        let counts = forgotten.reduce(into: Forgotten()) { $0.merge($1.counts, uniquingKeysWith: +) }
        return (kept.map(\.entry), counts)
    }

    private static func size(_ entry: AckTracker.Entry) -> Int { entry.item.byteCount + overheadBytes }
}
