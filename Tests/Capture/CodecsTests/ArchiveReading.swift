import Codecs

extension Archive {
    /// A file's whole content.
    func read(_ name: String, maximumBytes: Int) throws(CodecError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(name, into: &bytes, maximumBytes: maximumBytes)
        return bytes
    }
}

/// A whole entry by the streaming way, in pieces of the given size.
func streamed(_ archive: some Archive, _ name: String, pieceSize: Int) throws -> [UInt8] {
    let stream = try archive.stream(name)
    var piece = [UInt8](repeating: 0, count: pieceSize)
    var bytes: [UInt8] = []
    while true {
        let count = try piece.withUnsafeMutableBytes { try stream.read(into: $0) }
        if count == 0 { return bytes }
        bytes += piece[..<count]
    }
}

/// What reading all of an archive gives: content or the error of each entry.
func readEverything(_ archive: some Archive) -> [Result<Int, CodecError>] {
    archive.entries.map { entry in
        Result { () throws(CodecError) in try archive.read(entry.name, maximumBytes: 1 << 22).count }
    }
}
