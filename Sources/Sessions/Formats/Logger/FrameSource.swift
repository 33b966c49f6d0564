import Capture

/// Reads frames.jsonl from front to back: each line with its time, read as a whole only when it is asked for.
struct FrameSource {
    var reader: LineReader
    let supersededLines: Set<Int>
    /// Whether the IMU samples inside the lines are wanted as records of their own.
    let readsMotion: Bool
    let resolver: PayloadResolver
    private var pendingMotion: MotionSample?

    init(reader: LineReader, supersededLines: Set<Int>, readsMotion: Bool, resolver: PayloadResolver) {
        self.reader = reader
        self.supersededLines = supersededLines
        self.readsMotion = readsMotion
        self.resolver = resolver
    }

    mutating func next() throws -> TimeHeap.Entry? {
        if let sample = pendingMotion {
            pendingMotion = nil
            return TimeHeap.Entry(time: sample.time, content: .motion(sample))
        }
        while let line = try reader.next() {
            guard case .text(let number, _) = line, !supersededLines.contains(number) else { continue }
            let wantsMotion = readsMotion
            let (entry, motion) = reader.withLine { bytes -> (TimeHeap.Entry?, MotionSample?) in
                guard let time = FrameParser.time(bytes) else { return (nil, nil) }
                let motion = wantsMotion ? (try? FrameParser.parse(bytes, line: number))?.motion : nil
                return (TimeHeap.Entry(time: time, content: .line(Array(bytes), number: number)), motion)
            }
            pendingMotion = motion
            if let entry { return entry }
        }
        return nil
    }

    /// The frame of a line, with what is really there of its payloads.
    func frame(of bytes: [UInt8], line: Int, _ diagnostics: inout Diagnostics) -> FrameReference? {
        let parsed = bytes.withUnsafeBytes { try? FrameParser.parse($0, line: line) }
        return parsed.map { resolver.resolve($0, &diagnostics) }
    }
}
