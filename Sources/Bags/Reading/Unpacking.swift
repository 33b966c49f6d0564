import Containers
import SystemPackage

/// Zstandard as rosbag2 uses it, with limits, so that a few bytes cannot become gigabytes.
enum Unpacking {
    /// Enough of a frame to see the size that it claims.
    static let headerBytes = 18

    /// The size that a frame claims to unpack to; nil if it does not say, or says what no message may be.
    static func claimedBytes(_ frame: UnsafeRawBufferPointer) -> Int? { nil }

    /// The content of one frame.
    static func message(_ frame: UnsafeRawBufferPointer, path: FilePath, place: String) throws(BagError) -> [UInt8] {
        throw .unsupported(path, what: "compressed messages")
    }

    /// Unpacks a file into a temporary one that has no name.
    ///
    /// - Parameter keepsPart: An incomplete frame gives what it has, and the problem.
    static func file(_ path: FilePath, keepsPart: Bool) throws(BagError) -> (file: NamelessFile, problem: BagError?) {
        throw .unsupported(path, what: "a compressed file")
    }
}
