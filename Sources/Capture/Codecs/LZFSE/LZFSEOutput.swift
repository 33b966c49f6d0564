/// The bytes decompressed so far; the memory is a little longer than the limit, as copies go in steps of 16 bytes.
struct LZFSEOutput {
    private typealias Step = SIMD16<UInt8>

    /// Bytes behind the limit that copies may overwrite.
    static let slack = 32

    let limit: Int
    private(set) var count = 0
    private let base: UnsafeMutableRawPointer

    /// - Parameter memory: `limit` bytes and the slack.
    init(_ memory: UnsafeMutableRawBufferPointer, limit: Int) {
        guard let base = memory.baseAddress, memory.count >= limit + Self.slack else {
            preconditionFailure("no memory for the output")
        }
        self.base = base
        self.limit = limit
    }

    var room: Int { limit - count }

    /// Appends as many bytes as there are; no more than there is room for.
    mutating func appendExactly(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= room, "more than there is room for")
        guard let source = bytes.baseAddress else { return }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends `literalCount` bytes of `source`, then repeats `repeatCount` bytes from `distance` bytes before.
    ///
    /// - Parameter source: readable for 16 bytes more than are used.
    /// - Returns: False, and does nothing, where there is no room for both or nothing as far back.
    @inline(__always)
    mutating func append(
        _ source: UnsafeRawPointer,
        _ literalCount: Int,
        repeating repeatCount: Int,
        from distance: Int
    ) -> Bool {
        let start = count &+ literalCount
        guard literalCount &+ repeatCount <= limit &- count, distance > 0, distance <= start else { return false }
        Self.copy(from: source, to: base + count, literalCount)
        repeatBytes(at: base + start, repeatCount, from: distance)
        count = start &+ repeatCount
        return true
    }

    @inline(__always)
    private func repeatBytes(at target: UnsafeMutableRawPointer, _ repeatCount: Int, from distance: Int) {
        if distance >= 16 { return Self.copy(from: target - distance, to: target, repeatCount) }
        // The first step byte by byte; from there a multiple of the distance leads back to the same bytes.
        for place in 0..<min(16, repeatCount) {
            let byte = (target - distance).load(fromByteOffset: place, as: UInt8.self)
            target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
        }
        guard repeatCount > 16 else { return }
        let multiple = (15 &+ distance) / distance &* distance
        Self.copy(from: target + 16 - multiple, to: target + 16, repeatCount &- 16)
    }

    /// Copies in steps, front to back: up to 15 bytes too many.
    @inline(__always)
    private static func copy(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ count: Int) {
        var place = 0
        while place < count {
            let step = source.loadUnaligned(fromByteOffset: place, as: Step.self)
            target.storeBytes(of: step, toByteOffset: place, as: Step.self)
            place &+= 16
        }
    }
}
