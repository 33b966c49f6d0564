import Bags
import Platform
package import SystemPackage

/// Reads the Parquet files that ``ParquetFile`` writes: required columns of values or lists, PLAIN, in pages of zstd.
///
/// Every length and offset is checked: what does not fit is a ``ParquetProblem``, and nothing is allocated that the file does
/// not have.
package struct ParquetReader {
    /// A column of a row group.
    package struct Values: Sendable {
        /// Numbers as they are; of text, nothing.
        package var numbers: [Double] = []
        package var integers: [Int64] = []
        package var texts: [String] = []
        /// Of a column of lists: how many of the lists around each value go on.
        package var repetitions: [UInt8] = []
    }

    /// No footer of ours is as long.
    private static let longestFooter = 8 << 20
    private static let largestPage = 64 << 20

    private let path: FilePath
    private let byteCount: Int
    private let footer: ThriftValue
    package let columns: [TableColumn]
    package let rowCount: Int

    package init(_ path: FilePath) throws {
        self.path = path
        byteCount = try RegularFile.byteCount(of: path)
        let tail = try RegularFile.part(of: path, at: max(0, byteCount - 8), byteCount: 8)
        guard byteCount >= 12, Array(tail.suffix(4)) == Array("PAR1".utf8) else {
            throw ParquetProblem(path, "the end of a Parquet file", "\(byteCount) bytes without it")
        }
        let length = tail.withUnsafeBytes { ByteReader($0).uint32(at: 0) } ?? 0
        guard length <= min(byteCount - 12, Self.longestFooter) else {
            throw ParquetProblem(path, "a footer of at most \(byteCount - 12) bytes", "\(length)")
        }
        let bytes = try RegularFile.part(of: path, at: byteCount - 8 - length, byteCount: length)
        guard let footer = bytes.withUnsafeBytes({ ThriftReader.structure(ByteReader($0))?.value }) else {
            throw ParquetProblem(path, "a footer", "what is none")
        }
        self.footer = footer
        guard let columns = Self.columns(footer[2]?.list ?? []), let rows = footer[3]?.integer, rows >= 0 else {
            throw ParquetProblem(path, "columns of values or lists", "others")
        }
        (self.columns, rowCount) = (columns, rows)
    }

    /// The columns of a schema that ``ParquetFile`` writes; `nil` for another.
    private static func columns(_ elements: [ThriftValue]) -> [TableColumn]? {
        var columns: [TableColumn] = []
        var place = 1
        while place < elements.count {
            guard let name = elements[place][4]?.text else { return nil }
            var depth = 0
            while elements[place][5] != nil {
                guard depth < 8, place + 2 < elements.count else { return nil }
                depth += 1
                place += 2
            }
            guard let kind = kind(elements[place]) else { return nil }
            columns.append(TableColumn(name, kind, listDepth: depth))
            place += 1
        }
        return columns
    }

    private static func kind(_ element: ThriftValue) -> TableColumn.Kind? {
        switch element[1]?.integer {
        case 2: .int64
        case 4: .float32
        case 5: .float64
        case 6: .text
        default: nil
        }
    }

    package var groupCount: Int { footer[4]?.list?.count ?? 0 }

    /// The values of all columns of a row group.
    package func group(_ number: Int) throws -> [Values] {
        let chunks = footer[4]?.list?[number][1]?.list ?? []
        guard chunks.count == columns.count else {
            throw ParquetProblem(path, "\(columns.count) columns", "\(chunks.count)")
        }
        return try zip(chunks, columns).map { try values($0[3], $1) }
    }

    private func values(_ chunk: ThriftValue?, _ column: TableColumn) throws -> Values {
        func problem(_ found: String) -> ParquetProblem {
            ParquetProblem(path, "a page of the column \(column.name)", found)
        }
        guard let offset = chunk?[9]?.integer, let stored = chunk?[7]?.integer, offset >= 0, stored > 0,
            stored <= byteCount, offset <= byteCount - stored
        else { throw problem("a place outside of the file") }
        let bytes = try RegularFile.part(of: path, at: offset, byteCount: stored)
        guard let (header, begin) = bytes.withUnsafeBytes({ ThriftReader.structure(ByteReader($0)) }),
            let plainCount = header[2]?.integer, let size = header[3]?.integer,
            let count = header[5]?[1]?.integer, size >= 0, size <= bytes.count - begin,
            // Every value has four bytes at least.
            (0...Self.largestPage).contains(plainCount), (0...(plainCount / 4)).contains(count)
        else { throw problem("a header that does not fit") }
        let plain = try bytes[begin..<(begin + size)].withUnsafeBytes {
            try Zstandard.decompress($0, limit: plainCount)
        }
        let values = plain.withUnsafeBytes { bytes in
            var page = PageReader(reader: ByteReader(bytes))
            return page.values(column, count: count)
        }
        guard let values else { throw problem("other values") }
        return values
    }
}

