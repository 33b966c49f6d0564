import Platform
import Recording

/// Stray Scanner's imu.csv: acceleration with gravity, and turn rates, in the axes of the device.
///
/// Acceleration has the sign of CoreMotion; it was written in m/s^2 (g times 9.81) until 2025, and in g since. The median
/// length of the first samples tells which.
enum StrayMotion {
    static let file = "imu.csv"

    private static let names = ["timestamp", "a_x", "a_y", "a_z", "alpha_x", "alpha_y", "alpha_z"]
    /// Older versions multiplied g with this.
    private static let oldGravity = 9.81
    private static let judgedSamples = 512

    /// The stream, where there is a file with samples.
    ///
    /// - Throws: a ``Problem`` with the file as a whole.
    static func stream(_ files: any SessionFiles) throws -> SampleStream? {
        guard files.size(of: file) ?? 0 > 0, let (columns, unitsPerG) = try layout(files) else { return nil }
        return SampleStream(file: file) { row throws(Problem) in
            if row.text(0) == names[0] { return nil }
            let time = try row.time(columns[0], .badMotionSample, names[0])
            let expected = "a number from -1e6 to 1e6"
            let names = Array(names.dropFirst())
            let n = try row.numbers(columns.dropFirst(), upTo: 1e6, .badMotionSample, names: names, expected)
            var sample = MotionSample(
                time: time,
                userAcceleration: .zero,
                rotationRate: Vector3(n[3], n[4], n[5]),
                gravity: Vector3(n[0], n[1], n[2]) / unitsPerG
            )
            sample.separatesGravity = false
            return .motion(sample)
        }
    }

    /// The columns, and how many of the file's units are a g; `nil` where there is no sample.
    private static func layout(_ files: any SessionFiles) throws -> (columns: [Int], unitsPerG: Double)? {
        var reader = LineReader(try files.stream(file))
        var columns: [Int]?
        var lengths: [Double] = []
        var brokenCount = 0
        while lengths.count < judgedSamples, let line = try reader.next() {
            guard case .text(let place, _) = line else { continue }
            let reads = try reader.withLine { bytes -> Bool in
                let row = CSVRow(bytes, of: file, line: place)
                if let columns {
                    let a = columns[1...3].compactMap { row.number($0) }
                    if a.count == 3 { lengths.append(Vector3(a[0], a[1], a[2]).length) }
                    return a.count == 3
                }
                guard let found = CSVColumns(row).places(names) else {
                    let expected = "a header with \(names.joined(separator: ", "))"
                    let found = String(decoding: bytes.prefix(80), as: UTF8.self)
                    throw Problem(.badMotionSample, file: file, line: 1, expected: expected, found: found)
                }
                columns = found
                return true
            }
            if !reads {
                brokenCount += 1
                reader.countBroken()
            }
        }
        guard let columns, let median = lengths.median() else {
            guard brokenCount > 0 else { return nil }
            let found = "\(brokenCount) that do not read"
            throw Problem(.badMotionSample, file: file, expected: "lines with a time and six numbers", found: found)
        }
        if (0.5...2).contains(median) { return (columns, 1) }
        if (5...15).contains(median) { return (columns, oldGravity) }
        let expected = "a median length of 0.5 to 2 (g) or 5 to 15 (m/s^2)"
        let found = "\((median * 1000).rounded() / 1000)"
        throw Problem(.badMotionSample, file: file, field: "a_x", expected: expected, found: found)
    }
}
