import Capture

/// Reads one sample stream line by line into records; a bad line costs only itself and is counted.
struct SampleSource {
    private var reader: LineReader
    private let file: String
    private let parse: (UnsafeRawBufferPointer, Int) throws(Problem) -> Record?
    private(set) var diagnostics = Diagnostics()
    private var pending: Problem?

    init(
        file: String,
        stream: any ByteStream,
        parse: @escaping (UnsafeRawBufferPointer, Int) throws(Problem) -> Record?
    ) {
        reader = LineReader(stream)
        self.file = file
        self.parse = parse
    }

    /// The next sample, or `nil` at the end of the stream.
    mutating func next() throws -> Record? {
        while let line = try reader.next() {
            // A line that does not read was no cut last line if another follows.
            if let problem = pending { diagnostics.record(problem) }
            pending = nil
            switch line {
            case .tooLong(let number, let bytes):
                pending = Problem(
                    .unreadableLine,
                    file: file,
                    line: number,
                    expected: "a line of at most \(LineReader.maximumLineBytes) bytes",
                    found: "\(bytes) bytes"
                )
            case .text(let number, let isWhole):
                do throws(Problem) {
                    let record = try reader.withLine { bytes throws(Problem) in try parse(bytes, number) }
                    if let record { return record }
                } catch {
                    pending = error
                    if !isWhole { pending?.kind = .cutLastLine }
                }
            }
        }
        if var problem = pending {
            if problem.kind == .unreadableLine { problem.kind = .cutLastLine }
            diagnostics.record(problem)
            pending = nil
        }
        return nil
    }
}
