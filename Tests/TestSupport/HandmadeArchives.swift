/// Archives built byte by byte, so that any field can lie.
///
/// It stands here and not in a test target because these are optimised: checksums of megabytes are computed bit by bit.
package enum HandmadeArchives {
    package struct Entry {
        package var name: String
        package var content: [UInt8]
        /// Stored blocks inside a DEFLATE stream instead of plain bytes.
        package var isDeflated: Bool
        /// `nil` for the true size.
        package var declaredSize: Int?
        package var type = UInt8(ascii: "0")
        /// Seconds since 1970 of the last modification; 0 for none.
        package var unixSeconds = 0
        /// MS-DOS date and time of the same, for a zip.
        package var local = (date: 0, time: 0)

        package init(name: String, content: [UInt8], isDeflated: Bool = false) {
            self.name = name
            self.content = content
            self.isDeflated = isDeflated
        }
    }

    /// The files of a session under a prefix, sorted by name.
    package static func entries(
        _ contents: [String: [UInt8]],
        under prefix: String = "",
        isDeflated: Bool = false
    ) -> [Entry] {
        contents.sorted { $0.key < $1.key }
            .map { Entry(name: prefix + $0.key, content: $0.value, isDeflated: isDeflated) }
    }

    package static func zip(_ entries: [Entry]) -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let offset = bytes.count
            let stored = entry.isDeflated ? deflated(entry.content) : entry.content
            let fields =
                little(entry.isDeflated ? 8 : 0, 2) + little(entry.local.time, 2) + little(entry.local.date, 2)
                + little(Int(crc32(entry.content)), 4)
                + little(stored.count, 4) + little(entry.declaredSize ?? entry.content.count, 4)
                + little(entry.name.utf8.count, 2)
            bytes += [0x50, 0x4B, 3, 4, 20, 0, 0, 0] + fields + [0, 0] + Array(entry.name.utf8) + stored
            let time = entry.unixSeconds == 0 ? [] : [0x55, 0x54, 5, 0, 1] + little(entry.unixSeconds, 4)
            directory +=
                [0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 0] + fields + little(time.count, 2)
                + [UInt8](repeating: 0, count: 10) + little(offset, 4) + Array(entry.name.utf8) + time
        }
        let start = bytes.count
        bytes += directory
        bytes += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + little(entries.count, 2) + little(entries.count, 2)
        return bytes + little(directory.count, 4) + little(start, 4) + [0, 0]
    }

    /// A tar of the POSIX kind.
    package static func tar(_ entries: [Entry]) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            var header = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, at place: Int) {
                header.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
            }
            func octal(_ value: Int, _ digits: Int) -> String {
                let text = String(value, radix: 8)
                return String(repeating: "0", count: digits - text.count) + text
            }
            put(entry.name, at: 0)
            put(octal(0o644, 7), at: 100)
            put(octal(0, 7), at: 108)
            put(octal(0, 7), at: 116)
            put(octal(entry.declaredSize ?? entry.content.count, 11), at: 124)
            put(octal(entry.unixSeconds, 11), at: 136)
            put("        ", at: 148)
            header[156] = entry.type
            put("ustar", at: 257)
            put("00", at: 263)
            let sum = header.reduce(0) { $0 + Int($1) }
            put(octal(sum, 6) + "\0 ", at: 148)
            bytes += header + entry.content
            bytes += [UInt8](repeating: 0, count: (512 - entry.content.count % 512) % 512)
        }
        return bytes + [UInt8](repeating: 0, count: 1024)
    }

    /// DEFLATE (RFC 1951) with stored blocks only.
    package static func deflated(_ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = 0
        repeat {
            let count = min(65_535, content.count - place)
            let isLast = place + count == content.count
            bytes += [isLast ? 1 : 0] + little(count, 2) + little(~count & 0xFFFF, 2)
            bytes += content[place..<place + count]
            place += count
        } while place < content.count
        return bytes
    }

    /// The textbook bit-by-bit CRC-32.
    package static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
