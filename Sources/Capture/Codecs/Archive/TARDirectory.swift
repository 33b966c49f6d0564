/// Walks the headers of a tar file and notes where each regular file's content lies.
struct TARDirectory {
    private let file: ArchiveFile
    private var index = ArchiveIndex<EntryStream.Extent>(codec: .tar)
    private var position = 0
    // What extension members said about the member that follows them.
    private var longName: [UInt8]?
    private var longLink: [UInt8]?
    private var attributes = PaxAttributes()

    static func readIndex(of file: ArchiveFile) throws(CodecError) -> ArchiveIndex<EntryStream.Extent> {
        var directory = TARDirectory(file: file)
        while let header = try directory.nextHeader() {
            try directory.take(header)
        }
        return directory.index
    }

    private init(file: ArchiveFile) {
        self.file = file
    }

    /// The next header; `nil` at a block of zeros, or at the end of a file that lacks one.
    private mutating func nextHeader() throws(CodecError) -> TARHeader? {
        guard position < file.size || position == 0 else { return nil }
        let block = try file.bytes(at: position, count: 512)
        guard block.contains(where: { $0 != 0 }) else { return nil }
        return try TARHeader(block, at: position)
    }

    private mutating func take(_ header: TARHeader) throws(CodecError) {
        let start = position + 512
        let isExtension = header.kind == .paxHeader || header.kind == .longName || header.kind == .longLink
        let size = header.hasContent ? (isExtension ? nil : attributes.size) ?? header.size : 0
        // Content is padded to whole blocks.
        guard size <= file.size - start, (size + 511) / 512 * 512 <= file.size - start else {
            throw CodecError(.tar, at: position, "a member of \(size) bytes is longer than the file: cut short?")
        }
        switch header.kind {
        case .paxHeader:
            attributes = try PaxAttributes(extensionBytes(at: start, count: size), at: start)
        case .longName:
            longName = untilNUL(try extensionBytes(at: start, count: size))
        case .longLink:
            longLink = untilNUL(try extensionBytes(at: start, count: size))
        case .regular, .hardLink, .other:
            try add(header, start: start, size: size)
            (longName, longLink, attributes) = (nil, nil, PaxAttributes())
        case .globalHeader:
            break
        }
        position = start + (size + 511) / 512 * 512
    }

    private mutating func add(_ header: TARHeader, start: Int, size: Int) throws(CodecError) {
        guard !attributes.isSparse else { throw CodecError(.tar, at: position, "sparse members are not supported") }
        let nameBytes = attributes.path ?? longName ?? header.name
        let name = try ArchiveName.parse(nameBytes, codec: .tar, at: position)
        guard header.kind != .other, case .file(let text) = name else { return }
        var extent = EntryStream.Extent(offset: start, storedSize: size, size: size, isDeflated: false)
        if header.kind == .hardLink {
            let target = try ArchiveName.parse(
                attributes.linkPath ?? longLink ?? header.linkName,
                codec: .tar,
                at: position
            )
            guard case .file(let targetName) = target, let location = index.location(of: targetName) else {
                throw CodecError(.tar, at: position, "entry \(quoted(text)): a hard link to nothing before it")
            }
            extent = location
        }
        try index.add(text, size: extent.size, location: extent, at: position)
    }

    private func extensionBytes(at offset: Int, count: Int) throws(CodecError) -> [UInt8] {
        guard count <= 1 << 20 else {
            throw CodecError(.tar, at: offset, "an extension member of \(count) bytes")
        }
        return try file.bytes(at: offset, count: count)
    }

    private func untilNUL(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes.prefix { $0 != 0 })
    }
}
