import Recording
import Text

/// A source of bytes that is read from front to back.
package protocol ByteStream {
    /// Fills the front of the buffer; returns how many bytes, 0 at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// Splits a stream into lines without holding more than one line and one block.
///
/// Blank lines and NUL bytes at the end (what a file system leaves after a crash) are passed over but counted in the line
/// numbers; so is a byte order mark before the first line. A line of NULs between others is one that does not read. A line
/// longer than `maximumLineBytes` is discarded and reported as too long. So much without a line as no text file has
/// (``maximumSkippedBytes``) is the end, and so are more than ``maximumBrokenLines`` blank lines in a row, or lines that do
/// not read where most do not: what a file of gigabytes of nothing claims to hold is not read. A task that is cancelled gets
/// a `CancellationError` with the next block.
struct LineReader {
    enum Line {
        /// The bytes of the line are in ``withLine(_:)`` until the next call.
        case text(number: Int, endsWithNewline: Bool)
        case tooLong(number: Int, bytes: Int)
    }

    static let maximumLineBytes = 1 << 20
    static let maximumSkippedBytes = 16 << 20
    static let maximumBrokenLines = 100_000
    /// The length of the one line that stands for all that is not read after too many that are broken.
    private static let unreadBytes = Int.max
    private static let maximumBlockBytes = 128 << 10

    private var stream: any ByteStream
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// How much is read next: little at first, as most files of a recording are short.
    private var blockBytes = 8 << 10
    /// Blank bytes of the current line that were dropped.
    private var blankBytes = 0
    /// Lines that were called broken; negative once that was too many.
    private var brokenLines = 0
    private var lineRange = 0..<0
    /// Cells of the second row, the first that is no header.
    private var usualCells = 0
    /// True once a line was handed out.
    private var hasText = false
    /// The place of the buffer's first byte in the file.
    private var bufferOffset: Int
    private(set) var lineNumber: Int
    /// Where the current line begins in the file.
    private(set) var lineOffset = 0

    /// - Parameters:
    ///   - offset: Where in the file the stream begins.
    ///   - line: How many lines are before it.
    init(_ stream: any ByteStream, offset: Int = 0, line: Int = 0) {
        self.stream = stream
        bufferOffset = offset
        lineNumber = line
    }

    /// The next line that holds anything, or `nil` at the end.
    mutating func next() throws -> Line? {
        var blankLines = 0
        while true {
            if blankLines > Self.maximumBrokenLines || brokenLines > max(Self.maximumBrokenLines, lineNumber / 2) {
                return endAfterBrokenLines()
            }
            if blankBytes > Self.maximumSkippedBytes { return endAfterBlanks() }
            blankBytes = 0
            lineOffset = bufferOffset + start
            var scanned = start
            var newline = findNewline(from: scanned)
            while newline == nil && !isAtEnd {
                scanned = buffer.count
                dropBlankTail()
                if isAtEnd { break }
                scanned = buffer.count
                if buffer.count - start > Self.maximumLineBytes { return try discardLongLine() }
                let moved = start
                try fill()
                newline = findNewline(from: scanned - moved)
            }
            let end = newline ?? buffer.count
            guard newline != nil || end > start else { return nil }
            lineNumber += 1
            lineRange = trimmed(lineNumber == 1 ? withoutByteOrderMark(start..<end) : start..<end)
            let first = start
            start = newline.map { $0 + 1 } ?? end
            // A line was here, behind the first one, which may be a header: it is handed out as one that does not read.
            if lineRange.isEmpty, newline != nil, buffer[first] == 0, hasText { lineRange = first..<first + 1 }
            if !lineRange.isEmpty {
                if hasText, usualCells == 0 { usualCells = cells }
                hasText = true
                return .text(number: lineNumber, endsWithNewline: newline != nil)
            }
            blankLines += 1
        }
    }

    /// How many cells the line has as a row: between commas, or without any between blanks.
    private var cells: Int {
        let row = buffer[lineRange]
        let commas = row.count { $0 == 0x2C }
        return commas > 0 ? commas + 1 : row.split { $0 == 0x20 || $0 == 0x09 }.count
    }

    /// The problem of a row that has fewer cells than others; asked for the last one, where it ends without a newline.
    func cutRow(_ file: String) -> Problem? {
        guard buffer[lineRange].first != UInt8(ascii: "{"), cells < usualCells else { return nil }
        let (expected, found) = ("\(usualCells) cells, as other rows have", "\(cells)")
        return Problem(.cutLastLine, file: file, line: lineNumber, expected: expected, found: found)
    }

    /// Counts the current line as one that does not read.
    mutating func countBroken() { brokenLines += 1 }

    /// The current line, without its newline, trailing NULs and carriage return.
    func withLine<Value, Failure>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Value) throws(Failure) -> Value {
        // The standard library's function forgets the type of an error; a result carries it out.
        let result = buffer.withUnsafeBytes { bytes -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body(UnsafeRawBufferPointer(rebasing: bytes[lineRange])))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The problem of a line that was discarded.
    static func tooLong(_ file: String, line: Int, bytes: Int) -> Problem {
        if bytes == unreadBytes {
            let expected = "at most \(maximumBrokenLines) lines that do not read"
            let found = "more; what follows is not read"
            return Problem(.unreadableLine, file: file, line: line, expected: expected, found: found)
        }
        let expected = "a line of at most \(maximumLineBytes) bytes"
        let found = bytes > maximumSkippedBytes ? "none in \(bytes) bytes; what follows is not read" : "\(bytes) bytes"
        return Problem(.unreadableLine, file: file, line: line, expected: expected, found: found)
    }

    private func findNewline(from index: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard index < bytes.count else { return nil }
            return UnsafeRawBufferPointer(rebasing: bytes[index...]).firstIndex(of: 0x0A).map { $0 + index }
        }
    }

    private func withoutByteOrderMark(_ range: Range<Int>) -> Range<Int> {
        buffer[range].starts(with: byteOrderMark) ? range.lowerBound + byteOrderMark.count..<range.upperBound : range
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while upper > lower, isBlank(buffer[upper - 1]) { upper -= 1 }
        while lower < upper, isBlank(buffer[lower]) { lower += 1 }
        return lower..<upper
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x20 || byte == 0x0D || byte == 0x09 }

    /// Moves what is left to the front and appends a block.
    ///
    /// Afterwards `start` is 0.
    private mutating func fill() throws {
        try Task.checkCancellation()
        if start > 0 {
            buffer.removeSubrange(0..<start)
            bufferOffset += start
            start = 0
        }
        let old = buffer.count
        // What is free in memory that is there already is read into first: a short file and its end need no more.
        let free = buffer.capacity - old
        let wanted = free > 1 << 10 ? min(free, Self.maximumBlockBytes) : blockBytes
        blockBytes = min(2 * blockBytes, Self.maximumBlockBytes)
        // A block of zeros first would cost more than the lines of a short file.
        try buffer.append(size: wanted) { try stream.read(into: $0) }
        if buffer.count == old { isAtEnd = true }
    }

    /// A long run of NULs after a line, as a crash leaves it, is no part of the line: all but one go.
    ///
    /// That one keeps bytes that follow after all from being joined to the line.
    private mutating func dropBlankTail() {
        guard buffer.count - start > Self.maximumLineBytes else { return }
        let end = trimmed(start..<buffer.count).upperBound
        guard end + 1 < buffer.count else { return }
        blankBytes += buffer.count - end - 1
        bufferOffset += buffer.count - end - 1
        buffer.removeSubrange((end + 1)...)
        if blankBytes > Self.maximumSkippedBytes { isAtEnd = true }
    }

    /// Once, behind the line that stood before the blanks.
    private mutating func endAfterBlanks() -> Line {
        defer { blankBytes = 0 }
        start = buffer.count
        lineNumber += 1
        return .tooLong(number: lineNumber, bytes: blankBytes)
    }

    /// Once, in place of all that follows.
    private mutating func endAfterBrokenLines() -> Line {
        (start, isAtEnd, brokenLines) = (buffer.count, true, .min)
        lineNumber += 1
        return .tooLong(number: lineNumber, bytes: Self.unreadBytes)
    }

    private mutating func discardLongLine() throws -> Line {
        var bytes = 0
        lineNumber += 1
        while true {
            if let newline = findNewline(from: start) {
                bytes += newline - start
                start = newline + 1
                return .tooLong(number: lineNumber, bytes: bytes)
            }
            bytes += buffer.count - start
            start = buffer.count
            if bytes > Self.maximumSkippedBytes { isAtEnd = true }
            if isAtEnd { return .tooLong(number: lineNumber, bytes: bytes) }
            try fill()
        }
    }
}

