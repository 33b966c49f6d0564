/// The first bytes of a file, by which its kind is told.
package enum MagicNumber {
    /// True if a file begins with a magic number of which two bytes at most are damaged.
    package static func begins(_ head: some Collection<UInt8>, with magic: [UInt8]) -> Bool {
        head.count >= magic.count && zip(head, magic).count { $0 != $1 } <= 2
    }
}
