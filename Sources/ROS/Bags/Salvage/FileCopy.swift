package import Platform
package import SystemPackage

package enum FileCopy {
    package static func copy(_ source: FilePath, to target: FilePath) throws(FileError) {
        let input = try FileError.attempt(source, "open") {
            try FileDescriptor.open(source, .readOnly, options: .closeOnExec)
        }
        defer { try? input.close() }
        let output = try FileError.attempt(target, "create") {
            try FileDescriptor.open(
                target,
                .writeOnly,
                options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        }
        try FileError.attempt(target, "write") { try output.closeAfter { try copy(input, output) } }
    }

    private static func copy(_ input: FileDescriptor, _ output: FileDescriptor) throws {
        let size = Int(try input.seek(offset: 0, from: .end))
        var copied = 0
        while copied < size {
            let bytes = try input.bytes(min(1 << 18, size - copied), fromAbsoluteOffset: Int64(copied))
            if bytes.isEmpty { break }
            try output.writeAll(bytes)
            copied += bytes.count
        }
    }
}
