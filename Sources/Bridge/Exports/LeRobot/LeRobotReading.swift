import Platform
import Recording
package import SystemPackage
import Text

/// A data set that this program has written, read from its files.
package struct LeRobotReading: Sendable {
    package let path: FilePath
    package let features: LeRobotFeatures
    let tasks: [String]
    let episodes: [LeRobotEpisode]
    /// What it was made of, as it says itself.
    let recordings: [JSONValue]

    private static let longestInfo = 16 << 20

    /// True for a folder that is a LeRobot data set, of whatever version.
    package static func looksLikeDataset(_ path: String) -> Bool {
        FileType(of: FilePath(path).appending("meta/info.json")) == .regular
    }

    /// The data sets at a path or in its folders, such as the results of a batch, in the order of their paths.
    package static func datasets(below path: String, depth: Int = 2) -> [String] {
        if looksLikeDataset(path) { return [path] }
        guard depth > 0, FileType(of: FilePath(path)) == .directory else { return [] }
        return ((try? directoryEntries(FilePath(path))) ?? []).filter { !$0.hasPrefix(".") }
            .flatMap { datasets(below: "\(FilePath(path).appending($0))", depth: depth - 1) }
    }

    /// - Throws: a ``LeRobotError`` for a data set that this program does not write, or one that is damaged.
    package init(_ path: FilePath) throws {
        self.path = path
        let info = path.appending("meta/info.json")
        let text = try RegularFile.head(of: info, byteCount: Self.longestInfo)
        let json: JSONValue
        do {
            json = try JSONValue.parse(text)
        } catch {
            throw Self.unlike(info, "text", "an object", "\(error)".replacing("JSON: ", with: ""))
        }
        let version = json["codebase_version"]?.string ?? "none"
        guard version == LeRobotMeta.version else {
            throw Self.unlike(info, "codebase_version", LeRobotMeta.version, version)
        }
        guard let features = LeRobotFeatures(info: json) else {
            let names = (json["features"]?.object?.keys ?? []).joined(separator: ", ")
            throw Self.unlike(info, "features", "those that mapeverything writes", "others: \(names.prefix(300))")
        }
        self.features = features
        let tasks = try ParquetReader(path.appending("meta/tasks.parquet"))
        self.tasks = try (0..<tasks.groupCount).flatMap { try tasks.group($0).last?.texts ?? [] }
        let table = path.appending("meta/episodes/chunk-000/file-000.parquet")
        episodes = try LeRobotMeta.episodes(table, features, tasks: self.tasks)
        let origin = try? RegularFile.head(of: path.appending(LeRobotMeta.originFile), byteCount: Self.longestInfo)
        recordings = origin.flatMap { try? JSONValue.parse($0) }?["recordings"]?.array ?? []
        let (expected, found) = (json["total_episodes"]?.integer ?? 0, episodes.count)
        guard Int64(found) == expected else {
            throw Self.unlike(info, "total_episodes", "\(expected)", "\(found)")
        }
    }

    static func unlike(_ file: FilePath, _ field: String, _ expected: String, _ found: String) -> LeRobotError {
        LeRobotError.unlike(path: "\(file)", field: field, expected: expected, found: found)
    }

    var rowCount: Int { episodes.reduce(0) { $0 + $1.length } }

    /// Calls a function with the rows of each row group, in their order.
    ///
    /// - Throws: a ``LeRobotError`` where rows are missing, or their numbers do not follow each other.
    func forEachGroup(_ body: (_ values: [ParquetReader.Values], _ rowCount: Int) throws -> Void) throws {
        let columns = features.tableColumns
        let indexColumn = columns.count - 2
        var row = 0
        for file in 0...(episodes.map(\.dataFile).max() ?? 0) {
            let name = path.appending("data/\(LeRobotDataset.name(file)).parquet")
            let reader = try ParquetReader(name)
            guard reader.columns == columns else { throw Self.unlike(name, "columns", "those of info.json", "others") }
            for number in 0..<reader.groupCount {
                let values = try reader.group(number)
                let count = values[indexColumn].integers.count
                guard values[indexColumn].integers.elementsEqual(Int64(row)..<Int64(row + count)) else {
                    throw Self.unlike(name, "index", "\(row) to \(row + count - 1)", "other numbers")
                }
                try check(values, count, name)
                try body(values, count)
                row += count
            }
        }
        guard row == rowCount else { throw Self.unlike(path.appending("data"), "rows", "\(rowCount)", "\(row)") }
    }

    /// - Throws: a ``LeRobotError`` unless each row has all elements of each column.
    private func check(_ values: [ParquetReader.Values], _ count: Int, _ name: FilePath) throws {
        let sizes = features.columns.map(\.elements.count)
        for (place, (column, values)) in zip(features.tableColumns, values).enumerated() {
            let size = place < sizes.count ? sizes[place] : 1
            let found = max(values.numbers.count, values.integers.count)
            let begins = values.repetitions.indices.filter { values.repetitions[$0] == 0 }
            let isEven = column.listDepth == 0 || begins == Array(stride(from: 0, to: found, by: size))
            guard found == count * size, isEven else {
                throw Self.unlike(name, column.name, "\(size) numbers in each of \(count) rows", "\(found)")
            }
        }
    }

    /// Reads a data set back that was written.
    static func check(_ folder: OutputFolder, _ dataset: LeRobotDataset) throws {
        let read = try LeRobotReading(folder.staging)
        try read.forEachGroup { values, _ in
            guard values.allSatisfy({ $0.numbers.allSatisfy(\.isFinite) }) else {
                throw unlike(folder.staging.appending("data"), "values", "finite numbers", "others")
            }
        }
        guard read.episodes.map(\.length) == dataset.episodes.map(\.length), read.tasks == dataset.tasks else {
            throw unlike(folder.staging.appending("meta"), "episodes", "those that were written", "others")
        }
    }
}

