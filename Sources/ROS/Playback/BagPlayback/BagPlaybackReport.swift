package import Bags
package import Messages

package struct BagPlaybackReport: Sendable {
    /// A message that is not what its topic says, and was skipped.
    package struct BrokenMessage: Sendable, Hashable, CustomStringConvertible {
        package var topic: String
        package var timeNanoseconds: Int64
        package var reason: String

        package var description: String { "\(topic) at \(timeNanoseconds) ns: \(reason)" }
    }

    /// How many broken messages a topic had.
    package struct BrokenCount: Sendable, Hashable {
        package var topic: String
        package var count: Int
    }

    package var playback: PlaybackReport
    /// Each time that a broken message was passed, by topic, sorted.
    package var brokenCounts: [BrokenCount] = []
    /// The first of them, each once.
    package var broken: [BrokenMessage] = []
    /// Sorted by topic and path.
    package var unknownKeys: [UnknownKey] = []
    package var leftOut: [SkippedTopic] = []
    package var warnings: [String] = []
    /// Messages in the bag: what its tables, statistics and metadata.yaml say, the largest of it.
    package var inputCount = 0
    /// Messages that were read, in all passes.
    package var readCount = 0
    /// Messages that the chosen topics and times leave out; nil unless there was one whole pass.
    package var filteredCount: Int?
    /// Messages of the bag that could not be read.
    package var missingCount = 0
    /// Why, and what else is damaged in the bag; empty where it holds what it says.
    package var damage: [String] = []

    package var brokenCount: Int { brokenCounts.reduce(0) { $0 + $1.count } }

    /// True if something of the bag did not reach the output.
    package var lostAnything: Bool { isIncomplete || !unknownKeys.isEmpty || leftOutCount > 0 }

    /// Messages of topics that cannot be published.
    package var leftOutCount: Int { leftOut.reduce(0) { $1.isLoss ? $0 + $1.messageCount : $0 } }

    /// True if a part of the bag is missing that no filter left out.
    package var isIncomplete: Bool { missingCount > 0 || brokenCount > 0 || !damage.isEmpty }

    /// Missing parts, each with its number; empty where nothing is missing.
    package var shortfalls: [String] {
        var texts: [String] = []
        if missingCount > 0 { texts.append("\(missingCount) of \(inputCount) messages cannot be read") }
        if brokenCount > 0 { texts.append("\(brokenCount) messages are not what their topic says") }
        return texts + damage
    }
}

/// Counts what could not be played as it is.
struct PlaybackTally {
    private static let listedBroken = 20

    private let setup: BagPlaybackSetup
    private var brokenCounts: [String: Int] = [:]
    private var broken: [BagPlaybackReport.BrokenMessage] = []
    private var unknown = UnknownKeyTally()
    private var misfiledCount = 0
    private var readCount = 0
    private var missingCount = 0
    private var damage: [String] = []
    /// How many passes began, and how many of them came to the end.
    var passes = (begun: 0, ended: 0)

    init(_ setup: BagPlaybackSetup) { self.setup = setup }

    /// Notes what could not be read; a loop meets the same again.
    mutating func note(missing count: Int, _ problems: [BagError]) {
        missingCount = max(missingCount, count)
        for problem in problems where damage.count < Self.listedBroken && !damage.contains(problem.description) {
            damage.append(problem.description)
        }
    }

    /// Notes messages that are not what their topic says.
    mutating func note(broken messages: [TimestampGroup.Broken]) {
        for one in messages {
            let topic = name(one.bagTopic)
            brokenCounts[topic, default: 0] += 1
            let message = BagPlaybackReport.BrokenMessage(
                topic: topic,
                timeNanoseconds: one.timeNanoseconds,
                reason: one.reason
            )
            if broken.count < Self.listedBroken, !broken.contains(message) { broken.append(message) }
        }
    }

    mutating func note(_ moment: TimestampGroup) {
        readCount += moment.rows.count + moment.broken.count
        note(broken: moment.broken)
        for row in moment.rows {
            if row.isMisfiled { misfiledCount += 1 }
            if !row.unknown.isEmpty { unknown.add(row.unknown, topic: name(row.bagTopic)) }
        }
    }

    private func name(_ bagTopic: Int) -> String { setup.published[bagTopic]?.sourceName ?? "" }

    /// Adds what was counted to a report.
    func complete(_ report: inout BagPlaybackReport) {
        report.brokenCounts = brokenCounts.sorted { $0.key < $1.key }
            .map { BagPlaybackReport.BrokenCount(topic: $0.key, count: $0.value) }
        report.broken = broken
        report.unknownKeys = unknown.keys
        report.leftOut = setup.leftOut
        report.readCount = readCount
        account(&report)
        report.warnings = setup.reader.warnings.filter { !report.damage.contains($0) }
        if misfiledCount > 0 {
            report.warnings.append(
                "\(misfiledCount) messages name another topic than the one they are filed under;"
                    + " the one they name counts where the bag has it"
            )
        }
    }

    /// Settles the numbers of the bag: what is in it was read, left out, or is missing.
    private func account(_ report: inout BagPlaybackReport) {
        let reader = setup.reader
        let stated = reader.statedCount ?? 0
        report.inputCount = max(reader.heldCount, stated)
        report.missingCount = missingCount + reader.unreadableCount + max(0, stated - reader.heldCount)
        report.damage = reader.differences + reader.problems.map(\.description) + damage
        // Only one whole pass says how many messages it did not come by.
        guard passes.begun == 1, passes.ended == 1 else { return }
        let leftOut = report.leftOut.reduce(0) { $0 + $1.messageCount }
        let rest = report.inputCount - readCount - report.missingCount - leftOut
        if setup.isUnfiltered {
            report.missingCount += max(0, rest)
            report.filteredCount = 0
        } else {
            report.filteredCount = max(0, rest)
        }
    }
}
