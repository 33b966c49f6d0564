import Recording

/// A stream of samples: its file, and how a line of it is read and checked.
struct SampleStream: Sendable {
    let file: String
    /// Whether records of one time are several, rather than one that was written again.
    let hasEqualTimes: Bool
    /// The record of a line, or `nil` for a header.
    let parse: @Sendable (UnsafeRawBufferPointer, Int) throws(Problem) -> Record?
    /// The optional values that do not read, of a line that is a sample.
    let optionalProblems: @Sendable (UnsafeRawBufferPointer, Int) -> [Problem]

    static let motion = SampleStream(MotionLine.table) { .motion($0) }
    static let motionCSV = SampleStream(
        file: MotionCSVLine.file,
        hasEqualTimes: false,
        parse: { bytes, line throws(Problem) in try MotionCSVLine.parse(bytes, line: line).map { .motion($0) } },
        optionalProblems: { _, _ in [] }
    )
    static let locations = SampleStream(LocationLine.table) { .location($0) }
    static let headings = SampleStream(HeadingLine.table) { .heading($0) }
    static let radio = SampleStream(RadioLine.table, hasEqualTimes: true) { .radio($0) }
    static let indoor = SampleStream(IndoorLine.table) { .indoor($0) }

    static let all = [motion, motionCSV, locations, headings, radio, indoor]

    /// What a session's records of a stream are read from, where they are in a file of their own.
    static func source(of stream: RecordStream, _ summary: SessionSummary) -> SampleStream? {
        switch stream {
        case .frames: nil
        case .motion: [motion, motionCSV].first { $0.file == summary.motionSource.rawValue }
        case .location: summary.location.count > 0 ? locations : nil
        case .heading: summary.sampleCounts[stream] == nil ? nil : headings
        case .radio: summary.sampleCounts[stream] == nil ? nil : radio
        case .indoor: summary.sampleCounts[stream] == nil ? nil : indoor
        }
    }
}

extension SampleStream {
    private init<Sample>(
        _ table: StreamTable<Sample>,
        hasEqualTimes: Bool = false,
        _ record: @escaping @Sendable (Sample) -> Record
    ) {
        let names = table.names
        file = table.file
        self.hasEqualTimes = hasEqualTimes
        parse = { bytes, line throws(Problem) in
            let values = try LineValues(
                bytes,
                names: names,
                file: table.file,
                line: line,
                keepsOthers: table.keepsOthers
            )
            return record(try table.read(values))
        }
        optionalProblems = { bytes, line in
            guard let values = try? LineValues(bytes, names: names, file: table.file, line: line),
                (try? table.read(values)) != nil
            else { return [] }
            return table.optionalProblems(values)
        }
    }
}
