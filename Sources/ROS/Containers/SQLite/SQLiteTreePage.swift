/// One page of an SQLite b-tree while cells are put into it, in the order of their keys.
struct SQLiteTreePage {
    enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13

        var headerBytes: Int { self == .interiorIndex || self == .interiorTable ? 12 : 8 }
    }

    private let kind: Kind
    private var bytes: [UInt8]
    private(set) var cellCount = 0
    /// Cells grow from the end of the page towards the list of their places after the header.
    private var contentStart: Int

    init(_ kind: Kind, pageBytes: Int) {
        self.kind = kind
        bytes = [UInt8](repeating: 0, count: pageBytes)
        contentStart = pageBytes
    }

    func fits(_ cellBytes: Int) -> Bool {
        kind.headerBytes + 2 * (cellCount + 1) + cellBytes <= contentStart
    }

    /// Appends a cell of `byteCount` bytes, which fits, and lets `fill` write it.
    mutating func append(_ byteCount: Int, _ fill: (inout SQLiteCellWriter) -> Void) {
        contentStart -= byteCount
        let (start, place) = (contentStart, kind.headerBytes + 2 * cellCount)
        bytes.withUnsafeMutableBytes { page in
            page.storeBytes(of: UInt16(start).bigEndian, toByteOffset: place, as: UInt16.self)
            var writer = SQLiteCellWriter(UnsafeMutableRawBufferPointer(rebasing: page[start..<start + byteCount]))
            fill(&writer)
        }
        cellCount += 1
    }

    /// Completes the header, and gives the page to `body`.
    mutating func finished<Result>(
        rightChild: Int? = nil,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let (kind, cellCount, contentStart) = (kind, cellCount, contentStart)
        return try bytes.withUnsafeMutableBytes { page in
            page[0] = kind.rawValue
            page.storeBytes(of: UInt16(cellCount).bigEndian, toByteOffset: 3, as: UInt16.self)
            // 65536 is written as 0.
            page.storeBytes(
                of: UInt16(truncatingIfNeeded: contentStart).bigEndian,
                toByteOffset: 5,
                as: UInt16.self
            )
            if let rightChild {
                page.storeBytes(of: UInt32(rightChild).bigEndian, toByteOffset: 8, as: UInt32.self)
            }
            return try body(UnsafeRawBufferPointer(page))
        }
    }

    /// Makes the page empty.
    mutating func reset() {
        let (used, start) = (kind.headerBytes + 2 * cellCount, contentStart)
        bytes.withUnsafeMutableBytes { page in
            for part in [page[..<used], page[start...]] {
                UnsafeMutableRawBufferPointer(rebasing: part).initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        cellCount = 0
        contentStart = bytes.count
    }
}

/// Writes the parts of a cell one after the other.
struct SQLiteCellWriter {
    private let cell: UnsafeMutableRawBufferPointer
    private var position = 0

    init(_ cell: UnsafeMutableRawBufferPointer) {
        self.cell = cell
    }

    /// Writes the low `byteCount` bytes of a number, most significant first.
    mutating func integer(_ value: Int64, _ byteCount: Int) {
        for index in 0..<byteCount {
            cell[position + index] = UInt8(truncatingIfNeeded: value >> Int64(8 * (byteCount - 1 - index)))
        }
        position += byteCount
    }

    mutating func variable(_ value: Int) {
        let count = sqliteVariableBytes(value)
        for index in 0..<count {
            let group = UInt8(truncatingIfNeeded: value >> (7 * (count - 1 - index))) & 0x7f
            cell[position + index] = index == count - 1 ? group : group | 0x80
        }
        position += count
    }

    mutating func bytes(_ source: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: cell[position..<position + source.count]).copyMemory(from: source)
        position += source.count
    }
}

/// The size of a number as a varint; for numbers of up to 56 bits, as sizes and row numbers are.
func sqliteVariableBytes(_ value: Int) -> Int {
    var (count, rest) = (1, value >> 7)
    while rest > 0 {
        count += 1
        rest >>= 7
    }
    return count
}
