/// The messages of one .mcap file by their places; the chunks read last stay in memory.
final class MCAPPlacedRows: PlacedRows {
    /// The image and the depth of a frame may lie in neighbouring chunks.
    private static let keptBlocks = 2

    private let file: MCAPFile
    /// In the order of the file.
    private let blocks: [MCAPMessageBlock]
    private let codec: BlobCodec
    /// The one used last at the end.
    private var open: [MCAPOpenBlock] = []

    init(_ file: MCAPFile, codec: BlobCodec) {
        self.file = file
        self.codec = codec
        blocks = file.blocks.sorted { $0.offset < $1.offset }
    }

    func row(at place: StoredPlace) throws(BagError) -> StoredRow {
        try reading(mcap: codec.path) {
            let offset = Int(place.offset)
            let block = try block(at: offset)
            let inner = place.innerOffset < 0 ? place.offset : place.innerOffset
            let entry = MCAPMessageIndexEntry(logTime: 0, offset: UInt64(clamping: inner))
            guard let message = try block?.message(entry, from: file.source), let block else {
                throw MCAPProblem("Message", at: MCAPPlace(offset: offset), expected: "the message", found: "none")
            }
            return try block.withData(of: message) { data in
                let bytes = try codec.message(data, place: { "Message at \(message.place)" })
                return StoredRow(
                    topic: Int64(message.channelID),
                    time: Int64(clamping: message.logTime),
                    place: place,
                    bytes: bytes,
                    byteCount: bytes.count,
                    storedByteCount: message.byteCount
                )
            }
        }
    }

    /// The block that holds an offset of the file; nil where none does.
    private func block(at offset: Int) throws -> MCAPOpenBlock? {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0, offset < blocks[low - 1].end else { return nil }
        let wanted = blocks[low - 1]
        if let known = open.firstIndex(where: { $0.block.offset == wanted.offset }) {
            let block = open.remove(at: known)
            open.append(block)
            return block
        }
        if open.count == Self.keptBlocks { open.removeFirst() }
        // Its problems were told when the rows were read for the first time.
        var ignored = MCAPProblems()
        let block = MCAPOpenBlock(wanted, try wanted.content(of: file.source, checksum: false, problems: &ignored))
        open.append(block)
        return block
    }
}
