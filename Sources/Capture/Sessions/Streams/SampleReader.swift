import Recording

/// Reads one sample stream line by line into records; a bad line costs only itself and is counted.
///
/// A stream that cannot be read ends there, and the problem is counted: no session is refused for its samples.
struct SampleReader {
    private let stream: SampleStream
    /// Where the sample that ``next()`` gave last stands, from 1.
    private(set) var line = 0
    private(set) var diagnostics = Diagnostics()

    private var reader: LineReader?
    /// What was wrong with the line read last, until it is known whether another follows.
    private var pending: Problem?

    /// - Parameter start: What is before may be left out; lines then have no numbers that mean anything.
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
            return try reader?.withLine { bytes throws(Problem) in try stream.parse(bytes, number) }
        } catch {
            pending = error
            if !isWhole { pending?.kind = .cutLastLine }
            return nil
        }
    }
}