/// What is wrong with a Parquet file.
package struct ParquetProblem: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ path: FilePath, _ expected: String, _ found: String) {
        description = "\(path): expected \(expected), found \(found)"
    }
}

/// Reads the body of a data page: levels, then values.
private struct PageReader {
    var reader: ByteReader

    /// `nil` where they are not those of a column.
    mutating func values(_ column: TableColumn, count: Int) -> ParquetReader.Values? {
        var values = ParquetReader.Values()
        if column.listDepth > 0 {
            guard let repetitions = levels(count), let definitions = levels(count) else { return nil }
            values.repetitions = repetitions
            // An empty list has no value.
            guard definitions.allSatisfy({ Int($0) == column.listDepth }) else { return nil }
        }
        for _ in 0..<count {
            switch column.kind {
            case .float32:
                guard let bits = reader.next(UInt32.self) else { return nil }
                values.numbers.append(Double(Float(bitPattern: bits)))
            case .float64:
                guard let bits = reader.next(UInt64.self) else { return nil }
                values.numbers.append(Double(bitPattern: bits))
            case .int64:
                guard let value = reader.next(Int64.self) else { return nil }
                values.integers.append(value)
            default:
                guard let length = reader.next(UInt32.self), let bytes = reader.take(Int(length)) else { return nil }
                values.texts.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        return values
    }

    /// Runs of equal levels, as ``ParquetFile`` writes them.
    private mutating func levels(_ count: Int) -> [UInt8]? {
        guard let length = reader.next(UInt32.self), let bytes = reader.take(Int(length)) else { return nil }
        var runs = ThriftReader(reader: ByteReader(bytes))
        var levels: [UInt8] = []
        while levels.count < count {
            guard let head = runs.varint(), head & 1 == 0, let level = runs.byte() else { return nil }
            let run = head >> 1
            guard run > 0, run <= UInt64(count - levels.count) else { return nil }
            levels += repeatElement(level, count: Int(run))
        }
        return levels
    }
}

/// A value in Thrift's compact protocol.
indirect enum ThriftValue: Sendable {
    case bool(Bool)
    case whole(Int64)
    case number(Double)
    case bytes([UInt8])
    case values([ThriftValue])
    case fields([Int: ThriftValue])

    subscript(field: Int) -> ThriftValue? {
        if case .fields(let fields) = self { fields[field] } else { nil }
    }

    var list: [ThriftValue]? {
        if case .values(let values) = self { values } else { nil }
    }

    var integer: Int? {
        if case .whole(let value) = self { Int(exactly: value) } else { nil }
    }

    var text: String? {
        if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

/// Reads structs in Thrift's compact protocol; `nil` for what is none, or nested too deep.
struct ThriftReader {
    private static let deepest = 16
    var reader: ByteReader

    /// A struct at the start of some bytes, and how long it is.
    static func structure(_ bytes: ByteReader) -> (value: ThriftValue, byteCount: Int)? {
        var reader = ThriftReader(reader: bytes)
        return reader.structure(depth: 0).map { ($0, reader.reader.position) }
    }

    private mutating func structure(depth: Int) -> ThriftValue? {
        guard depth < Self.deepest else { return nil }
        var fields: [Int: ThriftValue] = [:]
        var number = 0
        while let head = byte() {
            if head == 0 { return .fields(fields) }
            if head >> 4 == 0 {
                guard let value = zigzag() else { return nil }
                number = Int(truncatingIfNeeded: value)
            } else {
                number &+= Int(head >> 4)
            }
            guard let value = value(head & 15, depth: depth) else { return nil }
            fields[number] = value
        }
        return nil
    }

    private mutating func value(_ kind: UInt8, depth: Int, isElement: Bool = false) -> ThriftValue? {
        switch kind {
        case 1, 2: return isElement ? byte().map { .bool($0 == 1) } : .bool(kind == 1)
        case 3: return byte().map { .whole(Int64(Int8(bitPattern: $0))) }
        case 4, 5, 6: return zigzag().map { .whole($0) }
        case 7: return reader.next(UInt64.self).map { .number(Double(bitPattern: $0)) }
        case 8:
            guard let length = varint(), let count = Int(exactly: length) else { return nil }
            return reader.take(count).map { .bytes(Array($0)) }
        case 9, 10: return list(depth: depth)
        case 12: return structure(depth: depth + 1)
        default: return nil
        }
    }

    private mutating func list(depth: Int) -> ThriftValue? {
        guard depth < Self.deepest, let head = byte() else { return nil }
        let short = UInt64(head >> 4)
        // An element has a byte at least.
        guard let count = short == 15 ? varint() : short, count <= UInt64(reader.remaining) else { return nil }
        var values: [ThriftValue] = []
        for _ in 0..<count {
            guard let value = value(head & 15, depth: depth + 1, isElement: true) else { return nil }
            values.append(value)
        }
        return .values(values)
    }

    mutating func byte() -> UInt8? { reader.next() }

    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let next = byte() else { return nil }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
        }
        return nil
    }

    private mutating func zigzag() -> Int64? {
        varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
