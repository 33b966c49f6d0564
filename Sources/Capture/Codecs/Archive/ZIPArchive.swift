import Platform

/// A ZIP file (PKWARE APPNOTE 6.3.10): stored and deflated entries, ZIP64, no encryption.
///
/// The central directory decides; local headers only say where data starts. An archive whose entries overlap, leave the
/// file, repeat a name or have a name that leads out of it is refused whole.
package struct ZIPArchive: Archive {
    private let file: ArchiveFile
    private let index: ArchiveIndex<ZIPDirectory.Location>

    package init(path: String) throws(CodecError) {
        file = try ArchiveFile(path: path, codec: .zip)
        index = try ZIPDirectory(file: file).readIndex()
    }

    package var entries: [ArchiveEntry] { index.entries }

    package func size(of name: String) -> Int? { index.size(of: name) }

    package func read(_ name: String, into bytes: inout [UInt8], maximumBytes: Int) throws(CodecError) {
        let extent = try extent(of: name)
        try EntryStream.readWhole(file: file, name: name, extent: extent, maximumBytes: maximumBytes, into: &bytes)
    }

    package func part(of name: String) -> FilePart? { (try? extent(of: name))?.part(of: file) }

    package func stream(_ name: String) throws(CodecError) -> EntryStream {
        try EntryStream(file: file, name: name, extent: extent(of: name))
    }

    private func extent(of name: String) throws(CodecError) -> EntryStream.Extent {
        let (size, location) = try index.find(name)
        func problem(_ reason: String) -> CodecError {
            CodecError(.zip, at: location.headerOffset, "entry \(quoted(name)): \(reason)")
        }
        // 4.4.4: bit 0 is encryption, bit 13 hides the local header's values.
        guard location.flags & 0x2001 == 0 else { throw problem("it is encrypted") }
        guard location.method == 0 || location.method == 8 else {
            throw problem("expected compression method 0 or 8, found \(location.method)")
        }
        // A DEFLATE stream cannot grow by more than 1032 times, so that a larger size is a lie.
        guard size / 1032 <= location.storedSize else {
            throw problem("\(location.storedSize) bytes cannot hold the declared \(size)")
        }
        let header = try file.bytes(at: location.headerOffset, count: 30)
        let (nameLength, extraLength) = header.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            let isHeader = reader.uint32(at: 0) == 0x0403_4B50
            return (isHeader ? reader.uint16(at: 26) : nil, reader.uint16(at: 28))
        }
        guard let nameLength, let extraLength else { throw problem("expected a local header") }
        let start = location.headerOffset + 30 + nameLength + extraLength
        guard start <= location.end, location.storedSize <= location.end - start else {
            throw problem("its \(location.storedSize) bytes overlap what follows at \(location.end)")
        }
        return EntryStream.Extent(
            offset: start,
            storedSize: location.storedSize,
            size: size,
            isDeflated: location.method == 8,
            checksum: location.checksum
        )
    }
}
