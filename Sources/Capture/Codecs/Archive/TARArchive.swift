/// Walks the headers of a tar file and notes where each regular file's content lies.
struct TARDirectory {
    private let file: ArchiveFile
    private var index = ArchiveIndex<EntryStream.Extent>(codec: .tar)
    private var position = 0
    // What extension members said about the member that follows them.
    private var longName: [UInt8]?
    private var longLink: [UInt8]?
    private var attributes = PaxAttributes()

    private var damage: [CodecError] = []

    static func read(
        _ file: ArchiveFile
    ) throws(CodecError) -> (index: ArchiveIndex<EntryStream.Extent>, damage: [CodecError]) {
        var directory = TARDirectory(file: file)
        while let header = try directory.nextHeader() {
            try directory.take(header)
        }
        return (directory.index, directory.damage)
    }

    private init(file: ArchiveFile) {
        self.file = file
    }

    /// The next header; `nil` at the end, which is nothing but zeros, in at least two blocks.
    private mutating func nextHeader() throws(CodecError) -> TARHeader? {
        let start = position
        guard position < file.size || position == 0 else {
            damage.append(CodecError(.tar, at: start, "expected zeros at the end, found none: cut short?"))
            return nil
        }
        let block = try file.bytes(at: position, count: 512)
        if block.contains(where: { $0 != 0 }) {
            do throws(CodecError) {
                return try TARHeader(block, at: position)
            } catch {
                // With nothing before it, it is not known that this is a tar file at all.
                guard start > 0 else { throw error }
                return try headerAfterDamage(error)
            }
        }
        let isEmpty = try skipZeros()
        guard !isEmpty else {
            if position - start < 1024 {
                damage.append(CodecError(.tar, at: start, "expected two blocks of zeros at the end: cut short?"))
            }
            return nil
        }
        position = start
        return try headerAfterDamage(CodecError(.tar, at: start, "expected a tar header, found a block of zeros"))
    }

    /// Goes to the first block of the file from the position on that is not zero.
    ///
    /// - Returns: True if there is none.
    private mutating func skipZeros() throws(CodecError) -> Bool {
        while position < file.size {
            position = file.storedStart(from: position) / 512 * 512
            let piece = try file.bytes(at: position, count: min(1 << 18, file.size - position))
            if let place = piece.firstIndex(where: { $0 != 0 }) {
                position += place / 512 * 512
                return false
            }
            position += piece.count
        }
        return true
    }

    /// Looks block by block for the next header, and notes what was passed over.
    ///
    /// Drops a pending name and attributes (a long name, pax attributes): they may belong to a member that is lost.
    private mutating func headerAfterDamage(_ error: CodecError) throws(CodecError) -> TARHeader? {
        let start = position
        (longName, longLink, attributes) = (nil, nil, PaxAttributes())
        position += 512
        var found: TARHeader?
        while found == nil, file.size - position >= 512 {
            let piece = try file.bytes(at: position, count: min(1 << 18, (file.size - position) / 512 * 512))
            var place = 0
            while found == nil, place < piece.count {
                // Content may look like an old header by chance; like one with the magic, hardly.
                if piece[place + 257..<place + 262].elementsEqual("ustar".utf8) {
                    found = try? TARHeader(Array(piece[place..<place + 512]), at: position + place)
                }
                if found == nil { place += 512 }
            }
            position += place
        }
        if found == nil { position = file.size }
        damage.append(
            CodecError(.tar, at: start, "\(error.reason); \(position - start) bytes are passed over")
        )
        return found
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
        let modified = header.modifiedSeconds.flatMap { $0 > 0 ? ArchiveTime.unix(seconds: $0) : nil }
        try index.add(text, size: extent.size, modified: modified, location: extent, at: position)
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

/// A tar file, uncompressed: ustar, old GNU long names, and POSIX pax names and sizes (POSIX.1-2017, pax).
///
/// Hard links to earlier members read as those; symbolic links and devices are left out. An archive with a repeated name,
/// a name that leads out of it, or members beyond the end of the file is refused whole. Where a header is damaged, or no
/// zeros end the archive, what follows is read from the next header on, and ``damage`` says so.
package struct TARArchive: Archive {
    private let file: ArchiveFile
    private let index: ArchiveIndex<EntryStream.Extent>
    package let damage: [CodecError]

    package init(path: String) throws(CodecError) {
        file = try ArchiveFile(path: path, codec: .tar)
        (index, damage) = try TARDirectory.read(file)
    }

    package var entries: [ArchiveEntry] { index.entries }

    package func size(of name: String) -> Int? { index.size(of: name) }

    package func modified(_ name: String) -> ArchiveTime? { index.modified(name) }

    package func read(_ name: String, into bytes: inout [UInt8], maximumBytes: Int) throws(CodecError) {
        let extent = try index.find(name).location
        try EntryStream.readWhole(file: file, name: name, extent: extent, maximumBytes: maximumBytes, into: &bytes)
    }

    package func part(of name: String) -> FilePart? { index.location(of: name)?.part(of: file) }

    package func stream(_ name: String) throws(CodecError) -> EntryStream {
        try EntryStream(file: file, name: name, extent: index.find(name).location)
    }
}
