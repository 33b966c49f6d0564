import Recording
import SystemPackage
import Text

/// The outcome of mending a line.
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
    /// The problems that were mended, in the order of the lines.
    private(set) var mended = Diagnostics()

    private let file: String
    private let outcome: (UnsafeRawBufferPointer, Int) -> LineOutcome
    /// The problem of the line before, until it is known whether another follows.
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

/// Decides what becomes of a line of frames.jsonl: what no reader would use goes, and no line claims depth that is not
/// there.
final class FrameLineMender {
    private let supersededLines: Set<Int>
    private let times: ClosedRange<Timestamp>
    private let files: any SessionFiles
    private let resolver: PayloadResolver

    /// The frames whose lines are kept.
    private(set) var indices: Set<Int> = []
    /// Payloads of kept lines that are of no use.
    private(set) var uselessFiles: [String] = []

    init(_ session: NativeSession) {
        supersededLines = session.supersededLines
        times = session.summary.firstTime...session.summary.lastTime
        files = session.files
        resolver = PayloadResolver(files: session.files, summary: session.summary)
    }

    func outcome(of bytes: UnsafeRawBufferPointer, line: Int) -> LineOutcome {
        let parsed: ParsedFrame
        do throws(Problem) {
            parsed = try FrameLine.parse(bytes, line: line)
            if let problem = reasonToLeaveOut(parsed.frame) { throw problem }
        } catch {
            return .leftOut(error)
        }
        indices.insert(parsed.frame.index)
        return withdraw(parsed, bytes)
    }

    private func reasonToLeaveOut(_ frame: FrameReference) -> Problem? {
        if supersededLines.contains(frame.line) {
            return FrameLine.index.problem(.duplicateFrame, frame.line, "\(frame.index) once", "it again below")
        }
        guard !times.contains(frame.time) else { return nil }
        let span = "\(times.lowerBound.seconds) to \(times.upperBound.seconds)"
        return FrameLine.time.problem(.timeOutOfSession, frame.line, "a time of \(span)", "\(frame.time.seconds)")
    }

    /// Takes back what the line claims of payloads that are missing or of the wrong size.
    private func withdraw(_ parsed: ParsedFrame, _ bytes: UnsafeRawBufferPointer) -> LineOutcome {
        var found = Diagnostics()
        let frame = resolver.resolve(parsed, &found)
        var claims: [String: StaticString] = [:]
        var problems: [Problem] = []
        for problem in found.entries.flatMap(\.examples) {
            switch problem.kind {
            case .missingDepth, .wrongDepthSize: if parsed.hasDepth == true { claims[FrameLine.hasDepth.key] = "false" }
            case .missingRelativeDepth, .wrongRelativeDepthSize:
                if parsed.relativeDepthResolution != nil { claims[FrameLine.relativeDepthResolution.key] = "null" }
            default: continue
            }
            if [.wrongDepthSize, .wrongRelativeDepthSize].contains(problem.kind) { uselessFiles.append(problem.file) }
            problems.append(problem)
        }
        if let problem = wrongConfidence(frame) {
            uselessFiles.append(problem.file)
            problems.append(problem)
        }
        guard !problems.isEmpty else { return .kept }
        return .changed(JSONEditing.replacing(claims, in: bytes), problems)
    }

    private func wrongConfidence(_ frame: FrameReference) -> Problem? {
        let file = PayloadNames(index: frame.index).confidence
        guard let size = frame.depthSize, let bytes = files.size(of: file), bytes != size.count else { return nil }
        return Problem(.wrongConfidenceSize, file: file, expected: "\(size.count) bytes", found: "\(bytes) bytes")
    }
}

/// Changes values in the text of a JSON object and leaves everything else as it stands.
enum JSONEditing {
    /// The text with other values for some keys of the outermost object; keys that it does not have are not added.
    static func replacing(_ values: [String: StaticString], in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        replacing(values.mapValues { Array($0.description.utf8) }, in: bytes)
    }

    static func replacing(_ values: [String: [UInt8]], in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        var copied = 0
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let length = try scanner.rawValue().count
                guard let value = values[key.string] else { continue }
                text.append(contentsOf: bytes[copied..<(scanner.offset - length)])
                text.append(contentsOf: value)
                copied = scanner.offset
            }
        } catch {
            // What does not read is not changed.
            return Array(bytes)
        }
        text.append(contentsOf: bytes[copied...])
        return text
    }
}
