import Recording

/// Where some lines of a file in time order stand, so that what comes later can be read without what is before.
struct LineIndex: Sendable {
    struct Place: Sendable {
        /// Of the line's first byte in the file.
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
