import Containers
import SystemPackage

/// Zstandard as rosbag2 uses it, with limits, so that a few bytes cannot become gigabytes.
enum Unpacking {
    /// Enough of a frame to see the size that it claims.
    static let headerBytes = 18

    /// The size that a frame claims to unpack to; nil if it does not say, or says what no message may be.
    static func claimedBytes(_ frame: UnsafeRawBufferPointer) -> Int? {
        guard let size = Zstandard.claimedSize(frame), size <= largestMessage else { return nil }
        return size
    }

    /// The content of one frame.
    static func message(_ frame: UnsafeRawBufferPointer, path: FilePath, place: String) throws(BagError) -> [UInt8] {
        do {
            return try Zstandard.decompress(frame, limit: limit(frame.count, atLeast: 64 << 20, atMost: largestMessage))
        } catch {
            throw .damaged(
                path,
                place: "\(place), byte \(error.offset)",
                expected: error.expected,
                found: error.found
            )
        }
    }

    /// Unpacks a file into a temporary one that has no name.
    ///
    /// - Parameter keepsPart: An incomplete frame gives what it has, and the problem.
    static func file(_ path: FilePath, keepsPart: Bool) throws(BagError) -> (file: NamelessFile, problem: BagError?) {
        try reading {
            let result = try NamelessFile()
            do {
                try ZstandardFile.decompress(
                    path,
                    to: result.descriptorPath,
                    limit: limit(fileBytes(path), atLeast: 4 << 30, atMost: .max),
                    keepsPart: true
                )
            } catch let error as CompressionError {
                let problem = BagError.damaged(
                    path,
                    place: "byte \(error.offset)",
                    expected: error.expected,
                    found: error.found
                )
                guard keepsPart else { throw problem }
                return (result, problem)
            }
            return (result, nil)
        }
    }

    /// What SQLite and rosbag2 take at most.
    private static let largestMessage = 1_000_000_000

    /// Images of one colour shrink to a thousandth and below, but nothing honest does so and is large all the same.
    private static func limit(_ packedBytes: Int, atLeast least: Int, atMost most: Int) -> Int {
        let (scaled, overflow) = packedBytes.multipliedReportingOverflow(by: 4096)
        return min(most, max(least, overflow ? .max : scaled))
    }
}
