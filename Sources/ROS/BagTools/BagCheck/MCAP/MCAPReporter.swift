import Bags

/// Puts what is wrong with an MCAP file into findings.
struct MCAPReporter {
    let file: String
    let context: CheckContext

    func at(_ place: MCAPPlace? = nil, topic: String? = nil) -> Reporter { context.at(spot(place), topic: topic) }

    /// Adds a problem that the reader of records found.
    func add(_ problem: MCAPProblem) {
        let expected = "\(problem.what) \(problem.expected)"
        at(problem.place).add(.error, MCAPReporter.kind(of: problem), expected, problem.found)
    }

    func spot(_ place: MCAPPlace?, timeNanoseconds: Int64? = nil) -> Spot {
        let position: BagFinding.Position =
            switch (place, place?.innerOffset) {
            case (nil, _): .file
            case (let place?, nil): .byte(place.offset)
            case (let place?, let inner?): .chunkByte(chunk: place.offset, inner)
            }
        return Spot(file: file, position: position, timeNanoseconds: timeNanoseconds)
    }

    /// The kind of finding, by the record and field that the problem names.
    private static func kind(of problem: MCAPProblem) -> BagFindingKind {
        switch problem.what {
        case "magic": return .mcapMagic
        case "Chunk.uncompressed_crc": return .mcapChunkCRC
        case "Chunk.compression": return .mcapCompression
        case "Attachment.crc": return .mcapAttachmentCRC
        default: break
        }
        if problem.what.hasPrefix("Chunk.") || problem.place.innerOffset != nil { return .mcapChunk }
        if problem.what.hasSuffix(" length") || ["record", "file"].contains(problem.what) { return .mcapCut }
        return .mcapRecord
    }
}