extension LeRobotFeatures {
    /// The features of an info.json that this program has written; `nil` for another.
    init?(info: JSONValue) {
        guard let rate = info["fps"]?.integer, (1...1000).contains(rate), let listed = info["features"] else {
            return nil
        }
        let action: LeRobotPlan.Action
        switch listed["action"]?["shape"]?.array?.first?.integer {
        case 6: action = .relative
        case 7: action = .absolute
        case nil: action = .none
        default: return nil
        }
        self.init(framesPerSecond: Int(rate), action: action)
        func size(_ key: String) -> (Int, Int)? {
            guard let shape = listed[key]?["shape"]?.array?.compactMap({ $0.integer }), shape.count == 3,
                shape.allSatisfy({ (1...65_536).contains($0) })
            else { return nil }
            return (Int(shape[1]), Int(shape[0]))
        }
        image = size(Self.image).map { .init(width: $0.0, height: $0.1) }
        depth = size(Self.depth).map { .init(width: $0.0, height: $0.1) }
        if let count = listed["observation.imu"]?["shape"]?.array?.first?.integer, (6...6000).contains(count) {
            motionSamples = Int(count) / 6
        }
        guard json == listed else { return nil }
    }
}

extension LeRobotMeta {
    /// The episodes of a table that ``writeEpisodes(in:)`` has written.
    static func episodes(
        _ path: FilePath,
        _ features: LeRobotFeatures,
        tasks: [String]
    ) throws -> [LeRobotEpisode] {
        let reader = try ParquetReader(path)
        let meta = LeRobotMeta(features: features, tasks: tasks, episodes: [], rows: [:])
        guard reader.columns == meta.episodeColumns else {
            throw LeRobotReading.unlike(path, "columns", "those of info.json", "others")
        }
        var episodes: [LeRobotEpisode] = []
        for group in 0..<reader.groupCount {
            let values = try reader.group(group)
            let table = Dictionary(zip(reader.columns.map(\.name), values)) { first, _ in first }
            func whole(_ name: String, _ row: Int) throws -> Int {
                guard let values = table[name]?.integers, values.indices.contains(row),
                    let value = Int(exactly: values[row]), (0...(1 << 40)).contains(value)
                else { throw LeRobotReading.unlike(path, name, "whole numbers", "others") }
                return value
            }
            func seconds(_ name: String, _ row: Int) throws -> Double {
                guard let values = table[name]?.numbers, values.indices.contains(row), values[row].isFinite else {
                    throw LeRobotReading.unlike(path, name, "seconds", "others")
                }
                return values[row]
            }
            func file(_ prefix: String, _ row: Int) throws -> Int {
                let chunk = try whole("\(prefix)/chunk_index", row)
                return try chunk * LeRobotDataset.filesInChunk + whole("\(prefix)/file_index", row)
            }
            for row in 0..<(table["episode_index"]?.integers.count ?? 0) {
                let videos = try features.videos.map { key in
                    LeRobotEpisode.Video(
                        file: try file("videos/\(key)", row),
                        fromSeconds: try seconds("videos/\(key)/from_timestamp", row),
                        toSeconds: try seconds("videos/\(key)/to_timestamp", row)
                    )
                }
                let texts = table["tasks"]?.texts ?? []
                guard texts.indices.contains(row), let task = tasks.firstIndex(of: texts[row]) else {
                    throw LeRobotReading.unlike(path, "tasks", "a task of tasks.parquet in row \(row)", "another")
                }
                episodes.append(
                    LeRobotEpisode(
                        length: try whole("length", row),
                        firstRow: try whole("dataset_from_index", row),
                        task: task,
                        dataFile: try file("data", row),
                        videos: videos,
                        statistics: try meta.statistics(table, row, path)
                    )
                )
            }
        }
        return episodes
    }

    private func statistics(
        _ table: [String: ParquetReader.Values],
        _ row: Int,
        _ path: FilePath
    ) throws -> [String: FeatureStatistics] {
        var result: [String: FeatureStatistics] = [:]
        for (name, count) in elementCounts {
            let values = try FeatureStatistics.names.map { key in
                let numbers = table["stats/\(name)/\(key)"]?.numbers ?? []
                guard numbers.count >= (row + 1) * count else {
                    throw LeRobotReading.unlike(
                        path,
                        "stats/\(name)/\(key)",
                        "\(count) numbers a row",
                        "\(numbers.count)"
                    )
                }
                let own = Array(numbers[(row * count)..<((row + 1) * count)])
                guard own.allSatisfy(\.isFinite) else {
                    throw LeRobotReading.unlike(path, "stats/\(name)/\(key)", "finite numbers", "others")
                }
                return own
            }
            let counts = table["stats/\(name)/count"]?.integers ?? []
            guard counts.indices.contains(row), let steps = Int(exactly: counts[row]), (0...(1 << 40)).contains(steps)
            else { throw LeRobotReading.unlike(path, "stats/\(name)/count", "a number a row", "others") }
            result[name] = FeatureStatistics(values: values, count: steps)
        }
        return result
    }
}
