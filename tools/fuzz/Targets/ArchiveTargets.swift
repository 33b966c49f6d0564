import Codecs
import SystemPackage

extension FuzzTarget {
    /// A ZIP file, whose directory is read and then every entry.
    static let zip = FuzzTarget(
        name: "zip",
        seeds: { [storedZIP(["frames.jsonl", "rgb/000000.jpg"]), storedZIP([])] },
        dictionary: [
            "PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "PK\u{6}\u{6}", "PK\u{6}\u{7}", "\u{1}\u{0}\u{10}",
        ],
        run: { input in
            folder.write(input, to: "archive.zip")
            guard let archive = try? ZIPArchive(path: folder("archive.zip").string) else { return }
            readAll(archive, inputCount: input.count)
        }
    )

    /// A tar file, in the same way.
    static let tar = FuzzTarget(
        name: "tar",
        seeds: { [tarFile(["frames.jsonl", "rgb/000000.jpg"]), tarFile([])] },
        dictionary: ["ustar\u{0}00", "ustar  \u{0}", "././@LongLink", "path=", "size=", "15 size=9\n", "0000644\u{0}"],
        run: { input in
            folder.write(input, to: "archive.tar")
            guard let archive = try? TARArchive(path: folder("archive.tar").string) else { return }
            readAll(archive, inputCount: input.count)
        }
    )

    private static let folder = FuzzFolder("archives")
    private static let largestEntry = 1 << 20

    private static func readAll(_ archive: any Archive, inputCount: Int) {
        require(Set(archive.entries.map(\.name)).count == archive.entries.count, "a name that is there twice")
        var bytes: [UInt8] = []
        for entry in archive.entries.prefix(50) {
            let isOutside = entry.name.hasPrefix("/") || entry.name.split(separator: "/").contains("..")
            require(!isOutside, "a name that leads out: \(entry.name)")
            require(archive.size(of: entry.name) == entry.size, "two sizes of one entry")
            let isRead = (try? archive.read(entry.name, into: &bytes, maximumBytes: largestEntry)) != nil
            if isRead { require(bytes.count == entry.size, "\(bytes.count) bytes of an entry of \(entry.size)") }
            let streamed = contents(of: archive, entry.name)
            if isRead { require(streamed == bytes, "other bytes in pieces") }
        }
    }

    /// The bytes that a stream gives; nil where it breaks.
    private static func contents(of archive: any Archive, _ name: String) -> [UInt8]? {
        guard let stream = try? archive.stream(name) else { return nil }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1000)
        while bytes.count <= largestEntry {
            guard let count = try? block.withUnsafeMutableBytes({ try stream.read(into: $0) }) else { return nil }
            if count == 0 { return bytes }
            bytes += block[..<count]
        }
        return nil
    }

    private static func content(_ index: Int) -> [UInt8] { Array("line \(index)\n".utf8) }

    /// Stored entries, made from the description of the format (APPNOTE 4.3).
    private static func storedZIP(_ names: [String]) -> [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for (index, name) in names.enumerated() {
            let data = content(index)
            let common =
                little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(checksum(data), 4)
                + little(data.count, 4) + little(data.count, 4) + little(name.utf8.count, 2) + little(0, 2)
            directory += little(0x0201_4B50, 4) + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2)
            directory += little(0, 4) + little(file.count, 4) + Array(name.utf8)
            file += little(0x0403_4B50, 4) + common + Array(name.utf8) + data
        }
        let end =
            little(0x0605_4B50, 4) + little(0, 4) + little(names.count, 2) + little(names.count, 2)
            + little(directory.count, 4) + little(file.count, 4) + little(0, 2)
        return file + directory + end
    }

    private static func tarFile(_ names: [String]) -> [UInt8] {
        var file: [UInt8] = []
        for (index, name) in names.enumerated() {
            let data = content(index)
            var header = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, at offset: Int) {
                header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
            }
            put(name, at: 0)
            put("0000644", at: 100)
            put(octal(data.count, digits: 11), at: 124)
            put("        ", at: 148)
            put("0", at: 156)
            put("ustar\u{0}00", at: 257)
            put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6), at: 148)
            file += header + data + [UInt8](repeating: 0, count: (512 - data.count % 512) % 512)
        }
        return file + [UInt8](repeating: 0, count: 1024)
    }

    private static func octal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// CRC-32 bit by bit (ISO 3309).
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var value: UInt32 = .max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return Int(~value)
    }
}
