import Recording

/// The rows of a depth grid in a shape that is good for vectors: the width is a multiple of eight.
///
/// Invalid values and padding are 0, negative, NaN or infinite. The caller of the function that made them owns the memory.
struct DepthRows {
    /// The depth that is used: 0 where the edge filter dropped a pixel.
    var depth: UnsafePointer<Float>
    /// The measured depth; the same memory as `depth` where there is no edge filter.
    var measured: UnsafePointer<Float>
    var confidence: UnsafePointer<UInt8>
    /// The distance between rows of `confidence`: 0 where one row stands for all.
    var confidenceStride: Int
    /// The number of columns with padding, a multiple of eight.
    var paddedWidth: Int
    var columns: Int
    var rows: Int

    var paddedCount: Int { paddedWidth * rows }
    var isEdgeFiltered: Bool { measured != depth }
}

/// Brings a depth map into the shape of `DepthRows`: pads, drops flying pixels, takes every n-th pixel.
///
/// Values that need no change are used where they are.
final class DepthPreparation {
    private let paddedDepth = Scratch<Float>()
    private let paddedConfidence = Scratch<UInt8>()
    private let edgeFiltered = Scratch<Float>()
    private let sampledDepth = Scratch<Float>()
    private let sampledMeasured = Scratch<Float>()
    private let sampledConfidence = Scratch<UInt8>()
    private let constantConfidence = Scratch<UInt8>()

    /// The rows are valid until the next call, as long as the memory given is.
    func rows(
        _ input: CloudInput,
        _ depth: UnsafePointer<Float>,
        _ confidence: UnsafePointer<UInt8>?
    ) -> DepthRows {
        let (width, height, parameters) = (input.depth.width, input.depth.height, input.parameters)
        var rows = DepthRows(
            depth: depth,
            measured: depth,
            confidence: confidence ?? allConfident(roundedUp(width)),
            confidenceStride: confidence == nil ? 0 : width,
            paddedWidth: roundedUp(width),
            columns: width,
            rows: height
        )
        if rows.paddedWidth != width { pad(&rows) }
        if parameters.edgeFilter {
            let target = edgeFiltered.reserve(rows.paddedCount)
            EdgeFilter(parameters).filter(rows, into: target)
            rows.depth = UnsafePointer(target)
        }
        if parameters.stride > 1 { sample(&rows, stride: parameters.stride) }
        return rows
    }

    private func allConfident(_ count: Int) -> UnsafePointer<UInt8> {
        let row = constantConfidence.reserve(count)
        row.update(repeating: 255, count: count)
        return UnsafePointer(row)
    }

    private func pad(_ rows: inout DepthRows) {
        let depth = paddedDepth.reserve(rows.paddedCount)
        depth.update(repeating: 0, count: rows.paddedCount)
        for row in 0..<rows.rows {
            (depth + row * rows.paddedWidth).update(from: rows.depth + row * rows.columns, count: rows.columns)
        }
        rows.depth = UnsafePointer(depth)
        rows.measured = rows.depth
        guard rows.confidenceStride != 0 else { return }
        let confidence = paddedConfidence.reserve(rows.paddedCount)
        confidence.update(repeating: 0, count: rows.paddedCount)
        for row in 0..<rows.rows {
            (confidence + row * rows.paddedWidth)
                .update(from: rows.confidence + row * rows.columns, count: rows.columns)
        }
        rows.confidence = UnsafePointer(confidence)
        rows.confidenceStride = rows.paddedWidth
    }

    private func sample(_ rows: inout DepthRows, stride: Int) {
        var sampled = rows
        sampled.columns = (rows.columns + stride - 1) / stride
        sampled.rows = (rows.rows + stride - 1) / stride
        sampled.paddedWidth = roundedUp(sampled.columns)
        let confidence = sampledConfidence.reserve(sampled.paddedCount)
        confidence.update(repeating: 0, count: sampled.paddedCount)
        for row in 0..<sampled.rows {
            for column in 0..<sampled.columns {
                confidence[row * sampled.paddedWidth + column] =
                    rows.confidence[row * stride * rows.confidenceStride + column * stride]
            }
        }
        sampled.depth = sample(rows.depth, of: rows, stride: stride, as: sampled, into: sampledDepth)
        sampled.measured =
            rows.isEdgeFiltered
            ? sample(rows.measured, of: rows, stride: stride, as: sampled, into: sampledMeasured) : sampled.depth
        sampled.confidence = UnsafePointer(confidence)
        sampled.confidenceStride = sampled.paddedWidth
        rows = sampled
    }

