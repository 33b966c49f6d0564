import Recording

/// A stream of samples: its file, and how a line of it is read and checked.
struct SampleStream: Sendable {
    let file: String
    /// True if records of one time are several, rather than one that was written again.
    let hasEqualTimes: Bool
    /// The record of a line, or `nil` for a header.
    let parse: @Sendable (UnsafeRawBufferPointer, Int) throws(Problem) -> Record?
    /// The optional values that do not read; `nil` for a line that is no sample.
    let optionalProblems: @Sendable (UnsafeRawBufferPointer, Int) -> [Problem]?
    /// Other files of the same samples: they show that there were some.
    var twins: [String] = []
}

extension SessionFiles {
    /// The problem of a stream's file that has no sample: the samples are lost where another file shows that there
    /// were some.
    func emptyStream(_ file: String, twins: [String] = []) -> Problem {
        let twin = twins.first { size(of: $0) ?? 0 > 0 }
        let expected = twin.map { "samples, as \($0) has them" } ?? "samples"
        return Problem(twin == nil ? .emptyStream : .lostStream, file: file, expected: expected, found: "none")
    }
}

extension SessionFiles {
    /// The problem of a stream without a file: what is there under its name is none, or other files show that there was one.
    func absentStream(_ file: String, twins: [String] = []) -> Problem? {
        if let found = irregular(file) {
            return Problem(.unreadableFile, file: file, expected: "a regular file", found: found)
        }
        let problem = emptyStream(file, twins: twins)
        return problem.kind == .lostStream ? problem : nil
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
            else { return nil }
            return table.optionalProblems(values)
        }
    }
}

/// Reads one sample stream line by line into records; a bad line costs only itself and is counted.
///
/// A stream that cannot be read ends there, and the problem is counted: no session is refused for its samples.
struct SampleReader {
    private let stream: SampleStream
    /// Where the sample that ``next()`` gave last stands, from 1.
    private(set) var line = 0
    private(set) var diagnostics = Diagnostics()

    private var reader: LineReader?
    /// The problem of the line read last, until it is known whether another follows.
    private var pending: Problem?

    /// - Parameter start: Samples before this time may be left out; lines then have no numbers that mean anything.
    init(_ stream: SampleStream, _ files: any SessionFiles, after start: Timestamp? = nil) {
        self.stream = stream
        let offset = start.flatMap { start in
            LineSearch.offset(in: stream.file, of: files, before: start) { (try? stream.parse($0, 1))?.time }
        }
        do throws(Problem) {
            if let offset, let later = try files.stream(stream.file, from: offset) {
                reader = LineReader(later, offset: offset, line: 1)
            } else {
                reader = LineReader(try files.stream(stream.file))
            }
        } catch {
            diagnostics.record(error)
        }
    }

    /// The next sample, or `nil` at the end of the stream.
    mutating func next() -> Record? {
        while let line = nextLine() {
            // A line that does not read was no cut last line if another follows.
            if let problem = pending { diagnostics.record(problem) }
            pending = nil
            switch line {
            case .tooLong(let number, let bytes): pending = LineReader.tooLong(stream.file, line: number, bytes: bytes)
            case .text(let number, let isWhole):
                if let record = record(ofLine: number, isWhole: isWhole) { return record }
            }
        }
        if var problem = pending {
            if problem.kind == .unreadableLine { problem.kind = .cutLastLine }
            diagnostics.record(problem)
            pending = nil
        }
        return nil
    }

    private mutating func nextLine() -> LineReader.Line? {
        do {
            return try reader?.next()
        } catch {
            reader = nil
            diagnostics.record(.unreadable(stream.file, error))
            return nil
        }
    }

    private mutating func record(ofLine number: Int, isWhole: Bool) -> Record? {
        do throws(Problem) {
            line = number
            if !isWhole, let problem = reader?.cutRow(stream.file) { throw problem }
            return try reader?.withLine { bytes throws(Problem) in try stream.parse(bytes, number) }
        } catch {
            pending = error
            reader?.countBroken()
            if !isWhole { pending?.kind = .cutLastLine }
            return nil
        }
    }
}
