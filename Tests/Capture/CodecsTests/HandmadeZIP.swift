import Codecs

/// Builds ZIP files byte by byte, so that any field can lie.
struct HandmadeZIP {
    struct Entry {
        var name: [UInt8]
        var stored: [UInt8]
        var method = 0
        var flags = 0
        var checksum: UInt32
        var declaredSize: Int
        var declaredStoredSize: Int
        /// `nil` for where the entry really is.
        var declaredOffset: Int?

        init(_ name: String, _ content: [UInt8]) {
            self.name = Array(name.utf8)
            stored = content
            checksum = HandmadeZIP.crc32(content)
            declaredSize = content.count
            declaredStoredSize = content.count
        }
    }

    var entries: [Entry]
    var declaredCount: Int?
    var declaredDirectoryOffset: Int?
    var comment: [UInt8] = []

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        for entry in entries {
            offsets.append(bytes.count)
            bytes += [0x50, 0x4B, 3, 4, 20, 0] + little(entry.flags, 2) + little(entry.method, 2) + [0, 0, 0, 0]
            bytes +=
                little(Int(entry.checksum), 4) + little(entry.declaredStoredSize, 4) + little(entry.declaredSize, 4)
            bytes += little(entry.name.count, 2) + [0, 0] + entry.name + entry.stored
        }
        let directory = bytes.count
        for (entry, offset) in zip(entries, offsets) {
            bytes +=
                [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + little(entry.flags, 2) + little(entry.method, 2) + [0, 0, 0, 0]
            bytes +=
                little(Int(entry.checksum), 4) + little(entry.declaredStoredSize, 4) + little(entry.declaredSize, 4)
            bytes += little(entry.name.count, 2) + [UInt8](repeating: 0, count: 12)
            bytes += little(entry.declaredOffset ?? offset, 4) + entry.name
        }
        let size = bytes.count - directory
        let count = declaredCount ?? entries.count
        bytes += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + little(count, 2) + little(count, 2) + little(size, 4)
        return bytes + little(declaredDirectoryOffset ?? directory, 4) + little(comment.count, 2) + comment
    }

    /// The textbook bit-by-bit CRC-32.
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
