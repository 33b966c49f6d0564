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
