import Files
import SystemPackage

/// Where ffmpeg reads a video: its own file, or a copy of what lies in an archive, as it has to jump about in it.
struct VideoSource: Sendable {
    /// Nothing but the file is opened, and it is no playlist that leads elsewhere.
    static let restricted = ["-protocol_whitelist", "file,pipe", "-f", "mov"]
    /// What the edit list hides is read too.
    static let reading = restricted + ["-ignore_editlist", "1"]

    let argument: String
    private let copy: FileCopy?

    var input: FileDescriptor? { copy?.descriptor }

    init(_ name: String, in files: any SessionFiles) throws(Problem) {
        if let path = files.localPath(of: name) {
            argument = "file:\(path.string)"
            copy = nil
        } else {
            copy = try FileCopy(name, in: files)
            // Opened anew for each program, so that each has a place of its own in it.
            argument = "file:/proc/self/fd/0"
        }
    }
}

/// A temporary copy of a file in an archive.
private final class FileCopy: Sendable {
    let descriptor: FileDescriptor

    init(_ name: String, in files: any SessionFiles) throws(Problem) {
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
