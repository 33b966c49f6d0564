package import Platform
package import SystemPackage

/// Writes a tar file (POSIX.1-2017, ustar interchange format) from front to back.
///
/// The same calls give the same bytes: every file is of 1970-01-01, with mode 644 and without an owner.
package final class TARWriter {
    private static let blockBytes = 512
    /// 11 octal digits.
    private static let largestFile = 1 << 33
    private static let longestName = 100

    private let file: OutputFile

    package init(creating path: FilePath) throws(FileError) { file = try OutputFile(creating: path) }

    package var byteCount: Int { file.byteCount }

    /// Adds a whole file.
    ///
    /// - Parameter name: relative, with `/`, at most 100 bytes of it.
    /// - Throws: a ``FileError`` with `nameTooLong` or `fileTooLarge` for what a header cannot say.
    package func add(_ name: String, _ bytes: [UInt8]) throws(FileError) {
        guard name.utf8.count <= Self.longestName else { throw error(.fileNameTooLong) }
        guard bytes.count < Self.largestFile else { throw error(.fileTooLarge) }
        try file.append(Self.header(name, byteCount: bytes.count))
        try file.append(bytes)
        try file.append(
            [UInt8](repeating: 0, count: (Self.blockBytes - bytes.count % Self.blockBytes) % Self.blockBytes)
        )
    }

    /// Writes the two blocks of zeros that end an archive.
    package func finish() throws(FileError) {
        try file.append([UInt8](repeating: 0, count: 2 * Self.blockBytes))
        try file.finish()
    }

    private func error(_ errno: Errno) -> FileError { FileError(path: file.path, operation: "write", errno: errno) }

    private static func header(_ name: String, byteCount: Int) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: blockBytes)
        func set(_ place: Int, _ text: String) {
            for (offset, byte) in text.utf8.enumerated() { block[place + offset] = byte }
        }
        func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        set(0, name)
        set(100, "0000644")
        set(108, "0000000")
        set(116, "0000000")
        set(124, octal(byteCount, 11))
        set(136, octal(0, 11))
        // The checksum counts itself as spaces.
        set(148, "        ")
        set(156, "0")
        set(257, "ustar")
        set(263, "00")
        let sum = block.reduce(0) { $0 + Int($1) }
        set(148, octal(sum, 6))
        block[154] = 0
        return block
    }
}
