import Recording

/// A stream of samples: its file, and how a line of it is read and checked.
struct SampleStream: Sendable {
    let file: String
    /// The record of a line, or `nil` for a header.
    let parse: @Sendable (UnsafeRawBufferPointer, Int) throws(Problem) -> Record?
    /// The optional values that do not read, of a line that is a sample.
    let optionalProblems: @Sendable (UnsafeRawBufferPointer, Int) -> [Problem]

    static let motion = SampleStream(MotionLine.table) { .motion($0) }
    static let motionCSV = SampleStream(
        file: MotionCSVLine.file,
        parse: { bytes, line throws(Problem) in try MotionCSVLine.parse(bytes, line: line).map { .motion($0) } },
        optionalProblems: { _, _ in [] }
    )
    static let locations = SampleStream(LocationLine.table) { .location($0) }

    static let all = [motion, motionCSV, locations]

    /// The file of its own that a session's IMU samples are in, where they are in one.
    static func motion(of source: SessionSummary.MotionSource) -> SampleStream? {
        [motion, motionCSV].first { $0.file == source.rawValue }
    }
}

extension SampleStream {
    private init<Sample>(_ table: StreamTable<Sample>, _ record: @escaping @Sendable (Sample) -> Record) {
        let names = table.names
        file = table.file
        parse = { bytes, line throws(Problem) in
            record(try table.read(LineValues(bytes, names: names, file: table.file, line: line)))
        }
        optionalProblems = { bytes, line in
            guard let values = try? LineValues(bytes, names: names, file: table.file, line: line),
                (try? table.read(values)) != nil
            else { return [] }
            return table.optionalProblems(values)
        }
    }
}
