import Bags
import Platform
import Recording
import SystemPackage
import Text

/// A LeRobot data set (v3.0) that is being written: episodes one after the other, then the files of `meta`.
///
/// `data/chunk-000/file-000.parquet` has the rows, a row group an episode, up to 100 MB a file; each episode has a video file of
/// its own; at most 1,000 files are in a chunk. https://huggingface.co/docs/lerobot/lerobot-dataset-v3
final class LeRobotDataset {
    static let filesInChunk = 1000
    static let dataFileBytes = 100 << 20

    let folder: OutputFolder
    let features: LeRobotFeatures
    let tasks: [String]
    private(set) var episodes: [LeRobotEpisode] = []
    private(set) var videoBytes = 0
    private let ffmpeg: ExternalProgram?
    private var table: ParquetFile?
    private var tableNumber = -1
    private var current: OpenEpisode?
    private var rowCount = 0
    /// Of all rows.
    private var numbers: [VectorStatistics]

    /// The episode that is being written.
    private struct OpenEpisode {
        var rows = 0
        var videos: [VideoWriter]
        var numbers: [VectorStatistics]
        var colours = PictureStatistics(channels: 3, meaning: (0..<256).map { Double($0) / 255 })
        var depth = PictureStatistics(
            channels: 1,
            meaning: (0...DepthCodes.largest).map { DepthCodes.metres(code: $0) }
        )
        var written = WrittenVideos()
    }

    /// - Parameter ffmpeg: `nil` for a data set without videos.
    init(_ folder: OutputFolder, _ features: LeRobotFeatures, tasks: [String], ffmpeg: ExternalProgram?) throws {
        (self.folder, self.features, self.tasks, self.ffmpeg) = (folder, features, tasks, ffmpeg)
        numbers = features.rowStatistics
        try folder.makeFolder("meta/episodes/chunk-000")
    }

    var isInEpisode: Bool { current != nil }

    /// The path of a file by its number, from its folder.
    static func place(_ number: Int) -> (chunk: Int, file: Int) { (number / filesInChunk, number % filesInChunk) }

    static func name(_ number: Int) -> String {
        let place = place(number)
        return "chunk-\(padded(place.chunk, 3))/file-\(padded(place.file, 3))"
    }

    func append(_ step: EpisodeStep) throws {
        var episode = try current ?? begin()
        // One owner only: else its arrays are copied with each step.
        current = nil
        let row = episode.rows
        let time = Float(Double(row) / Double(features.framesPerSecond))
        let vectors = step.values(features)
        let elements = try addRow(vectors, step.captureTimeSeconds, time, frame: row, task: 0)
        for (index, values) in elements.enumerated() { episode.numbers[index].add(values) }
        let frame = step.frame
        if !frame.picture.isEmpty {
            try episode.videos.first?.append(frame.picture)
            episode.colours.add(frame.pictureCounts)
            episode.written.add(picture: frame.picture, number: row)
        }
        if !frame.depth.isEmpty {
            try episode.videos.last?.append(frame.depth)
            episode.depth.add(frame.depthCounts)
            episode.written.add(depth: frame.depth)
        }
        episode.rows += 1
        current = episode
    }

    /// Writes a row of the episode that comes next, and counts it in the statistics of all rows.
    ///
    /// - Returns: the elements of each column.
    private func addRow(
        _ vectors: [[Float]],
        _ captureTimeSeconds: Double,
        _ time: Float,
        frame: Int,
        task: Int
    ) throws -> [[Double]] {
        let counters = [frame, episodes.count, rowCount, task]
        let scalars = [captureTimeSeconds, Double(time)] + counters.map { Double($0) }
        let elements = vectors.map { $0.map { Double($0) } } + scalars.map { [$0] }
        for (index, values) in elements.enumerated() { numbers[index].add(values) }
        try table?.append(
            vectors.map { .list($0.map { .float32($0) }) } + [.float64(captureTimeSeconds), .float32(time)]
                + counters.map { .integer(Int64($0)) }
        )
        rowCount += 1
        return elements
    }

