import Glibc
import Platform
package import SystemPackage

/// The kind of a storage file by its first bytes, as a name may be wrong; a compressed file has its kind in its name.
package enum FileKind: Equatable {
    case sqlite
    case mcap
    case zstd
    /// Shorter than any magic number; the name decides.
    case empty
    case other

    package static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    private static let sqliteMagic = Array("SQLite format 3\0".utf8)
    private static let headBytes = 16
    /// The names of storage files, whole or in the making, that rosbag2 and this program give.
    private static let endings = [".db3", ".mcap", ".db3.zstd", ".mcap.zstd"]

    init(of descriptor: FileDescriptor) throws {
        var bytes = [UInt8](repeating: 0, count: Self.headBytes)
        let count = try bytes.withUnsafeMutableBytes { try descriptor.readAll($0, fromAbsoluteOffset: 0) }
        self.init(head: bytes.prefix(count))
    }

    /// Nil for what cannot be opened.
    package init?(of path: FilePath) {
        guard let head = try? RegularFile.head(of: path, byteCount: Self.headBytes) else { return nil }
        self.init(head: head[...])
    }

    /// True if a pointer of Git LFS lies in place of the file, by the first line of its specification.
    package static func isPointer(_ path: FilePath) -> Bool {
        (try? RegularFile.head(of: path, byteCount: pointerHead.count))?.elementsEqual(pointerHead) ?? false
    }

    /// What a file is that can have nothing of a storage file, in words: empty, too short for one, a text, or what begins like none.
    package static func foreignContent(_ path: FilePath) -> String? {
        guard let head = try? RegularFile.head(of: path, byteCount: 512) else { return nil }
        // SQLite may have all of it in the journal beside it.
        let journals = ["-wal", "-journal"].map { FileEntry(at: path.string + $0) }
        guard journals.allSatisfy(\.isAbsent) else { return nil }
        if head.isEmpty { return "an empty file" }
        if head.count < headBytes { return head.count == 1 ? "1 byte" : "\(head.count) bytes" }
        let isText = head.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        if isText { return "a text" }
        guard FileKind(of: path) == .other, !SharedFrames.isHeadless(path) else { return nil }
        return "\(fileBytes(path)) bytes of something else"
    }

    private static let pointerHead = Array("version https://git-lfs".utf8)

    private init(head: ArraySlice<UInt8>) {
        if head.isEmpty {
            self = .empty
        } else if MagicNumber.begins(head, with: FileKind.sqliteMagic) {
            self = .sqlite
        } else if MagicNumber.begins(head, with: MCAPFormat.magic) {
            self = .mcap
        } else if head.starts(with: FileKind.zstdMagic) {
            self = .zstd
        } else {
            self = .other
        }
    }

    package static func isStorageName(_ name: String) -> Bool {
        endings.contains { name.hasSuffix($0) }
    }

    /// True if a name is that of a storage file that its writer had not finished.
    package static func isUnfinishedName(_ name: String) -> Bool {
        let stem = name.hasSuffix(".old") ? name.dropLast(4) : name[...]
        return stem.hasSuffix(partSuffix) && isStorageName(String(stem.dropLast(partSuffix.count)))
    }

    /// `NAME_<n>.db3` by number, others after them by name.
    package static func inOrderOfNumbers(_ names: [String]) -> [String] {
        names.sorted { (number($0), $0) < (number($1), $1) }
    }

    /// The first name of each gap in the numbers of files of one prefix and ending: a bag without a list has lost it.
    ///
    /// Numbers from 1000 on may be years.
    static func gaps(_ names: [String]) -> [String] {
        let numbered = Dictionary(grouping: names.filter { number($0) < 1000 }) { name in
            [String(name.prefix { $0 != "." }.dropLast(String(number(name)).count)), ending(name)]
        }
        return numbered.flatMap { parts, names in
            let numbers = names.map(number).sorted()
            return zip(numbers, numbers.dropFirst()).filter { $0 + 1 < $1 }.map { "\(parts[0])\($0.0 + 1)\(parts[1])" }
        }.sorted()
    }

    private static func ending(_ name: String) -> String { String(name.drop { $0 != "." }) }

    private static func number(_ name: String) -> Int {
        let stem = name.prefix { $0 != "." }
        guard let underscore = stem.lastIndex(of: "_") else { return .max }
        return Int(stem[stem.index(after: underscore)...]) ?? .max
    }
}

package func isRegularFile(_ path: FilePath) -> Bool {
    FileType(of: path) == .regular
}

/// The size of a file; 0 where there is none.
package func fileBytes(_ path: FilePath) -> Int {
    if case .file(let byteCount) = FileEntry(at: path.string) { byteCount } else { 0 }
}
