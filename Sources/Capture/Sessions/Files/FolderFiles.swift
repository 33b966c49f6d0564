import Glibc
import Platform
import Recording
import SystemPackage

/// The files of a session that is a folder.
struct FolderFiles: SessionFiles {
    let root: FilePath

    /// The root may be `.` or end in `..`: the name is then that of the folder it means.
    var name: String {
        if let name = ForeignPath.name(of: root) { return name }
        guard let resolved = realpath(root.string, nil) else { return root.string }
        defer { free(resolved) }
        return FilePath(platformString: resolved).lastComponent?.string ?? root.string
    }

    func entry(_ file: String) -> FileEntry { FileEntry(at: path(file)) }

    func localPath(of file: String) -> FilePath? { FilePath(path(file)) }

    func read(_ file: String, into bytes: inout [UInt8], maximumBytes: Int) throws(Problem) {
        let (descriptor, size) = try open(file)
        defer { close(descriptor) }
        guard size <= maximumBytes else {
            let expected = "at most \(maximumBytes) bytes"
            throw Problem(.unreadableFile, file: file, expected: expected, found: "\(size) bytes")
        }
        if bytes.count < size { bytes.append(contentsOf: repeatElement(0, count: size - bytes.count)) }
        let count = try fill(bytes: &bytes, size: size, from: descriptor, file: file)
        bytes.removeLast(bytes.count - count)
    }

    private func fill(bytes: inout [UInt8], size: Int, from descriptor: Int32, file: String) throws(Problem) -> Int {
        var done = 0
        var failure: Int32 = 0
        bytes.withUnsafeMutableBytes { buffer in
            while done < size, let base = buffer.baseAddress {
                let count = Glibc.read(descriptor, base + done, size - done)
                if count > 0 {
                    done += count
                } else if count == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else {
            SystemFault.note(FilePath(path(file)), "read", Errno(rawValue: failure))
            throw unreadable(file, Errno(rawValue: failure).description)
        }
        return done
    }

    func stream(_ file: String) throws(Problem) -> any ByteStream {
        FileStream(descriptor: FileDescriptorBox(try open(file).descriptor), file: file)
    }

    func stream(_ file: String, from offset: Int) throws(Problem) -> (any ByteStream)? {
        let descriptor = FileDescriptorBox(try open(file).descriptor)
        guard lseek(descriptor.rawValue, off_t(offset), SEEK_SET) == offset else { return nil }
        return FileStream(descriptor: descriptor, file: file)
    }

    func forEachName(inFolder folder: String, _ body: (String) -> Bool) {
        guard let directory = opendir(path(folder)) else {
            SystemFault.note(FilePath(path(folder)), "list", Errno(rawValue: errno))
            return
        }
        defer { closedir(directory) }
        while let name = nextName(in: directory), body(name) {}
    }

    func folderNames() -> [String] {
        let named = names().filter { $0 != "__MACOSX" && !$0.hasPrefix(".") }
        return Array(named.lazy.filter { FileEntry(at: path($0)) == .other(.directory) }.prefix(256))
    }

    func inFolder(_ name: String) -> any SessionFiles { FolderFiles(root: root.appending(name)) }

    func forEachFile(inFolder folder: String, _ body: (String) -> Void) {
        walk(folder, depth: 0, body)
    }

    /// Links to folders are not followed: they may lead back.
    private func walk(_ folder: String, depth: Int, _ body: (String) -> Void) {
        guard depth < 16 else { return }
        for name in names(inFolder: folder.isEmpty ? "." : folder, { $0 }).sorted() {
            let file = folder.isEmpty ? name : "\(folder)/\(name)"
            var information = stat()
            guard lstat(path(file), &information) == 0 else {
                SystemFault.note(FilePath(path(file)), "look at", Errno(rawValue: errno))
                continue
            }
            if information.st_mode & S_IFMT == S_IFDIR {
                walk(file, depth: depth + 1, body)
            } else if size(of: file) != nil {
                body(file)
            }
        }
    }

    func modificationTimeNanoseconds(of file: String) -> Int64? { Self.modificationTimeNanoseconds(at: path(file)) }

    static func modificationTimeNanoseconds(at path: String) -> Int64? {
        var information = stat()
        guard stat(path, &information) == 0 else {
            SystemFault.note(FilePath(path), "look at", Errno(rawValue: errno))
            return nil
        }
        return information.st_mtim.nanoseconds
    }

    private func path(_ file: String) -> String { "\(root.string)/\(file)" }

    private func open(_ file: String) throws(Problem) -> (descriptor: Int32, size: Int) {
        do throws(FileError) {
            let opened = try RegularFile.open(FilePath(path(file)))
            return (opened.descriptor.rawValue, opened.byteCount)
        } catch {
            throw unreadable(file, error.found)
        }
    }

    private func unreadable(_ file: String, _ found: String) -> Problem {
        Problem(.unreadableFile, file: file, expected: "a readable file", found: found)
    }
}

/// Closes the descriptor when the last stream over it goes away.
private final class FileDescriptorBox: Sendable {
    let rawValue: Int32

    init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        close(rawValue)
    }
}

private struct FileStream: ByteStream {
    let descriptor: FileDescriptorBox
    let file: String

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else {
                SystemFault.note(FilePath(file), "read", Errno(rawValue: errno))
                let expected = "a readable file"
                let found = Errno(rawValue: errno).description
                throw Problem(.unreadableFile, file: file, expected: expected, found: found)
            }
        }
    }
}

/// The modification time of a file as evidence of when a recording ended: it was written until then.
enum FileTime {
    /// From 1990 on, as no phone is older, until what 32 bits of seconds hold, as in ROS: 2038-01-19.
    static let possible: ClosedRange<Int64> = 631_152_000_000_000_000...2_147_483_647_999_999_999
}

extension WallClockEvidence {
    /// Takes the time at which a file was last changed for a time of the recording.
    ///
    /// A time that no recording can have is recorded instead.
    mutating func takeModificationTime(
        of file: String,
        in files: any SessionFiles,
        at time: Timestamp,
        _ diagnostics: inout Diagnostics
    ) {
        guard let unix = files.modificationTimeNanoseconds(of: file) else {
            archiveDate = files.localModificationDate(of: file).map { ($0, time) }
            return
        }
        guard FileTime.possible.contains(unix) else {
            let expected = "a file last changed in 1990 to 2037"
            let found = "Unix time \(unix / 1_000_000_000)"
            diagnostics.record(Problem(.impossibleFileTime, file: file, expected: expected, found: found))
            return
        }
        fileTime = (unix, time)
    }
}