    private func sample(
        _ depth: UnsafePointer<Float>,
        of rows: DepthRows,
        stride: Int,
        as sampled: DepthRows,
        into memory: Scratch<Float>
    ) -> UnsafePointer<Float> {
        let target = memory.reserve(sampled.paddedCount)
        target.update(repeating: 0, count: sampled.paddedCount)
        for row in 0..<sampled.rows {
            for column in 0..<sampled.columns {
                target[row * sampled.paddedWidth + column] =
                    depth[row * stride * rows.paddedWidth + column * stride]
            }
        }
        return UnsafePointer(target)
    }
}

private func roundedUp(_ width: Int) -> Int { (width + 7) & ~7 }

/// Which pixels are valid by depth and confidence: a byte for each of eight pixels, 1 where one passes.
struct PixelLimits {
    private let minimumBits: Int32
    private let maximumBits: Int32
    /// The least confidence in every byte.
    private let leastConfidence: UInt64

    /// Depths strictly between the limits, which are positive or zero, and at least the given confidence, 0 to 2.
    init(_ parameters: CloudParameters) {
        minimumBits = Int32(bitPattern: Float(parameters.minimumDepthMetres).bitPattern)
        maximumBits = Int32(bitPattern: Float(parameters.maximumDepthMetres).bitPattern)
        leastConfidence = UInt64(min(parameters.minimumConfidence, 2)) &* PixelFlags.ones
    }

    /// The pixels whose depth is between the limits.
    ///
    /// The bits of positive floating-point numbers are in the order of the numbers, those of NaN come after infinity, and
    /// a difference that wraps for a negative number makes the other one positive: two signs tell all.
    @inline(__always)
    func depthFlags(_ depth: Floats) -> UInt64 {
        let depthBits = unsafeBitCast(depth, to: Integers.self)
        let above = Integers(repeating: minimumBits) &- depthBits
        let below = depthBits &- Integers(repeating: maximumBits)
        return laneBytes(signs(above & below)) & PixelFlags.ones
    }

    /// The pixels whose confidence suffices.
    ///
    /// With its highest bit set a byte is larger than what is subtracted, so that nothing is borrowed from the next one;
    /// the bit stays where the rest of the byte is large enough.
    @inline(__always)
    func confidenceFlags(_ confidence: UInt64) -> UInt64 {
        let highBits = PixelFlags.ones &<< 7
        return ((((confidence | highBits) &- leastConfidence) | confidence) &>> 7) & PixelFlags.ones
    }
}

/// A count of flags, eight pixels at a time: a byte for each of the eight.
struct PixelFlags {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    /// No byte can overflow within so many pixels.
    static let pixelsPerSum = 1024

    private var sums: UInt64 = 0

    @inline(__always)
    mutating func add(_ flags: UInt64) { sums &+= flags }

    /// All bytes together.
    var total: Int {
        let pairs = (sums & 0x00FF_00FF_00FF_00FF) &+ (sums &>> 8 & 0x00FF_00FF_00FF_00FF)
        return Int((pairs &* 0x0001_0001_0001_0001) &>> 48)
    }
}

/// How many pixels passed the limits of depth, of confidence and the edge filter.
struct PixelTally {
    private var inside = 0
    private var confident = 0
    private var used = 0

    mutating func add(inside: PixelFlags, confident: PixelFlags, used: PixelFlags) {
        self.inside &+= inside.total
        self.confident &+= confident.total
        self.used &+= used.total
    }

    func note(in counts: inout CloudCounts) {
        counts.keep(inside, after: .depth)
        counts.keep(confident, after: .confidence)
        counts.keep(used, after: .edge)
    }
}
