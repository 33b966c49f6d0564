import Recording

/// Reads frames.jsonl from front to back: each line with its time, read as a whole only when it is asked for.
struct FrameReader {
    var reader: LineReader
    let supersededLines: Set<Int>
    /// Whether the IMU samples inside the lines are wanted as records of their own.
    let readsMotion: Bool
    let resolver: PayloadResolver
    private var pendingMotion: Entry?

    typealias Entry = TimeHeap<Content>.Entry

    enum Content {
        /// A line that may be a frame; `isTrusted` is what it says of its pose.
        case line([UInt8], number: Int, isTrusted: Bool)
        /// The IMU sample of a line.
        case motion(MotionSample, number: Int)
    }

    init(reader: LineReader, supersededLines: Set<Int>, readsMotion: Bool, resolver: PayloadResolver) {
        self.reader = reader
        self.supersededLines = supersededLines
        self.readsMotion = readsMotion
        self.resolver = resolver
    }

    mutating func next() throws -> Entry? {
        if let sample = pendingMotion {
            pendingMotion = nil
            return sample
        }
        while let line = try reader.next() {
            guard case .text(let number, _) = line, !supersededLines.contains(number) else { continue }
            let wantsMotion = readsMotion
            let (entry, motion) = reader.withLine { bytes -> (Entry?, MotionSample?) in
                guard let head = FrameLine.head(bytes) else { return (nil, nil) }
                let motion = wantsMotion ? (try? FrameLine.parse(bytes, line: number))?.motion : nil
                let content = Content.line(Array(bytes), number: number, isTrusted: head.isTrusted)
                return (Entry(time: head.time, content: content), motion)
            }
            pendingMotion = motion.map { Entry(time: $0.time, content: .motion($0, number: number)) }
            if let entry { return entry }
        }
        return nil
    }

    /// The frame of a line as the line says it; `nil` where it does not read.
    func parse(_ bytes: [UInt8], line: Int) -> ParsedFrame? {
        bytes.withUnsafeBytes { try? FrameLine.parse($0, line: line) }
    }
}
