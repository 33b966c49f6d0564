import Glibc
package import SystemPackage

/// The .msg files below some directories: what `--msg-path` names.
///
/// `pkg/msg/X.msg` is found at any depth, so that a workspace, the `share` folder of a ROS installation, and a package
/// itself can be given; the package of an `X.msg` that lies in no folder `msg` is the name of its folder.
package struct MessageDirectories: Sendable {
    /// The files by full type names; of two the one of the earlier directory, then of the shorter path.
    private var files: [String: FilePath] = [:]

    private static let entryLimit = 200_000
    private static let depthLimit = 16

    package init() {}

    /// Lists the directories; the files are read when a type is asked for.
    package init(_ directories: [FilePath]) throws(SchemaError) {
        for directory in directories {
            var entries = 0
            let path = resolved(directory)
            var found: [FilePath] = []
            try Self.collect(path, depth: 0, entries: &entries, into: &found)
            for file in found.sorted(by: Self.comesFirst) {
                guard let name = Self.typeName(of: file), files[name] == nil else { continue }
                files[name] = file
            }
        }
    }

    /// The names of the types, sorted.
    package var typeNames: [String] { files.keys.sorted(by: utf8Precedes) }

    func contains(_ name: TypeName) -> Bool { files[name.full] != nil }

    func text(of name: TypeName) throws(SchemaError) -> ArraySlice<UInt8>? {
        guard let file = files[name.full] else { return nil }
        do {
            let descriptor = try FileDescriptor.open(file, .readOnly, options: .closeOnExec)
            return try descriptor.closeAfter {
                let bytes = try [UInt8](unsafeUninitializedCapacity: SchemaLimits.textBytes + 1) { buffer, count in
                    let memory = UnsafeMutableRawBufferPointer(buffer)
                    while count < memory.count {
                        let read = try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
                        if read == 0 { break }
                        count += read
                    }
                }
                guard bytes.count <= SchemaLimits.textBytes else {
                    let expected = "a file of at most \(SchemaLimits.textBytes) bytes"
                    throw SchemaError(source: file.string, expected: expected, found: "more")
                }
                return bytes[...]
            }
        } catch let error as SchemaError {
            throw error
        } catch {
            throw SchemaError(source: file.string, expected: "a file that can be read", found: "\(error)")
        }
    }

    /// `pkg/msg/X` of `…/pkg/msg/X.msg` or of `…/pkg/X.msg`.
    private static func typeName(of file: FilePath) -> String? {
        var folders = file.components.map(\.string)
        guard let name = file.stem, !folders.isEmpty else { return nil }
        folders.removeLast()
        if folders.last == "msg" { folders.removeLast() }
        return folders.last.flatMap { TypeName("\($0)/\(name)")?.full }
    }

    private static func comesFirst(_ left: FilePath, _ right: FilePath) -> Bool {
        left.length == right.length ? utf8Precedes(left.string, right.string) : left.length < right.length
    }

    /// Lists .msg files at any depth, without following links to directories.
    private static func collect(
        _ directory: FilePath,
        depth: Int,
        entries: inout Int,
        into files: inout [FilePath]
    ) throws(SchemaError) {
        guard let stream = opendir(directory.string) else {
            if depth > 0 { return }
            let found = "\(Errno(rawValue: errno))"
            throw SchemaError(source: directory.string, expected: "a directory of .msg files", found: found)
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            entries += 1
            guard entries <= entryLimit else {
                let expected = "a directory of at most \(entryLimit) entries"
                throw SchemaError(source: directory.string, expected: expected, found: "more")
            }
            guard !name.hasPrefix(".") else { continue }
            let path = directory.appending(name)
            if name.hasSuffix(".msg") {
                files.append(path)
            } else if depth < depthLimit, isDirectory(path) {
                try collect(path, depth: depth + 1, entries: &entries, into: &files)
            }
        }
    }

    private static func isDirectory(_ path: FilePath) -> Bool {
        var status = stat()
        return lstat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// The path without links and dots, so that its last part is the folder's name.
private func resolved(_ path: FilePath) -> FilePath {
    guard let text = realpath(path.string, nil) else { return path }
    defer { free(text) }
    return FilePath(String(cString: text))
}
