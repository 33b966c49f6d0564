import Recording

/// A stream of samples: its file, and how a line of it is read and checked.
struct SampleStream: Sendable {
    let file: String
    /// True if records of one time are several, rather than one that was written again.
    let hasEqualTimes: Bool
    /// The record of a line, or `nil` for a header.
    let parse: @Sendable (UnsafeRawBufferPointer, Int) throws(Problem) -> Record?
    /// The optional values that do not read, of a line that is a sample.
    let optionalProblems: @Sendable (UnsafeRawBufferPointer, Int) -> [Problem]
    /// Other files of the same samples: they show that there were some.
    var twins: [String] = []
}

extension SessionFiles {
    /// What is wrong with a stream's file that is there and has no sample: it is lost where another file shows that there
    /// were some.
    func emptyStream(_ file: String, twins: [String] = []) -> Problem {
        let twin = twins.first { size(of: $0) ?? 0 > 0 }
        let expected = twin.map { "samples, as \($0) has them" } ?? "samples"
        return Problem(twin == nil ? .emptyStream : .lostStream, file: file, expected: expected, found: "none")
    }
}

extension SampleStream {
    /// The rows of a table with commas between its cells.
    init(file: String, parse: @escaping @Sendable (CSVRow) throws(Problem) -> Record?, twins: [String] = []) {
        self.init(
            file: file,
            hasEqualTimes: false,
            parse: { bytes, line throws(Problem) in try parse(CSVRow(bytes, of: file, line: line)) },
            optionalProblems: { _, _ in [] },
            twins: twins
        )
    }

    /// The lines of a table of JSON fields.
    init<Sample>(
        _ table: StreamTable<Sample>,
        hasEqualTimes: Bool = false,
        _ record: @escaping @Sendable (Sample) -> Record
    ) {
        let names = table.names
        file = table.file
        self.hasEqualTimes = hasEqualTimes
        parse = { bytes, line throws(Problem) in
            let others = table.keepsOthers
            let values = try LineValues(bytes, names: names, file: table.file, line: line, keepsOthers: others)
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
