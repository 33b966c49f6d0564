package import Platform
package import SystemPackage

/// How large something compressed may become.
package struct UnpackLimit: Sendable, Hashable {
    /// The largest file in bytes that a compressed one may become; nil for what is usual.
    package var fileBytes: Int?

    package init(fileBytes: Int? = nil) {
        self.fileBytes = fileBytes
    }

    /// The largest number of bytes that may come out of a file, and the reason for this limit.
    ///
    /// Without a number: 256 MiB, or 200 times the packed size if that is more, which no recording of sensors comes near.
    /// With one or without, never more than there is room for.
    ///
    /// - Parameter directory: Where it is unpacked to.
    package func bytes(forFile path: FilePath, in directory: FilePath) -> (limit: Int, reason: String) {
        let packed = Bags.fileBytes(path)
        let (scaled, overflow) = packed.multipliedReportingOverflow(by: 200)
        let usual = max(256 << 20, overflow ? .max : scaled)
        let wanted = fileBytes ?? usual
        let free = FreeSpace.bytes(at: directory) ?? .max
        // What is there is not for this alone.
        let room = max(0, free - min(free / 16, 256 << 20))
        if room < wanted {
            return (room, "at most \(room) bytes, for which there is room in \(directory)")
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

    package struct Outcome {
        /// Why it is not all; nil if it is.
        package var problem: CompressionError?
        /// An oddity of its frame, although all of it is there.
        package var remark: String?
        /// True if it goes on in the frame of another file.
        package var isHeadless = false
        /// True if it may go on in that of another one as well, so that bytes of it may be wrong.
        package var isAmbiguous = false
    }

    /// Unpacks a file into a temporary one that has no name.
    ///
    /// - Parameter keepsPart: An incomplete frame gives what it has, and the problem. What would become too large is an
    ///   error all the same.
    package static func file(
        _ path: FilePath,
        keepsPart: Bool,
        limit: UnpackLimit = UnpackLimit()
    ) throws(BagError) -> (file: NamelessFile, problem: BagError?, remark: String?) {
        try reading {
            let result = try NamelessFile()
            let directory = NamelessFile.directory
            let outcome = try file(path, to: result.descriptorPath, in: directory, limit: limit)
            if let remark = outcome.remark, outcome.isHeadless, !keepsPart {
                throw BagError.damaged(path, place: "byte 0", expected: "a zstd frame", found: remark)
            }
            let problem = outcome.problem.map { damage in
                BagError.damaged(
                    path,
                    place: "byte \(damage.offset)",
                    expected: damage.expected,
                    found: damage.found
                )
            }
            if let problem, !keepsPart { throw problem }
            return (result, problem, outcome.remark)
        }
    }

    /// Unpacks a file into another one, as much of it as is sound.
    ///
    /// - Parameter directory: Where `target` takes its space.
    /// - Throws: `BagError`; `damaged` for what would become too large.
    package static func file(
        _ path: FilePath,
        to target: FilePath,
        in directory: FilePath,
        limit: UnpackLimit
    ) throws(BagError) -> Outcome {
        let (most, reason) = limit.bytes(forFile: path, in: directory)
        func refusal(_ found: String) -> BagError {
            .damaged(path, place: "unpacked size", expected: reason, found: found)
        }
        func unpack(_ previous: [FilePath]) throws -> Outcome {
            do {
                try ZstandardFile.decompress(path, to: target, limit: most, keepsPart: true, goingOnFrom: previous)
                return Outcome()
            } catch let error as CompressionError {
                if error.isLimit { throw refusal("more") }
                guard error.isCut, SharedFrames.ending(of: path) == .unterminated else {
                    return Outcome(problem: error)
                }
                return Outcome(remark: "its zstd frame has no end, though all blocks of it are there")
            }
        }
        return try reading { () throws -> Outcome in
            if let claimed = try ZstandardFile.claimedSize(path), claimed > most { throw refusal("\(claimed)") }
            guard SharedFrames.isHeadless(path), let chain = SharedFrames.chain(to: path, limit: most) else {
                return try unpack([])
            }
            var outcome = try unpack(chain.files)
            let names = chain.files.compactMap { $0.lastComponent?.string }.joined(separator: ", ")
            outcome.remark =
                "it goes on in the frame of \(names)" + (chain.isAmbiguous ? ", or in that of another" : "")
            (outcome.isHeadless, outcome.isAmbiguous) = (true, chain.isAmbiguous)
            return outcome
        }
    }

    /// The size of the largest message that SQLite and rosbag2 take, in bytes.
    private static let largestMessage = 1_000_000_000

    /// Images of one colour shrink to a thousandth and below, but nothing honest does so and is large all the same.
    private static func limit(_ packedBytes: Int, atLeast least: Int, atMost most: Int) -> Int {
        let (scaled, overflow) = packedBytes.multipliedReportingOverflow(by: 4096)
        return min(most, max(least, overflow ? .max : scaled))
    }
}
