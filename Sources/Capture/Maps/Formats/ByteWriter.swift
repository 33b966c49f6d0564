import Recording
import Text

/// Little-endian numbers one after the other.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int) { bytes.reserveCapacity(count) }

    mutating func append(text: String) { bytes += text.utf8 }

    /// Hands over what is there once it is a piece worth writing, or whatever is there at the end.
    mutating func pass(isLast: Bool = false, to take: ([UInt8]) throws -> Void) rethrows {
        guard bytes.count >= 1 << 18 || isLast && !bytes.isEmpty else { return }
        try take(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Lets JSON's numbers be appended, the shortest that read back as the same.
    mutating func append(number: Float) { JSONAppend.number(number, to: &bytes) }

    mutating func append(number: Double) { JSONAppend.number(number, to: &bytes) }

    mutating func append(number: UInt64) { JSONAppend.integer(number, to: &bytes) }

    @inline(__always)
    mutating func append(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 24))
    }

    @inline(__always)
    mutating func append(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 8))
    }

    mutating func append(_ value: UInt64) {
        append(UInt32(truncatingIfNeeded: value))
        append(UInt32(truncatingIfNeeded: value >> 32))
    }

    mutating func append(_ value: Double) { append(value.bitPattern) }

    mutating func append(_ values: [UInt8]) { bytes += values }

    @inline(__always)
    mutating func append(_ value: UInt8) { bytes.append(value) }

    @inline(__always)
    mutating func append(_ value: Float) { append(value.bitPattern) }

    @inline(__always)
    mutating func append(_ vector: SIMD3<Float>) {
        append(vector.x)
        append(vector.y)
        append(vector.z)
    }

    /// Three numbers in double precision where they count from elsewhere than the origin.
    @inline(__always)
    mutating func append(_ vector: SIMD3<Float>, from origin: Vector3) {
        guard origin != .zero else { return append(vector) }
        for axis in 0..<3 { append(Double(vector[axis]) + origin[axis]) }
    }

    @inline(__always)
    mutating func append(_ triangle: SurfaceMesh.Triangle) {
        append(triangle.a)
        append(triangle.b)
        append(triangle.c)
    }
}

extension UInt32 {
    /// The channels of 0x00RRGGBB.
    var channels: (red: UInt8, green: UInt8, blue: UInt8) {
        (UInt8(truncatingIfNeeded: self >> 16), UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self))
    }
}

/// Text for one line of a header: ASCII without control characters, of bounded length.
enum PlainLine {
    static func text(_ text: String) -> String {
        String(text.prefix(200).map { $0.isASCII && !$0.isNewline && ($0.asciiValue ?? 0) >= 0x20 ? $0 : "?" })
    }
}
