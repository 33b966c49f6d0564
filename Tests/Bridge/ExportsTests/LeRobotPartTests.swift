import Exports
import Platform
import SystemPackage
import TestSupport
import Testing

/// The parts of LeRobot data sets: steps of a fixed rate, depth codes, statistics, and lists in Parquet files.
@Suite struct LeRobotPartTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    // MARK: - Steps

    @Test("each step has the frame that is nearest to it, in every order of gaps", arguments: 0..<200)
    func nearest(seed: Int) {
        var random = SeededRandomNumbers(seed: UInt64(seed))
        var time: Int64 = 5_000_000_000
        let times = (0..<Int.random(in: 1...120, using: &random)).map { _ in
            time += Int64.random(in: 1...(Bool.random(using: &random) ? 70_000_000 : 600_000_000), using: &random)
            if Int.random(in: 0..<20, using: &random) == 0 { time += 1_200_000_000 }
            return time
        }
        let rate = Int.random(in: 1...60, using: &random)
        let grid = EpisodeGrid(times, framesPerSecond: rate)
        // Once more, by looking at all frames for every step.
        var (steps, begins, lonely) = ([Int](repeating: 0, count: times.count), Set<Int>(), 0)
        var largest: Int64 = 0
        var first = 0
        for end in 1...times.count where end == times.count || times[end] - times[end - 1] > 1_000_000_000 {
            let part = first..<end
            let seconds = Double(times[end - 1] - times[first]) / 1e9
            let count = Int(seconds * Double(rate) + 0.25) + 1
            if count > 1 {
                begins.insert(first)
                for step in 0..<count {
                    let due = times[first] + Int64((Double(step) * 1e9 / Double(rate)).rounded())
                    let least = part.map { abs(times[$0] - due) }.min() ?? 0
                    // Of two as near the later.
                    let chosen = part.last { abs(times[$0] - due) == least } ?? first
                    steps[chosen] += 1
                    largest = max(largest, least)
                }
            } else {
                lonely += part.count
            }
            first = end
        }
        #expect(grid.steps.map { Int($0) } == steps)
        #expect(Set(grid.begins.indices.filter { grid.begins[$0] }) == begins && grid.episodeCount == begins.count)
        #expect(grid.lonely == lonely && grid.largestErrorNanoseconds == largest)
        #expect(grid.stepCount == steps.reduce(0, +) && grid.passedOver + lonely == steps.count { $0 == 0 })
    }

    @Test("times at the ends of what an integer holds do no harm")
    func extremeTimes() {
        #expect(EpisodeGrid([], framesPerSecond: 30).stepCount == 0)
        #expect(EpisodeGrid([7], framesPerSecond: 30).lonely == 1)
        #expect(EpisodeGrid([.min / 4, .max / 4], framesPerSecond: 1).lonely == 2)
    }

    // MARK: - Depth

    @Test("every code is the code of its own depth; what is no depth is 0")
    func depthCodes() {
        for code in 1...DepthCodes.largest {
            #expect(Int(DepthCodes.code(metres: Float(DepthCodes.metres(code: code)))) == code)
        }
        for metres in [0, -1, .nan, .infinity, -.infinity, 0.009] as [Float] {
            #expect(DepthCodes.code(metres: metres) == 0)
        }
        #expect(DepthCodes.code(metres: 10) == 4095 && DepthCodes.code(metres: 1e30) == 4095)
        // LeRobot's formula for 1 m by hand: 4095 (ln 4.5 - ln 3.51) / (ln 13.5 - ln 3.51) = 755.33.
        #expect(DepthCodes.code(metres: 1) == 755)
        // And for 3 m 1873.16; the low byte is the first.
        #expect(DepthCodes.samples([1, 3, 10, 0], count: 4) == [0xF3, 2, 0x51, 7, 0xFF, 0x0F, 0, 0])
    }

    // MARK: - Statistics

    @Test("joined statistics are those of all values")
    func joined() {
        let (one, other) = ([1.0, 2, 6], [10.0, -4, 3, 3])
        func statistics(_ values: [Double]) -> FeatureStatistics {
            let mean = values.reduce(0, +) / Double(values.count)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
            let quantiles = [[Double]](repeating: [0], count: FeatureStatistics.quantiles.count)
            return FeatureStatistics(
                values: [[values.min() ?? 0], [values.max() ?? 0], [mean], [variance.squareRoot()]] + quantiles,
                count: values.count
            )
        }
        let joined = FeatureStatistics(joining: [statistics(one), statistics(other)])
        let whole = statistics(one + other)
        #expect(joined.count == 7 && joined.values[0] == whole.values[0] && joined.values[1] == whole.values[1])
        #expect(abs(joined.values[2][0] - whole.values[2][0]) < 1e-12)
        #expect(abs(joined.values[3][0] - whole.values[3][0]) < 1e-12)
    }

    @Test("joined quantiles are those of the parts together, not the mean of the parts'")
    func joinedQuantiles() {
        // 0 to 1 evenly, and 9 to 10: half of all values are below 1, and a tenth of them below 0.2.
        func even(from low: Double) -> FeatureStatistics {
            FeatureStatistics(
                values: [[low], [low + 1], [low + 0.5], [0.3]] + FeatureStatistics.quantiles.map { [low + $0.share] },
                count: 50
            )
        }
        let joined = FeatureStatistics(joining: [even(from: 9), even(from: 0)])
        #expect(abs(joined.values[5][0] - 0.2) < 1e-9 && abs(joined.values[7][0] - 9.8) < 1e-9)
        #expect(joined.values[6][0] >= 1 && joined.values[6][0] <= 9 + 1e-9)
    }

    // MARK: - Lists in Parquet

    private static let columns = [
        TableColumn("n", .int64), TableColumn("v", .float32, listDepth: 1), TableColumn("deep", .float64, listDepth: 3),
        TableColumn("words", .text, listDepth: 1),
    ]

    private func write(_ name: String) throws -> FilePath {
        let path = directory.appending(name)
        let file = try ParquetFile(creating: path, Self.columns, metadata: [("key", "value")])
        for number in 0..<300 {
            let values = (0..<(number % 3 + 1)).map { TableCell.float32(Float(number) + Float($0) / 4) }
            let deep = (0..<3).map { TableCell.list([.list([.float64(Double(number + $0))])]) }
            try file.append([.integer(Int64(number)), .list(values), .list(deep), .list([.text("w\(number)")])])
            if number == 100 { try file.endRowGroup() }
        }
        try file.finish()
        return path
    }

    @Test(
        "pyarrow reads lists and their lists as they were written, and the metadata",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func lists() throws {
        let path = try write("lists.parquet")
        struct Found: Decodable {
            var n: [Int]
            var v: [[Double]]
            var deep: [[[[Double]]]]
            var words: [[String]]
            var key: String
            var groups: Int
        }
        let code = """
            import json, sys, pyarrow.parquet as p
            f = p.ParquetFile(sys.argv[1])
            t = f.read()
            print(json.dumps({c: t.column(c).to_pylist() for c in t.column_names}
                | {'key': f.metadata.metadata[b'key'].decode(), 'groups': f.num_row_groups}))
            """
        let found: Found = try PeerPython.json(code, [path.string])
        #expect(found.n == Array(0..<300) && found.key == "value" && found.groups == 2)
        #expect(found.v[5] == [5, 5.25, 5.5] && found.deep[7] == [[[7]], [[8]], [[9]]] && found.words[9] == ["w9"])
        #expect(found.v.map(\.count) == (0..<300).map { $0 % 3 + 1 })
    }

    @Test("what was written is read back")
    func readBack() throws {
        let reader = try ParquetReader(write("back.parquet"))
        #expect(reader.columns == Self.columns && reader.rowCount == 300 && reader.groupCount == 2)
        let (first, second) = (try reader.group(0), try reader.group(1))
        #expect(first[0].integers == Array(0..<101) && second[0].integers == Array(101..<300))
        #expect(second[1].numbers.prefix(4) == [101, 101.25, 101.5, 102] && second[3].texts.last == "w299")
        #expect(second[1].repetitions.prefix(4) == [0, 1, 1, 0] && second[2].repetitions.prefix(3) == [0, 1, 1])
    }

    @Test("a damaged Parquet file is an error or other values, and never more", arguments: 0..<40)
    func damaged(seed: Int) throws {
        var random = SeededRandomNumbers(seed: UInt64(seed))
        let whole = try OutputFile.contents(of: write("whole\(seed).parquet"))
        var refused = 0
        for number in 0..<25 {
            var bytes = whole
            if number % 5 == 0 { bytes.removeLast(Int.random(in: 1...bytes.count, using: &random)) }
            for _ in 0..<4 where !bytes.isEmpty {
                // The footer is where the lengths are.
                let place = max(0, bytes.count - Int.random(in: 1...600, using: &random))
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let path = directory.appending("damaged\(number).parquet")
            try OutputFile.write(bytes, to: path)
            do {
                let reader = try ParquetReader(path)
                for group in 0..<reader.groupCount { _ = try reader.group(group) }
            } catch {
                refused += 1
            }
        }
        #expect(refused > 5)
    }
}
