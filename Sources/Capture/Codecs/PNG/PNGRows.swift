/// The rows of a PNG as they are decompressed, each freed of its filter (clause 9).
struct PNGRows {
    private(set) var pixels: [UInt8] = []
    private(set) var count = 0
    private let height: Int
    private let bytesPerPixel: Int
    private let inflater: Inflater
    /// A row behind the byte of its filter.
    private let stride: Int
    /// The row before, then those that are being decompressed: many at once, as zlib is slow at the end of its output.
    private var lines: [UInt8]
    /// Bytes of ``lines``.
    private var filled: Int
    /// Rows of ``lines`` that are freed of their filters.
    private var finished = 1

    private static let bytesAtOnce = 1 << 16

    init(width: Int, height: Int, bytesPerPixel: Int) throws(CodecError) {
        self.height = height
        self.bytesPerPixel = bytesPerPixel
        inflater = try Inflater(.zlib, for: .png)
        stride = width * bytesPerPixel + 1
        lines = [UInt8](repeating: 0, count: stride * (1 + max(1, min(height, Self.bytesAtOnce / stride))))
        filled = stride
    }

    var isComplete: Bool { count == height }

    mutating func add(_ data: ArraySlice<UInt8>) throws(CodecError) {
        var consumed = 0
        while !isComplete, !inflater.isFinished {
            let (used, made) = try inflate(data.dropFirst(consumed))
            consumed += used
            filled += made
            try finishLines()
            if used == 0, made == 0 { return }
        }
    }

    private mutating func inflate(_ data: ArraySlice<UInt8>) throws(CodecError) -> (consumed: Int, produced: Int) {
        let inflater = inflater
        let free = filled..<min(lines.count, stride * (finished + height - count))
        return try data.withUnsafeBufferPointer { (input) throws(CodecError) in
            try lines.withUnsafeMutableBufferPointer { (output) throws(CodecError) in
                try inflater.inflate(
                    UnsafeRawBufferPointer(input),
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: output[free]))
                )
            }
        }
    }

    private mutating func finishLines() throws(CodecError) {
        while stride * (finished + 1) <= filled {
            let start = stride * finished
            guard lines[start] <= 4 else { throw CodecError(.png, "row \(count): unknown filter \(lines[start])") }
            unfilter(start)
            pixels += lines[start + 1..<start + stride]
            finished += 1
            count += 1
        }
        guard filled == lines.count else { return }
        for place in 0..<stride { lines[place] = lines[filled - stride + place] }
        (filled, finished) = (stride, 1)
    }

    /// 9.2: adds to each byte of the row what its filter predicts from the bytes on the left and above.
    private mutating func unfilter(_ start: Int) {
        let (step, stride) = (bytesPerPixel, stride)
        lines.withUnsafeMutableBufferPointer { lines in
            let above = UnsafeBufferPointer(rebasing: lines[start - stride..<start])
            let line = UnsafeMutableBufferPointer(rebasing: lines[start..<start + stride])
            // Both begin with the byte of the filter.
            let (first, rest) = (1..<1 + step, 1 + step..<stride)
            switch line[0] {
            case 1:
                // Channel by channel: what is on the left stays in a register.
                for channel in first {
                    var (left, place): (UInt8, Int) = (0, channel)
                    while place < stride {
                        left &+= line[place]
                        line[place] = left
                        place += step
                    }
                }
            case 2: for place in 1..<stride { line[place] &+= above[place] }
            case 3:
                for place in first { line[place] &+= above[place] / 2 }
                for place in rest { line[place] &+= UInt8((Int(line[place - step]) + Int(above[place])) / 2) }
            case 4:
                for place in first { line[place] &+= above[place] }
                for place in rest {
                    let (left, corner) = (Int(line[place - step]), Int(above[place - step]))
                    line[place] &+= UInt8(truncatingIfNeeded: Self.paeth(left, Int(above[place]), corner))
                }
            default: break
            }
        }
    }

    /// 9.4: of left, up and corner the one nearest to left + up - corner.
    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> Int {
        let estimate = left + up - corner
        let (toLeft, toUp, toCorner) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        if toLeft <= toUp, toLeft <= toCorner { return left }
        return toUp <= toCorner ? up : corner
    }
}
