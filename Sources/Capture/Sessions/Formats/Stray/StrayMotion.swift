import Numbers
import Recording

/// Stray Scanner's imu.csv: acceleration with gravity, and turn rates, in the axes of the device.
///
/// Acceleration has the sign of CoreMotion; it was written in m/s^2 (g times 9.81) until 2025, and in g since. The median
/// length of the first samples tells which.
enum StrayMotion {
    static let file = "imu.csv"

    private static let names = ["timestamp", "a_x", "a_y", "a_z", "alpha_x", "alpha_y", "alpha_z"]
    /// The factor by which older versions multiplied g.
    private static let oldGravity = 9.81
    private static let judgedSamples = 512

    /// The layout of the file: its columns, and how many of its units are a g.
    struct Layout: Sendable {
        var places: [Int]
        var unitsPerG: Double
    }

    /// The stream, where there is a file that reads; what is wrong with it as a whole is a problem.
    static func stream(_ files: any SessionFiles) -> Result<SampleStream?, Problem> {
        guard files.size(of: file) ?? 0 > 0 else { return .success(nil) }
        do {
            guard let layout = try layout(files) else { return .success(nil) }
            return .success(
                SampleStream(
                    file: file,
                    hasEqualTimes: false,
                    parse: { bytes, line throws(Problem) in
                        try parse(CSVRow(bytes), layout, line: line).map { .motion($0) }
                    },
                    optionalProblems: { _, _ in [] }
                )
            )
        } catch let problem as Problem {
            return .failure(problem)
        } catch {
            return .failure(Problem(.unreadableFile, file: file, expected: "a readable file", found: "\(error)"))
        }
    }

    private static func layout(_ files: any SessionFiles) throws -> Layout? {
        var reader = LineReader(try files.stream(file))
        var places: [Int]?
        var lengths: [Double] = []
        while lengths.count < judgedSamples, let line = try reader.next() {
            guard case .text = line else { continue }
            try reader.withLine { bytes in
                let row = CSVRow(bytes)
                if let places {
                    let a = places[1...3].compactMap { row.number($0) }
                    if a.count == 3 { lengths.append(Vector3(a[0], a[1], a[2]).length) }
                } else if let found = CSVColumns(row).places(names) {
                    places = found
                } else {
                    throw Problem(
                        .badMotionSample,
                        file: file,
                        line: 1,
                        expected: "a header with \(names.joined(separator: ", "))",
                        found: String(decoding: bytes.prefix(80), as: UTF8.self)
                    )
                }
            }
        }
        guard let places, let median = lengths.median() else { return nil }
        if (0.5...2).contains(median) { return Layout(places: places, unitsPerG: 1) }
        if (5...15).contains(median) { return Layout(places: places, unitsPerG: oldGravity) }
        throw Problem(
            .badMotionSample,
            file: file,
            field: "a_x",
            expected: "a median length of 0.5 to 2 (g) or 5 to 15 (m/s^2)",
            found: "\((median * 1000).rounded() / 1000)"
        )
    }

    /// A sample, or `nil` for the header.
    private static func parse(_ row: CSVRow, _ layout: Layout, line: Int) throws(Problem) -> MotionSample? {
        if row.text(0) == names[0] { return nil }
        func problem(_ column: Int, _ expected: String) -> Problem {
            Problem(
                .badMotionSample,
                file: file,
                line: line,
                field: names[column],
                expected: expected,
                found: row.excerpt(layout.places[column])
            )
        }
        guard let time = row.time(layout.places[0]) else { throw problem(0, "seconds from 0 to 9.2e9") }
        var numbers: [Double] = []
        for column in 1..<names.count {
            guard let number = row.number(layout.places[column]), abs(number) <= 1e6 else {
                throw problem(column, "a number from -1e6 to 1e6")
            }
            numbers.append(number)
        }
        var sample = MotionSample(
            time: time,
            userAcceleration: .zero,
            rotationRate: Vector3(numbers[3], numbers[4], numbers[5]),
            gravity: Vector3(numbers[0], numbers[1], numbers[2]) / layout.unitsPerG
        )
        sample.separatesGravity = false
        return sample
    }
}
