import Platform
import Text

/// The files of `meta`: info.json, stats.json, tasks.parquet and the table of episodes.
struct LeRobotMeta {
    static let version = "v3.0"
    /// Says where a data set comes from.
    static let originFile = "mapeverything.json"

    let features: LeRobotFeatures
    let tasks: [String]
    let episodes: [LeRobotEpisode]
    /// The statistics of the columns of all rows.
    let rows: [String: FeatureStatistics]

    func write(in folder: OutputFolder) throws {
        try folder.write(info.text(style: .pretty) + "\n", to: "meta/info.json")
        try folder.write(statistics.text(style: .pretty) + "\n", to: "meta/stats.json")
        try writeTasks(in: folder)
        try writeEpisodes(in: folder)
        try folder.write(card, to: "README.md")
    }

    private var info: JSONValue {
        let rows = episodes.reduce(0) { $0 + $1.length }
        let name = "chunk-{chunk_index:03d}/file-{file_index:03d}"
        return [
            "codebase_version": .string(Self.version), "robot_type": "phone",
            "total_episodes": .integer(episodes.count),
            "total_frames": .integer(rows), "total_tasks": .integer(tasks.count),
            "chunks_size": .integer(LeRobotDataset.filesInChunk), "data_files_size_in_mb": 100,
            "video_files_size_in_mb": 200, "fps": .integer(features.framesPerSecond),
            "splits": ["train": .string("0:\(episodes.count)")], "data_path": .string("data/\(name).parquet"),
            "video_path": features.videos.isEmpty ? .null : .string("videos/{video_key}/\(name).mp4"),
            "features": features.json,
        ]
    }

    /// The names of all features, in their order.
    private var names: [String] { elementCounts.map(\.name) }

    private var statistics: JSONValue {
        .object(
            names.map { name in
                let joined = rows[name] ?? FeatureStatistics(joining: episodes.compactMap { $0.statistics[name] })
                let isVideo = features.videos.contains(name)
                let members = zip(FeatureStatistics.names, joined.values).map { key, values in
                    (key, JSONValue.array(values.map { isVideo ? [[.number($0)]] : .number($0) }))
                }
                return (name, .object(members + [("count", [.integer(joined.count)])]))
            }
        )
    }

    /// A table whose index, as pandas calls it, is the text of the task.
    private func writeTasks(in folder: OutputFolder) throws {
        func column(_ name: String, _ type: JSONValue, _ numpy: JSONValue) -> JSONValue {
            [
                "name": .string(name), "field_name": .string(name), "pandas_type": type, "numpy_type": numpy,
                "metadata": .null,
            ]
        }
        let pandas: JSONValue = [
            "index_columns": ["task"],
            "column_indexes": [
                [
                    "name": .null, "field_name": .null, "pandas_type": "unicode", "numpy_type": "object",
                    "metadata": ["encoding": "UTF-8"],
                ]
            ],
            "columns": [column("task_index", "int64", "int64"), column("task", "unicode", "object")],
            "creator": ["library": "mapeverything", "version": "1"], "pandas_version": "2.2.0",
        ]
        let table = try ParquetFile(
            creating: folder.file("meta/tasks.parquet"),
            [TableColumn("task_index", .int64), TableColumn("task", .text)],
            metadata: [("pandas", pandas.text())]
        )
        for (number, task) in tasks.enumerated() { try table.append([.integer(Int64(number)), .text(task)]) }
        try table.finish()
    }

    /// For each feature, how many numbers a statistic of it has.
    var elementCounts: [(name: String, count: Int)] {
        features.columns.map { ($0.name, $0.elements.count) }
            + features.videos.map { ($0, $0 == LeRobotFeatures.image ? 3 : 1) }
            + ([LeRobotFeatures.captureTime, "timestamp"] + LeRobotFeatures.counters).map { ($0, 1) }
    }

    var episodeColumns: [TableColumn] {
        var columns = [
            TableColumn("episode_index", .int64), TableColumn("tasks", .text, listDepth: 1),
            TableColumn("length", .int64),
            TableColumn("data/chunk_index", .int64), TableColumn("data/file_index", .int64),
            TableColumn("dataset_from_index", .int64), TableColumn("dataset_to_index", .int64),
        ]
        for key in features.videos {
            columns += [
                TableColumn("videos/\(key)/chunk_index", .int64), TableColumn("videos/\(key)/file_index", .int64),
                TableColumn("videos/\(key)/from_timestamp", .float64),
                TableColumn("videos/\(key)/to_timestamp", .float64),
            ]
        }
        columns += [
            TableColumn("meta/episodes/chunk_index", .int64), TableColumn("meta/episodes/file_index", .int64),
        ]
        for name in names {
            let depth = features.videos.contains(name) ? 3 : 1
            columns += FeatureStatistics.names.map { TableColumn("stats/\(name)/\($0)", .float64, listDepth: depth) }
            columns.append(TableColumn("stats/\(name)/count", .int64, listDepth: 1))
        }
        return columns
    }

    private func writeEpisodes(in folder: OutputFolder) throws {
        let table = try ParquetFile(creating: folder.file("meta/episodes/chunk-000/file-000.parquet"), episodeColumns)
        for (number, episode) in episodes.enumerated() { try table.append(cells(number, episode)) }
        try table.finish()
    }

    private func cells(_ number: Int, _ episode: LeRobotEpisode) -> [TableCell] {
        func whole(_ value: Int) -> TableCell { .integer(Int64(value)) }
        let data = LeRobotDataset.place(episode.dataFile)
        var cells: [TableCell] = [
            whole(number), .list([.text(tasks[episode.task])]), whole(episode.length), whole(data.chunk),
            whole(data.file),
            whole(episode.firstRow), whole(episode.firstRow + episode.length),
        ]
        for video in episode.videos {
            let place = LeRobotDataset.place(video.file)
            cells += [whole(place.chunk), whole(place.file), .float64(video.fromSeconds), .float64(video.toSeconds)]
        }
        cells += [whole(0), whole(0)]
        for name in names {
            let isVideo = features.videos.contains(name)
            let statistics = episode.statistics[name]
            for place in FeatureStatistics.names.indices {
                let numbers = (statistics?.values[place] ?? []).map { TableCell.float64($0) }
                cells.append(.list(isVideo ? numbers.map { .list([.list([$0])]) } : numbers))
            }
            cells.append(.list([whole(statistics?.count ?? 0)]))
        }
        return cells
    }

    /// The card that the Hugging Face Hub shows of a data set, and by which its viewer finds the rows.
    private var card: String {
        """
        ---
        task_categories:
        - robotics
        tags:
        - LeRobot
        configs:
        - config_name: default
          data_files: data/*/*.parquet
        ---

        Walks with a phone's camera\(features.depth == nil ? "" : " and LiDAR"), \(episodes.count) episodes at \
        \(features.framesPerSecond) steps a second, in LeRobot's format v3.0.

        `observation.state` is the pose of the camera's body (x forward, y left, z up): metres and a quaternion (x, y, z, w) in a
        frame that begins where the episode begins, with z up and x along the first view, level.\(actionText)\(depthText)

        """
    }

    private var actionText: String {
        switch features.action {
        case .relative:
            """
             `action` is the motion to the
            next step in the axes of the body: metres, and a rotation vector in radians.
            """
        case .absolute: " `action` is the pose\nof the next step."
        case .none: ""
        }
    }

    private var depthText: String {
        features.depth == nil
            ? ""
            : " Depth of 0.01 m stands for\npixels of which nothing is known."
    }
}
