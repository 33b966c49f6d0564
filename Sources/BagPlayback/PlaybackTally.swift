import Bags
import ROS

/// Counts what could not be played as it is.
struct PlaybackTally {
    private static let listedBroken = 20
    /// A hostile bag could make up keys without end.
    private static let listedKeys = 1000

    private let setup: BagPlaybackSetup
    private var brokenCounts: [String: Int] = [:]
    private var broken: [BagPlaybackReport.BrokenMessage] = []
    private var unknown: [String: [String: Int]] = [:]
    private var unknownCount = 0
    private var misfiledCount = 0

    init(_ setup: BagPlaybackSetup) { self.setup = setup }

    mutating func note(_ moment: Moment) {
        for one in moment.broken {
            let topic = name(one.channel)
            brokenCounts[topic, default: 0] += 1
            let message = BagPlaybackReport.BrokenMessage(
                topic: topic,
                timeNanoseconds: moment.timeNanoseconds,
                reason: one.reason
            )
            if broken.count < Self.listedBroken, !broken.contains(message) { broken.append(message) }
        }
        for row in moment.rows {
            if row.isMisfiled { misfiledCount += 1 }
            guard !row.unknown.isEmpty else { continue }
            let topic = name(row.channel)
            for (path, count) in row.unknown.counts {
                if unknown[topic]?[path] == nil {
                    guard unknownCount < Self.listedKeys else { continue }
                    unknownCount += 1
                }
                unknown[topic, default: [:]][path, default: 0] += count
            }
        }
    }

    private func name(_ channel: Int) -> String { setup.channels[channel]?.sourceName ?? "" }

    /// Adds what was counted to a report.
    func complete(_ report: inout BagPlaybackReport) {
        report.brokenCounts = brokenCounts.sorted { $0.key < $1.key }
            .map { BagPlaybackReport.BrokenCount(topic: $0.key, count: $0.value) }
        report.broken = broken
        report.unknownKeys = unknown.flatMap { topic, paths in
            paths.map { BagPlaybackReport.UnknownKey(topic: topic, path: $0.key, count: $0.value) }
        }
        .sorted { ($0.topic, $0.path) < ($1.topic, $1.path) }
        report.leftOut = setup.leftOut
        report.warnings = setup.reader.warnings + setup.reader.problems.map(\.description)
        report.hasDamagedFiles = setup.reader.hasDamagedFiles
        if misfiledCount > 0 {
            report.warnings.append(
                "\(misfiledCount) messages name another topic than the one they are filed under;"
                    + " the one they name counts where the bag has it"
            )
        }
    }
}
