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
        let length = tail.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        guard length <= min(byteCount - 12, Self.longestFooter) else {
            throw ParquetProblem(path, "a footer of at most \(byteCount - 12) bytes", "\(length)")
        }
        var reader = ThriftReader(try RegularFile.part(of: path, at: byteCount - 8 - length, byteCount: length))
        guard let footer = reader.structure() else { throw ParquetProblem(path, "a footer", "what is none") }
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

    package func rowCount(ofGroup group: Int) -> Int { footer[4]?.list?[group][3]?.integer ?? 0 }

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
        var reader = ThriftReader(bytes)
        guard let header = reader.structure(), let plainCount = header[2]?.integer, let size = header[3]?.integer,
            let count = header[5]?[1]?.integer, size >= 0, size <= bytes.count - reader.place,
            // Every value has four bytes at least.
            (0...Self.largestPage).contains(plainCount), (0...(plainCount / 4)).contains(count)
        else { throw problem("a header that does not fit") }
        let plain = try bytes[reader.place..<(reader.place + size)].withUnsafeBytes {
            try Zstandard.decompress($0, limit: plainCount)
        }
        guard let values = PageValues(plain, column, count: count).values else { throw problem("other values") }
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

/// The body of a data page: levels, then values.
private struct PageValues {
    private let bytes: [UInt8]
    private var place = 0
    private(set) var values: ParquetReader.Values?

    init(_ bytes: [UInt8], _ column: TableColumn, count: Int) {
        self.bytes = bytes
        var values = ParquetReader.Values()
        var valueCount = count
        if column.listDepth > 0 {
            guard let repetitions = levels(count), let definitions = levels(count) else { return }
            values.repetitions = repetitions
            // An empty list has no value.
            valueCount = definitions.count { Int($0) == column.listDepth }
            guard valueCount == count else { return }
        }
        let size = column.kind == .float32 ? 4 : 8
        guard column.kind == .text || valueCount <= (bytes.count - place) / size else { return }
        switch column.kind {
        case .float32: values.numbers = (0..<valueCount).map { _ in Double(Float(bitPattern: UInt32(number(4)))) }
        case .float64: values.numbers = (0..<valueCount).map { _ in Double(bitPattern: number(8)) }
        case .int64: values.integers = (0..<valueCount).map { _ in Int64(bitPattern: number(8)) }
        default:
            for _ in 0..<valueCount {
                guard bytes.count - place >= 4 else { return }
                let length = Int(number(4))
                guard length <= bytes.count - place else { return }
                values.texts.append(String(decoding: bytes[place..<(place + length)], as: UTF8.self))
                place += length
            }
        }
        self.values = values
    }

    private mutating func number(_ size: Int) -> UInt64 {
        defer { place += size }
        return (0..<size).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
    }

    /// Runs of equal levels, as ``ParquetFile`` writes them.
    private mutating func levels(_ count: Int) -> [UInt8]? {
        guard bytes.count - place >= 4 else { return nil }
        let length = Int(number(4))
        guard length <= bytes.count - place else { return nil }
        var reader = ThriftReader(Array(bytes[place..<(place + length)]))
        place += length
        var levels: [UInt8] = []
        while levels.count < count {
            guard let head = reader.varint(), head & 1 == 0, let level = reader.byte() else { return nil }
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
    private let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func structure() -> ThriftValue? { structure(depth: 0) }

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
        case 7:
            guard bytes.count - place >= 8 else { return nil }
            let pattern = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
            place += 8
            return .number(Double(bitPattern: pattern))
        case 8:
            guard let length = varint(), length <= UInt64(bytes.count - place) else { return nil }
            defer { place += Int(length) }
            return .bytes(Array(bytes[place..<(place + Int(length))]))
        case 9, 10: return list(depth: depth)
        case 12: return structure(depth: depth + 1)
        default: return nil
        }
    }

    private mutating func list(depth: Int) -> ThriftValue? {
        guard depth < Self.deepest, let head = byte() else { return nil }
        let short = UInt64(head >> 4)
        // An element has a byte at least.
        guard let count = short == 15 ? varint() : short, count <= UInt64(bytes.count - place) else { return nil }
        var values: [ThriftValue] = []
        for _ in 0..<count {
            guard let value = value(head & 15, depth: depth + 1, isElement: true) else { return nil }
            values.append(value)
        }
        return .values(values)
    }

    mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

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