    private func begin() throws -> OpenEpisode {
        try openTable()
        let number = episodes.count
        var videos: [VideoWriter] = []
        func open(_ key: String, _ form: VideoWriter.Form) throws {
            guard let ffmpeg else { return }
            let path = try newVideo(key, number)
            videos.append(
                try VideoWriter(ffmpeg, form, framesPerSecond: features.framesPerSecond, creating: path)
            )
        }
        if let size = features.image { try open(LeRobotFeatures.image, .colour(size)) }
        if let size = features.depth { try open(LeRobotFeatures.depth, .depth(size)) }
        return OpenEpisode(videos: videos, numbers: features.rowStatistics)
    }

    /// The path of an episode's video, whose folder is there.
    private func newVideo(_ key: String, _ number: Int) throws -> FilePath {
        try folder.makeFolder("videos/\(key)/chunk-\(padded(Self.place(number).chunk, 3))")
        return folder.file("videos/\(key)/\(Self.name(number)).mp4")
    }

    /// A file of rows with room for another episode.
    private func openTable() throws {
        if let table, table.byteCount < Self.dataFileBytes { return }
        try table?.finish()
        tableNumber += 1
        try folder.makeFolder("data/chunk-\(padded(Self.place(tableNumber).chunk, 3))")
        table = try ParquetFile(
            creating: folder.file("data/\(Self.name(tableNumber)).parquet"),
            features.tableColumns
        )
    }

    func endEpisode() throws {
        guard let episode = current else { return }
        current = nil
        try table?.endRowGroup()
        for video in episode.videos {
            try video.finish()
            videoBytes += try RegularFile.byteCount(of: video.path)
        }
        if let ffmpeg { try episode.written.check(episode.videos, ffmpeg, features, rows: episode.rows) }
        var statistics: [String: FeatureStatistics] = [:]
        for (column, one) in zip(features.tableColumns, episode.numbers) { statistics[column.name] = one.result }
        if features.image != nil { statistics[LeRobotFeatures.image] = episode.colours.result }
        if features.depth != nil { statistics[LeRobotFeatures.depth] = episode.depth.result }
        let number = episodes.count
        episodes.append(
            LeRobotEpisode(
                length: episode.rows,
                firstRow: rowCount - episode.rows,
                task: 0,
                dataFile: tableNumber,
                videos: features.videos.map { _ in
                    .init(
                        file: number,
                        fromSeconds: 0,
                        toSeconds: Double(episode.rows) / Double(features.framesPerSecond)
                    )
                },
                statistics: statistics
            )
        )
    }

    /// Appends all episodes of another data set, whose features are the same: rows get new numbers, videos are copied.
    ///
    /// - Parameters:
    ///   - tasks: the numbers of its tasks here.
    ///   - each: called after each episode.
    func append(_ part: LeRobotReading, tasks: [Int], each: () throws -> Void) throws {
        let sizes = features.columns.map(\.elements.count)
        var (number, row) = (0, 0)
        try part.forEachGroup { values, count in
            for place in 0..<count {
                guard part.episodes.indices.contains(number) else { return }
                let episode = part.episodes[number]
                if row == 0 { try openTable() }
                let vectors = zip(values, sizes).map { values, size in
                    values.numbers[(place * size)..<((place + 1) * size)].map { Float($0) }
                }
                let times = values.dropFirst(sizes.count).prefix(2).map { $0.numbers[place] }
                _ = try addRow(vectors, times[0], Float(times[1]), frame: row, task: tasks[episode.task])
                row += 1
                guard row == episode.length else { continue }
                try table?.endRowGroup()
                try copyVideos(of: episode, from: part)
                episodes.append(renumbered(episode, number, tasks[episode.task]))
                (number, row) = (number + 1, 0)
                try each()
            }
        }
    }

