import CZlib

/// zlib for permessage-deflate (RFC 7692): raw deflate streams, one per connection and direction.
package struct ZlibCodec: DeflateCodec {
    /// The compression level, from 1 (fastest) to 9 (smallest).
    package var level: Int

    package init(level: Int = 1) { self.level = min(max(level, 1), 9) }

    package func makeDeflater(windowBits: Int) -> (any MessageDeflater)? {
        ZlibDeflater(level: Int32(level), windowBits: Int32(windowBits))
    }

    package func makeInflater() -> (any MessageInflater)? { ZlibInflater() }
}

extension DeflateOptions {
    /// Compression by zlib with default parameters; rosbridge's JSON hardly shrinks further at higher levels.
    package static func zlib(level: Int = 1) -> DeflateOptions {
        DeflateOptions(codec: ZlibCodec(level: level))
    }
}

/// A z_stream at a fixed address, because zlib's state points back to it.
func makeStream() -> UnsafeMutablePointer<z_stream> {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    return stream
}

/// The most bytes that one call of zlib gets; its counts have 32 bits.
let maximumCount = Int(Int32.max)
