import Glibc
import Platform
import SystemPackage

/// A regular file in an archive.
package struct ArchiveEntry: Hashable, Sendable {
    /// Relative, with `/` between components, without `.` or `..`.
    package var name: String
    /// Size of the content in bytes, as the archive says; reading finds out whether that is true.
    package var size: Int
    /// When it was last modified; `nil` where the archive does not say it.
    package var modified: ArchiveTime?
}

/// When a file was last modified, as an archive keeps it.
package enum ArchiveTime: Hashable, Sendable {
    /// Seconds since 1970 (tar; ZIP's extended timestamp).
    case unix(seconds: Int)
    /// MS-DOS date and time of a clock whose zone is not known, to two seconds (APPNOTE 4.4.6).
    case local(date: Int, time: Int)
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

    /// When a file was last modified; `nil` where that is not known.
    func modified(_ name: String) -> ArchiveTime?

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
}

/// An archive's own file: positioned reads, safe from several tasks at once.
final class ArchiveFile: Sendable {
    let codec: CodecError.Codec
    let path: String
    let size: Int
    private let descriptor: FileDescriptor

    init(path: String, codec: CodecError.Codec) throws(CodecError) {
        self.codec = codec
        self.path = path
        do throws(FileError) {
            (descriptor, size) = try RegularFile.open(FilePath(path))
        } catch {
            throw CodecError(codec, "expected a regular file at \(path), found: \(error.found)")
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Fills `buffer` from `offset` on; less than all of it is an error.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) {
        guard offset >= 0, offset <= size, buffer.count <= size - offset else {
            throw CodecError(codec, at: offset, "expected \(buffer.count) bytes, found the end of the file at \(size)")
        }
        guard let base = buffer.baseAddress else { return }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor.rawValue, base + done, buffer.count - done, off_t(offset + done))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                SystemFault.note(FilePath(path), "read", Errno(rawValue: errno))
                throw CodecError(codec, at: offset + done, "read: \(ArchiveFile.lastError)")
            }
            guard count > 0 else { throw CodecError(codec, at: offset + done, "the file became shorter") }
            done += count
        }
    }

    /// `count` bytes from `offset` on, which must lie in the file.
    func bytes(at offset: Int, count: Int) throws(CodecError) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw CodecError(codec, at: offset, "expected \(count) bytes, found the end of the file at \(size)")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.fill { buffer throws(CodecError) in try read(at: offset, into: buffer) }
        return bytes
    }

    /// The first byte from `offset` on that is stored; holes before it are zeros that need no reading.
    func storedStart(from offset: Int) -> Int {
        // SEEK_DATA, which Swift does not see.
        let place = lseek(descriptor.rawValue, off_t(offset), 3)
        return place >= 0 ? min(size, max(offset, Int(place))) : errno == ENXIO ? size : offset
    }

    private static var lastError: String {
        String(cString: strerror(errno))
    }
}

extension [UInt8] {
    /// Lets `body` write into the array's bytes and passes its typed error on.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void) throws(CodecError) {
        try withUnsafeMutableBytes { buffer in
            Result { () throws(CodecError) in try body(buffer) }
        }.get()
    }
}

/// The files of an archive by name, each with where its content lies.
struct ArchiveIndex<Location: Sendable>: Sendable {
    private(set) var entries: [ArchiveEntry] = []
    private var locations: [Location] = []
    private var places: [String: Int] = [:]
    private let codec: CodecError.Codec

    init(codec: CodecError.Codec) {
        self.codec = codec
    }

    /// Adds a file; two files of one name are refused, because readers disagree on which of them counts.
    mutating func add(
        _ name: String,
        size: Int,
        modified: ArchiveTime?,
        location: Location,
        at byteOffset: Int
    ) throws(CodecError) {
        guard places.updateValue(entries.count, forKey: name) == nil else {
            throw CodecError(codec, at: byteOffset, "entry \(quoted(name)): a second one of this name")
        }
        entries.append(ArchiveEntry(name: name, size: size, modified: modified))
        locations.append(location)
    }

    func size(of name: String) -> Int? {
        places[name].map { entries[$0].size }
    }

    func modified(_ name: String) -> ArchiveTime? {
        places[name].flatMap { entries[$0].modified }
    }

    func location(of name: String) -> Location? {
        places[name].map { locations[$0] }
    }

    func find(_ name: String) throws(CodecError) -> (size: Int, location: Location) {
        guard let place = places[name] else { throw CodecError(codec, "no entry \(quoted(name))") }
        return (entries[place].size, locations[place])
    }
}

/// A name from an untrusted file, fit for a message: printable and of bounded length.
func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars.prefix(120) {
        text += scalar.value < 0x20 || scalar.value == 0x7F ? "?" : String(scalar)
    }
    return text + (name.unicodeScalars.count > 120 ? "...\"" : "\"")
}

/// The kind of entry that a name stands for.
enum ArchiveName: Hashable {
    /// A regular file's relative name, in the one form that look-ups use.
    case file(String)
    case directory
    /// An entry that macOS adds and no session needs: `__MACOSX`, `.DS_Store`, `._name`.
    case ignored

    /// Reads a name from an archive; a name that could lead out of the archive is refused.
    static func parse(
        _ bytes: some Sequence<UInt8>,
        codec: CodecError.Codec,
        at byteOffset: Int
    ) throws(CodecError) -> ArchiveName {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        func refusal(_ why: String) -> CodecError {
            CodecError(codec, at: byteOffset, "entry \(quoted(text)): \(why)")
        }
        if text.isEmpty { throw refusal("an empty name") }
        if text.utf8.contains(0) { throw refusal("a name with a NUL") }
        if text.utf8.contains(UInt8(ascii: "\\")) { throw refusal("a name with a backslash") }
        if text.utf8.first == UInt8(ascii: "/") { throw refusal("an absolute name") }
        if hasDriveLetter(text) { throw refusal("a name with a drive") }
        var components: [Substring] = []
        for component in text.split(separator: "/") where component != "." {
            guard component != ".." else { throw refusal("a name with \"..\"") }
            components.append(component)
        }
        guard text.utf8.last != UInt8(ascii: "/"), let last = components.last else { return .directory }
        if components[0] == "__MACOSX" || last == ".DS_Store" || last.hasPrefix("._") { return .ignored }
        return .file(components.joined(separator: "/"))
    }

    private static func hasDriveLetter(_ text: String) -> Bool {
        let start = Array(text.utf8.prefix(3))
        guard start.count == 3, start[1] == UInt8(ascii: ":"), start[2] == UInt8(ascii: "/") else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(start[0] & 0xDF)
    }
}
