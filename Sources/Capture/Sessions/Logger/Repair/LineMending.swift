import SystemPackage

/// What becomes of a line.
enum LineOutcome {
    case kept
    /// Another text, and what was wrong with the old one.
    case changed([UInt8], [Problem])
    case leftOut(Problem)
}

/// Passes over a stream of lines and mends them one by one: once to find out what there is to do, once to do it.
struct LineMending {
    private(set) var kept = 0
    private(set) var leftOut = 0
    private(set) var changed = 0
    /// What was wrong, in the order of the lines.
    private(set) var mended = Diagnostics()

    private let file: String
    private let outcome: (UnsafeRawBufferPointer, Int) -> LineOutcome
    /// What was wrong with the line before, until it is known whether another follows.
    private var pending: Problem?

    var changesAnything: Bool { leftOut + changed > 0 }

    init(file: String, outcome: @escaping (UnsafeRawBufferPointer, Int) -> LineOutcome) {
        self.file = file
        self.outcome = outcome
    }

    /// Reads the stream to its end.
    ///
    /// - Parameter write: takes the lines of the mended stream, with their newlines.
    mutating func run(_ files: any SessionFiles, write: (UnsafeRawBufferPointer) throws -> Void = { _ in }) throws {
        var reader = LineReader(try files.stream(file))
        while let line = try reader.next() {
            countPending(isLast: false)
            switch line {
            case .tooLong(let number, let bytes):
                pending = LineReader.tooLong(file, line: number, bytes: bytes)
            case .text(let number, let isWhole):
                try reader.withLine { bytes in try take(bytes, number, write) }
                // What is left of a row of numbers may read as a shorter row.
                if !isWhole, file == MotionCSVLine.file { pending?.kind = .cutLastLine }
            }
        }
        countPending(isLast: true)
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer,
        _ number: Int,
        _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        switch outcome(bytes, number) {
        case .kept:
            kept += 1
            try write(bytes)
        case .changed(let text, let problems):
            kept += 1
            changed += 1
            for problem in problems { mended.record(problem) }
            try text.withUnsafeBytes { try write($0) }
        case .leftOut(let problem):
            pending = problem
            return
        }
        try [UInt8(ascii: "\n")].withUnsafeBytes { try write($0) }
    }

    /// A line that does not read is only known to be the last one, cut by a crash, when no other follows.
    private mutating func countPending(isLast: Bool) {
        guard var problem = pending else { return }
        pending = nil
        if isLast, problem.kind == .unreadableLine { problem.kind = .cutLastLine }
        mended.record(problem)
        leftOut += 1
    }
}
