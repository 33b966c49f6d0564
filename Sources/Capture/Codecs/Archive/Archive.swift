/// A regular file in an archive.
package struct ArchiveEntry: Hashable, Sendable {
    /// Relative, with `/` between components, without `.` or `..`.
    package var name: String
    /// Size of the content in bytes, as the archive says; reading finds out whether that is true.
    package var size: Int
}

/// Some bytes of a file.
package struct FilePart: Hashable, Sendable {
    package var path: String
    package var range: Range<Int>
}

/// Files in one file, readable at random from several tasks at once.
///
/// Memory grows with the number of entries, not with their sizes.
package protocol Archive: Sendable {
    /// The regular files in the order of the archive's directory.
    var entries: [ArchiveEntry] { get }

    /// Where the archive is damaged between its files, and may lack some.
    var damage: [CodecError] { get }

    /// The size of a file, `nil` if there is none of that name.
    func size(of name: String) -> Int?

    /// Fills `bytes` with a file's content, using its storage again.
    ///
    /// A file of more than `maximumBytes` is refused before anything is allocated.
    func read(_ name: String, into bytes: inout [UInt8], maximumBytes: Int) throws(CodecError)

    /// Where the content of a file stands in the archive's own; `nil` where it is compressed, or not there.
    func part(of name: String) -> FilePart?

    /// A file's content in pieces, from its start.
    func stream(_ name: String) throws(CodecError) -> EntryStream
}

extension Archive {
    package var damage: [CodecError] { [] }

    /// A file's whole content; a file of more than `maximumBytes` is refused before anything is allocated.
    package func read(_ name: String, maximumBytes: Int) throws(CodecError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(name, into: &bytes, maximumBytes: maximumBytes)
        return bytes
    }

    /// A whole file of up to 1 GiB, into storage that is used again.
    package func read(_ name: String, into bytes: inout [UInt8]) throws(CodecError) {
        try read(name, into: &bytes, maximumBytes: 1 << 30)
    }
}
