/// How one end wants to use permessage-deflate (RFC 7692): what it does itself, and what it asks of the other end.
///
/// Each direction has a window, of which the size is given as a power of two of bytes from 8 to 15, and a context that is
/// kept from message to message or not.
package struct DeflateOptions: Sendable {
    package var codec: any DeflateCodec
    /// The window for what we send; the other end may ask for a smaller one.
    package var windowBits: Int
    /// Whether what we send may refer to earlier messages; the other end may ask that it does not.
    package var keepsContext: Bool
    /// The largest window that the other end may use.
    package var peerWindowBits: Int
    package var peerKeepsContext: Bool
    /// Shorter messages are sent as they are.
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

/// Where compression comes from: the core itself has none.
package protocol DeflateCodec: Sendable {
    /// Compresses with at most `windowBits`; `nil` if there is no memory for it.
    func makeDeflater(windowBits: Int) -> (any MessageDeflater)?
    /// Decompresses with whatever window; `nil` if there is no memory for it.
    func makeInflater() -> (any MessageInflater)?
}

/// Compresses one message after the other.
package protocol MessageDeflater: AnyObject {
    /// Returns the message compressed and brought to a byte boundary, without the 00 00 FF FF at its end (RFC 7692, 7.2.1);
    /// `nil` if that did not succeed.
    func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]?
    /// Forgets the messages so far.
    func reset()
}

/// Decompresses a stream that may be cut anywhere.
package protocol MessageInflater: AnyObject {
    /// Decompresses from the beginning of `input` to the beginning of `output`, as far as both reach.
    func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateStep
    /// Forgets the messages so far.
    func reset()
}

/// How far one step of decompression came.
package struct InflateStep: Equatable, Sendable {
    package var consumed: Int
    package var produced: Int
    /// What follows cannot be decompressed; what was produced is good.
    package var isDamaged: Bool
    /// Everything ends between two blocks.
    package var isBetweenBlocks: Bool

    package init(consumed: Int, produced: Int, isDamaged: Bool, isBetweenBlocks: Bool) {
        self.consumed = consumed
        self.produced = produced
        self.isDamaged = isDamaged
        self.isBetweenBlocks = isBetweenBlocks
    }
}
