package import Containers
package import SystemPackage

/// How large something compressed may become.
package struct UnpackLimit: Sendable, Hashable {
    /// The largest file in bytes that a compressed one may become; nil for what is usual.
    package var fileBytes: Int?

    package init(fileBytes: Int? = nil) {
        self.fileBytes = fileBytes
    }

    /// What may come out of a file, and why no more.
    ///
    /// Without a number: 256 MiB, or 200 times the packed size if that is more, which no recording of sensors comes near.
    /// With one or without, never more than the temporary directory has room for.
    package func bytes(forFile path: FilePath) -> (limit: Int, reason: String) {
        let packed = Bags.fileBytes(path)
        let (scaled, overflow) = packed.multipliedReportingOverflow(by: 200)
        let usual = max(256 << 20, overflow ? .max : scaled)
        let wanted = fileBytes ?? usual
        let free = FreeSpace.bytes(at: NamelessFile.directory) ?? .max
        // What is there is not for this alone.
        let room = max(0, free - min(free / 16, 256 << 20))
        if room < wanted {
            return (room, "at most \(room) bytes, for which there is room in \(NamelessFile.directory)")
        }
        let option = "--max-unpacked SIZE allows more"
        return (wanted, fileBytes == nil ? "at most \(wanted) bytes (\(option))" : "at most \(wanted) bytes")
    }
}

/// Zstandard as rosbag2 uses it, with limits, so that a few bytes cannot become gigabytes.
package enum Unpacking {
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
    /// - Parameter keepsPart: An incomplete frame gives what it has, and the problem. What would become too large is an
    ///   error all the same.
    package static func file(
        _ path: FilePath,
        keepsPart: Bool,
        limit: UnpackLimit = UnpackLimit()
    ) throws(BagError) -> (file: NamelessFile, problem: BagError?) {
        try reading {
            let (limit, reason) = limit.bytes(forFile: path)
            func refusal(_ found: String) -> BagError {
                .damaged(path, place: "unpacked size", expected: reason, found: found)
            }
            if let claimed = try ZstandardFile.claimedSize(path), claimed > limit { throw refusal("\(claimed)") }
            let result = try NamelessFile()
            do {
                try ZstandardFile.decompress(path, to: result.descriptorPath, limit: limit, keepsPart: true)
            } catch let error as CompressionError {
                if error.isLimit { throw refusal("more") }
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