/// Where some lines of a file in time order stand, so that what comes later can be read without what is before.
struct LineIndex: Sendable {
    struct Place: Sendable {
        /// The place of the line's first byte in the file.
        var offset: Int
        /// How many lines are before it.
        var line: Int
        var time: Timestamp
    }

    private static let spacingBytes = 64 << 10

    /// In the order of the file.
    private var places: [Place] = []

    /// Takes a line, unless one nearby is there.
    mutating func add(_ place: Place) {
        guard place.offset - (places.last?.offset ?? 0) >= Self.spacingBytes else { return }
        places.append(place)
    }

    /// The last of its lines before a time.
    func last(before time: Timestamp) -> Place? { places.last { $0.time < time } }
}

/// Finds a place in a file by the times of its lines, without reading all of it.
enum LineSearch {
    private static let blockBytes = 128 << 10

    /// The offset of a line before a time, not far from it; `nil` where the file has to be read from its beginning.
    ///
    /// - Parameter timeOf: The time of a line; `nil` for one that does not read.
    static func offset(
        in file: String,
        of files: any SessionFiles,
        before time: Timestamp,
        timeOf: (UnsafeRawBufferPointer) -> Timestamp?
    ) -> Int? {
        var found: Int?
        var (low, high) = (0, files.size(of: file) ?? 0)
        while high - low > 2 * blockBytes {
            let middle = low + (high - low) / 2
            guard let line = line(after: middle, in: file, of: files, timeOf) else { return found }
            if line.time < time {
                (low, found) = (max(line.offset, middle), line.offset)
            } else {
                high = middle
            }
        }
        return found
    }

    /// The first line that begins behind a place.
    private static func line(
        after offset: Int,
        in file: String,
        of files: any SessionFiles,
        _ timeOf: (UnsafeRawBufferPointer) -> Timestamp?
    ) -> (offset: Int, time: Timestamp)? {
        guard let stream = try? files.stream(file, from: offset) else { return nil }
        var reader = LineReader(stream, offset: offset, line: 1)
        // The rest of the line that stands there.
        guard (try? reader.next()) != nil, case .text? = try? reader.next(), let time = reader.withLine(timeOf) else {
            return nil
        }
        return (reader.lineOffset, time)
    }
}
