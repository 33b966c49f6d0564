/// The settings of one end for permessage-deflate (RFC 7692): its own, and those it requests from the other end.
///
/// Each direction has a window of 2^8 to 2^15 bytes, given by its exponent. Its context is kept between messages or
/// reset.
package struct DeflateOptions: Sendable {
    package var codec: any DeflateCodec
    /// The size of our compression window; the other end may ask for a smaller one.
    package var windowBits: Int
    /// True if we keep the compression context between messages; the other end may ask us not to.
    package var keepsContext: Bool
    /// The largest window that the other end may use.
    package var peerWindowBits: Int
    package var peerKeepsContext: Bool
    /// Shorter messages are sent uncompressed.
    package var minimumLength: Int

    package init(
        codec: any DeflateCodec,
        windowBits: Int = 15,
        keepsContext: Bool = true,
        peerWindowBits: Int = 15,
        peerKeepsContext: Bool = true,
        minimumLength: Int = 64
    ) {
        self.codec = codec
        self.windowBits = min(max(windowBits, DeflateParameters.windowBits.lowerBound), 15)
        self.keepsContext = keepsContext
        self.peerWindowBits = min(max(peerWindowBits, DeflateParameters.windowBits.lowerBound), 15)
        self.peerKeepsContext = peerKeepsContext
        self.minimumLength = minimumLength
    }
}

/// Provides compressors and decompressors, so that this module needs no compression library.
package protocol DeflateCodec: Sendable {
    /// Makes a compressor with a window of at most `windowBits`; `nil` if memory is exhausted.
    func makeDeflater(windowBits: Int) -> (any MessageDeflater)?
    /// Makes a decompressor for any window; `nil` if memory is exhausted.
    func makeInflater() -> (any MessageInflater)?
}

/// Compresses messages one after another.
package protocol MessageDeflater: AnyObject {
    /// Returns the compressed message, flushed to a byte boundary, without the trailing 00 00 FF FF (RFC 7692, 7.2.1);
    /// `nil` on failure.
    func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]?
    /// Forgets the messages so far.
    func reset()
}

/// Decompresses a stream that arrives in pieces of any size.
package protocol MessageInflater: AnyObject {
    /// Decompresses `input` into `output` until one of them is used up.
    func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateStep
    /// Forgets the messages so far.
    func reset()
}

/// The result of one step of decompression.
package struct InflateStep: Equatable, Sendable {
    package var consumed: Int
    package var produced: Int
    /// The input is damaged from here on; the output so far is valid.
    package var isDamaged: Bool
    /// The input ended between two blocks.
    package var isBetweenBlocks: Bool
}
