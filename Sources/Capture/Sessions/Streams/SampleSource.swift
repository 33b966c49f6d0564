import Recording

/// The samples of one stream in time order, as a cursor merges them.
protocol SampleSource {
    /// The time of the next sample; `nil` at the end.
    var upcomingTime: Timestamp? { get }

    /// Of what was read so far.
    var diagnostics: Diagnostics { get }

    /// Takes the next sample.
    mutating func next() -> (record: Record, line: Int)?
}

extension OrderedSamples: SampleSource {}

/// Samples that were kept in memory, because they are rare and scattered over the files of frames.
struct ListedSamples: SampleSource {
    private let records: [Record]
    private var place = 0

    /// - Parameter records: in the order of time.
    init(_ records: [Record]) {
        self.records = records
    }

    var upcomingTime: Timestamp? { place < records.count ? records[place].time : nil }

    var diagnostics: Diagnostics { Diagnostics() }

    mutating func next() -> (record: Record, line: Int)? {
        guard place < records.count else { return nil }
        place += 1
        return (records[place - 1], place)
    }
}
