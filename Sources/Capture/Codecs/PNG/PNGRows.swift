/// The rows of a PNG as they are decompressed, each freed of its filter (clause 9).
struct PNGRows {
    private(set) var pixels: [UInt8] = []
    private(set) var count = 0
    private let height: Int
    private let bytesPerPixel: Int
    private let inflater: Inflater
    /// The byte of the filter, and the row behind it.
    private var line: [UInt8]
    private var filled = 0
    /// The row before, behind its filter.
    private var above: [UInt8]

    init(width: Int, height: Int, bytesPerPixel: Int) throws(CodecError) {
        self.height = height
        self.bytesPerPixel = bytesPerPixel
        inflater = try Inflater(.zlib, for: .png)
        above = [UInt8](repeating: 0, count: width * bytesPerPixel + 1)
        line = [UInt8](repeating: 0, count: width * bytesPerPixel + 1)
    }

    var isComplete: Bool { count == height }

    mutating func add(_ data: ArraySlice<UInt8>) throws(CodecError) {
        var consumed = 0
        while !isComplete, !inflater.isFinished {
            let (used, made) = try inflate(data.dropFirst(consumed))
            consumed += used
            filled += made
            if filled == line.count { try finishLine() }
            if used == 0, made == 0 { return }
        }
    }

    private mutating func inflate(_ data: ArraySlice<UInt8>) throws(CodecError) -> (consumed: Int, produced: Int) {
        let (inflater, filled) = (inflater, filled)
        return try data.withUnsafeBufferPointer { (input) throws(CodecError) in
            try line.withUnsafeMutableBufferPointer { (output) throws(CodecError) in
                try inflater.inflate(
                    UnsafeRawBufferPointer(input),
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: output[filled...]))
                )
            }
        }
    }

    private mutating func finishLine() throws(CodecError) {
        guard line[0] <= 4 else { throw CodecError(.png, "row \(count): unknown filter \(line[0])") }
        unfilter()
        pixels += line.dropFirst()
        swap(&line, &above)
        filled = 0
        count += 1
    }

    /// 9.2: adds to each byte of the row what its filter predicts from the bytes on the left and above.
    private mutating func unfilter() {
        let step = bytesPerPixel
        above.withUnsafeBufferPointer { above in
            line.withUnsafeMutableBufferPointer { line in
                // Both begin with the byte of the filter.
                let (first, rest) = (1..<1 + step, 1 + step..<line.count)
                switch line[0] {
                case 1: for place in rest { line[place] &+= line[place - step] }
                case 2: for place in 1..<line.count { line[place] &+= above[place] }
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
    }

    /// 9.4: of left, up and corner the one nearest to left + up - corner.
    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> Int {
        let estimate = left + up - corner
        let (toLeft, toUp, toCorner) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        if toLeft <= toUp, toLeft <= toCorner { return left }
        return toUp <= toCorner ? up : corner
    }
}
