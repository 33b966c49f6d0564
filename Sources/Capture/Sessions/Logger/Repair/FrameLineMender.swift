import JSONText
import Recording

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

    init(_ session: LoggerSession) {
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
