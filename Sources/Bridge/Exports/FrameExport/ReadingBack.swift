import Platform
import SystemPackage

/// The bytes of a file that an export has written, a block at a time.
private struct WrittenBlocks {
    private let path: FilePath
    private var offset = 0

    init(_ path: FilePath) { self.path = path }

    /// The next block; empty at the end.
    mutating func next() throws(FileError) -> [UInt8] {
        let block = try RegularFile.part(of: path, at: offset, byteCount: 1 << 16)
        offset += block.count
        return block
    }
}

/// The lines of such a file, without comments and empty lines.
struct WrittenLines: Sequence, IteratorProtocol {
    private var blocks: WrittenBlocks
    private var block: [UInt8]
    private var place = 0

    /// - Throws: a `FileError` where the file cannot be read; what cannot be read of it later is missing at its end.
    init(_ path: FilePath) throws(FileError) {
        blocks = WrittenBlocks(path)
        block = try blocks.next()
    }

    mutating func next() -> String? {
        while let line = nextLine() {
            if let first = line.utf8.first, first != UInt8(ascii: "#") { return line }
        }
        return nil
    }

    private mutating func nextLine() -> String? {
        var line: [UInt8] = []
        while true {
            let rest = block[place...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += block[place..<end]
                place = end + 1
                return String(decoding: line, as: UTF8.self)
            }
            line += rest
            block = (try? blocks.next()) ?? []
            place = 0
            if block.isEmpty { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
        }
    }
}

/// Little-endian values of such a file one after the other; `nil` past the end.
struct WrittenValues {
    private var blocks: WrittenBlocks
    private var block: [UInt8]
    private var place = 0

    init(_ path: FilePath) throws(FileError) {
        blocks = WrittenBlocks(path)
        block = try blocks.next()
    }

    /// True if `count` bytes, fewer than in a block, are left.
    private mutating func has(_ count: Int) -> Bool {
        if block.count - place >= count { return true }
        block = Array(block[place...]) + ((try? blocks.next()) ?? [])
        place = 0
        return block.count >= count
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        let size = MemoryLayout<Value>.size
        guard has(size) else { return nil }
        let value = block.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Value.self) }
        place += size
        return Value(littleEndian: value)
    }

    mutating func doubles(_ count: Int) -> [Double]? {
        var values: [Double] = []
        for _ in 0..<count {
            guard let bits = integer(UInt64.self) else { return nil }
            values.append(Double(bitPattern: bits))
        }
        return values
    }

    /// Passes over a text that ends with NUL.
    mutating func skipText() -> Bool {
        while let byte = integer(UInt8.self) {
            if byte == 0 { return true }
        }
        return false
    }
}
