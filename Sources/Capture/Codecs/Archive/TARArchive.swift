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

    package func read(_ name: String, into bytes: inout [UInt8], maximumBytes: Int) throws(CodecError) {
        let extent = try index.find(name).location
        try EntryStream.readWhole(file: file, name: name, extent: extent, maximumBytes: maximumBytes, into: &bytes)
    }

    package func part(of name: String) -> FilePart? { index.location(of: name)?.part(of: file) }

    package func stream(_ name: String) throws(CodecError) -> EntryStream {
        try EntryStream(file: file, name: name, extent: index.find(name).location)
    }
}
