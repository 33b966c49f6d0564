import Codecs
import Platform
import SystemPackage

/// Where ffmpeg reads a video: its own file, the part of an archive that it is, or a copy of what is compressed in one, as it
/// has to jump about in it.
struct VideoSource: Sendable {
    /// Nothing but the file is opened, and it is no playlist that leads elsewhere.
    static let restricted = ["-protocol_whitelist", "file,pipe,subfile", "-f", "mov"]
    /// Reads the samples that the edit list hides, too.
    static let reading = restricted + ["-ignore_editlist", "1"]

    let argument: String
    private let copy: FileCopy?

    var input: FileDescriptor? { copy?.descriptor }

    init(_ name: String, in files: any SessionFiles, copies: Bool) throws(Problem) {
        if let path = files.localPath(of: name) {
            argument = "file:\(path.string)"
            copy = nil
        } else if let part = files.part(of: name) {
            argument = "subfile,,start,\(part.range.lowerBound),end,\(part.range.upperBound),,:file:\(part.path)"
            copy = nil
        } else {
            guard copies else {
                let expected = "one that is not compressed in the archive, where nothing is unpacked to look at it"
                throw Problem(.videoNotRead, file: name, expected: expected, found: "a compressed one")
            }
            copy = try FileCopy(name, in: files)
            // Opened anew for each program, so that each has a place of its own in it.
            argument = "file:/proc/self/fd/0"
        }
    }
}

/// A temporary copy of a compressed file in an archive.
private final class FileCopy: Sendable {
    let descriptor: FileDescriptor

    init(_ name: String, in files: any SessionFiles) throws(Problem) {
        try Self.checkSize(name, in: files)
        var stream = try files.stream(name)
        do {
            let file = try NamelessFile()
            var block = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = try block.withUnsafeMutableBytes { try stream.read(into: $0) }
                if count == 0 { break }
                _ = try block.withUnsafeBytes {
                    try file.descriptor.writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
            }
            descriptor = try file.descriptor.duplicate()
        } catch {
            throw error as? Problem ?? VideoFile.broken(name, "no temporary copy of it: \(error)")
        }
    }

    /// A copy is at most as long as leaves the folder for temporary files its reserve.
    private static func checkSize(_ name: String, in files: any SessionFiles) throws(Problem) {
        let size = files.size(of: name) ?? 0
        let free = FreeSpace.bytes(at: NamelessFile.directory) ?? .max
        guard size <= maximumBytes, size <= free - min(free, reserveBytes) else {
            throw Problem(
                .videoNotRead,
                file: name,
                expected: "a video that is not compressed in the archive, or room for a copy of up to 4 GiB in "
                    + NamelessFile.directory.string,
                found: "a compressed one of \(size) bytes, and \(free) bytes free"
            )
        }
    }

    private static let maximumBytes = 4 << 30
    private static let reserveBytes = 64 << 20

    deinit { try? descriptor.close() }
}

/// Lines of ffmpeg's complaints.
enum VideoMessage {
    /// Without the name of the part that writes it and its address, which is another one each time.
    static func plain(_ line: String) -> String {
        var rest = line[...]
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") { rest = rest[rest.index(after: end)...] }
        return String(rest.drop { $0 == " " }.prefix(200))
    }
}
