package import Platform
import Recording
import SystemPackage
import Text

/// Several LeRobot data sets of this program as one: rows are numbered anew, videos are copied as they are.
package struct LeRobotMerge: Sendable {
    private let parts: [LeRobotReading]
    private let tasks: [String]

    /// - Throws: a ``LeRobotError`` where the data sets have not the same features and rate.
    package init(_ paths: [String]) throws {
        parts = try paths.map { try LeRobotReading(FilePath($0)) }
        var tasks: [String] = []
        for part in parts {
            for task in part.tasks where !tasks.contains(task) { tasks.append(task) }
            guard let first = parts.first, part.features != first.features else { continue }
            throw LeRobotReading.unlike(part.path, "features", first.features.summary, part.features.summary)
        }
        self.tasks = tasks
    }

    /// - Parameter version: of this program.
    package func run(
        into folder: OutputFolder,
        version: String,
        progress: ProgressHandler = { _ in }
    ) throws -> LeRobotReport {
        guard let features = parts.first?.features else { throw LeRobotError.noEpisode(reasons: "no data set") }
        var report = LeRobotReport(features: features)
        report.isMerged = true
        let dataset = try LeRobotDataset(folder, features, tasks: tasks, ffmpeg: nil)
        var recordings: [JSONValue] = []
        let total = parts.reduce(0) { $0 + $1.episodes.count }
        for part in parts {
            let first = dataset.episodes.count
            recordings += part.recordings.map { recording in
                var members = (recording.object?.members ?? []).map { ($0.key, $0.value) }
                for place in members.indices where members[place].0 == "first_episode" {
                    members[place].1 = .integer(Int(clamping: members[place].1.integer ?? 0) + first)
                }
                return .object(members)
            }
            try dataset.append(part, tasks: part.tasks.map { tasks.firstIndex(of: $0) ?? 0 }) {
                try Task.checkCancellation()
                progress(WorkProgress("writing", dataset.episodes.count, of: total, .steps))
            }
            var one = LeRobotReport.Recording(name: "\(part.path)")
            (one.episodes, one.steps, one.frames) = (part.episodes.count, part.rowCount, part.rowCount)
            report.recordings.append(one)
        }
        try dataset.finish(recordings: recordings, version: version)
        try LeRobotReading.check(folder, dataset)
        report.counts.episodes = dataset.episodes.count
        report.steps = dataset.episodes.reduce(0) { $0 + $1.length }
        report.videoBytes = dataset.videoBytes
        return report
    }
}

extension LeRobotFeatures {
    /// For an error.
    var summary: String {
        let names = columns.map { "\($0.name)[\($0.elements.count)]" }
        let sizes = [(Self.image, image), (Self.depth, depth)].compactMap { name, size in
            size.map { "\(name) \($0.width)x\($0.height)" }
        }
        return "\(framesPerSecond) steps a second (--fps), " + (names + sizes).joined(separator: ", ")
    }
}
