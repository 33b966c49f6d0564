import Recording

/// The streams of the native layout.
extension SampleStream {
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