    private func copyVideos(of episode: LeRobotEpisode, from part: LeRobotReading) throws {
        let number = episodes.count
        for (key, video) in zip(features.videos, episode.videos) {
            let source = part.path.appending("videos/\(key)/\(Self.name(video.file)).mp4")
            guard video.fromSeconds == 0 else {
                throw LeRobotReading.unlike(source, "from_timestamp", "0: a file of its own for each episode", "more")
            }
            guard FileType(of: source) == .regular else {
                throw LeRobotReading.unlike(source, "file", "a video", "none")
            }
            try WrittenVideos.requirePictures(episode.length, in: source)
            let video = try newVideo(key, number)
            try FileCopy.copy(source, to: video)
            videoBytes += try RegularFile.byteCount(of: video)
        }
    }

    /// An episode of another data set, of which it is the `own` one, as the next one of this.
    private func renumbered(_ episode: LeRobotEpisode, _ own: Int, _ task: Int) -> LeRobotEpisode {
        var result = episode
        let number = episodes.count
        (result.firstRow, result.task, result.dataFile) = (rowCount - episode.length, task, tableNumber)
        for index in result.videos.indices { result.videos[index].file = number }
        func shift(_ name: String, by difference: Int) {
            guard var statistics = result.statistics[name] else { return }
            for (place, key) in FeatureStatistics.names.enumerated() where key != "std" {
                for element in statistics.values[place].indices {
                    statistics.values[place][element] += Double(difference)
                }
            }
            result.statistics[name] = statistics
        }
        shift("index", by: result.firstRow - episode.firstRow)
        shift("episode_index", by: number - own)
        shift("task_index", by: task - episode.task)
        return result
    }

    /// Writes what follows the last episode.
    ///
    /// - Parameters:
    ///   - recordings: what the data set was made of, as ``LeRobotMeta/origin(_:_:)`` describes each.
    ///   - version: of this program.
    func finish(recordings: [JSONValue], version: String) throws {
        try table?.finish()
        table = nil
        let origin: JSONValue = [
            "generator": .string("mapeverything \(version)"), "format": "lerobot", "recordings": .array(recordings),
        ]
        let statistics = zip(features.tableColumns, numbers).map { ($0.name, $1.result) }
        try LeRobotMeta(
            features: features,
            tasks: tasks,
            episodes: episodes,
            rows: Dictionary(uniqueKeysWithValues: statistics)
        ).write(in: folder)
        // Written last: its time tells whether the folder was changed afterwards.
        try folder.write(origin.text(style: .pretty) + "\n", to: LeRobotMeta.originFile)
    }
}

/// What `meta/episodes` says of an episode.
struct LeRobotEpisode: Sendable {
    struct Video: Sendable, Hashable {
        var file: Int
        var fromSeconds: Double
        var toSeconds: Double
    }

    var length: Int
    /// The number of its first row in the data set.
    var firstRow: Int
    /// The number of its task.
    var task: Int
    /// The numbers of its files: chunks have ``LeRobotDataset/filesInChunk`` of them.
    var dataFile: Int
    /// In the order of ``LeRobotFeatures/videos``.
    var videos: [Video]
    var statistics: [String: FeatureStatistics]
}

extension LeRobotFeatures {
    /// Empty statistics of all columns of the rows, in their order.
    fileprivate var rowStatistics: [VectorStatistics] {
        (columns.map(\.elements.count) + [Int](repeating: 1, count: 6)).map { VectorStatistics(size: $0) }
    }

    /// All columns of the rows, in their order.
    var tableColumns: [TableColumn] {
        columns.map { TableColumn($0.name, .float32, listDepth: 1) }
            + [TableColumn(Self.captureTime, .float64), TableColumn("timestamp", .float32)]
            + Self.counters.map { TableColumn($0, .int64) }
    }
}
