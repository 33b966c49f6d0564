import Bags
import Platform
package import SystemPackage

/// A table as an Apache Parquet file: required flat columns, PLAIN values in pages of zstd, row groups of bounded size.
///
/// https://parquet.apache.org/docs/file-format: the magic, the pages, the footer with all that is known of them.
package final class ParquetFile: TableFile {
    /// Columns of a row group are this long at most, or this many bytes in all.
    private static let maximumRows = 1 << 16
    private static let maximumBytes = 2 << 20
    private static let magic = Array("PAR1".utf8)

    /// The values of a column that wait for their page.
    private struct Buffer {
        var bytes: [UInt8] = []
        var bitCount = 0

        mutating func append(_ cell: TableCell) {
            switch cell {
            case .bool(let value):
                if bitCount & 7 == 0 { bytes.append(0) }
                if value { bytes[bytes.count - 1] |= 1 << UInt8(bitCount & 7) }
                bitCount += 1
            case .integer(let value): append(UInt64(bitPattern: value), 8)
            case .unsigned(let value): append(value, 8)
            case .float32(let value): append(UInt64(value.bitPattern), 4)
            case .float64(let value): append(value.bitPattern, 8)
            case .text(let text):
                append(UInt64(text.utf8.count), 4)
                bytes += text.utf8
            }
        }

        mutating func append(_ value: UInt64, _ count: Int) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
        }
    }

    /// A column of a row group in the file.
    private struct Chunk {
        var offset: Int
        var storedBytes: Int
        var plainBytes: Int
    }

    private struct RowGroup {
        var rowCount: Int
        var chunks: [Chunk]
    }

    private let columns: [TableColumn]
    private let file: OutputFile
    private let compressor: ZstandardCompressor
    private var buffers: [Buffer]
    private var rowCount = 0
    private var bufferedBytes = 0
    private var groups: [RowGroup] = []

    package init(creating path: FilePath, _ columns: [TableColumn]) throws {
        self.columns = columns
        file = try OutputFile(creating: path)
        compressor = try ZstandardCompressor()
        buffers = [Buffer](repeating: Buffer(), count: columns.count)
        try file.append(Self.magic)
    }

    package var byteCount: Int { file.byteCount }

    /// - Parameter cells: one for each column, of its kind.
    package func append(_ cells: [TableCell]) throws {
        for (index, cell) in cells.enumerated() where index < buffers.count {
            let before = buffers[index].bytes.count
            switch (cell, columns[index].kind.isFourBytes) {
            case (.integer(let value), true): buffers[index].append(UInt64(bitPattern: value), 4)
            case (.unsigned(let value), true): buffers[index].append(value, 4)
            default: buffers[index].append(cell)
            }
            bufferedBytes += buffers[index].bytes.count - before
        }
        rowCount += 1
        if rowCount >= Self.maximumRows || bufferedBytes >= Self.maximumBytes { try flush() }
    }

    /// Writes the last row group and the footer.
    package func finish() throws {
        try flush()
        var footer = ThriftWriter()
        footer.structure { describe(&$0) }
        let length = UInt32(clamping: footer.bytes.count)
        try file.append(footer.bytes + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Self.magic)
        try file.finish()
    }

    private func flush() throws {
        guard rowCount > 0 else { return }
        var group = RowGroup(rowCount: rowCount, chunks: [])
        for index in buffers.indices {
            let plain = buffers[index].bytes
            let stored = try plain.withUnsafeBytes { try compressor.compress($0) }
            var header = ThriftWriter()
            header.structure { header in
                header.field(1, Int32(0))
                header.field(2, Int32(clamping: plain.count))
                header.field(3, Int32(clamping: stored.count))
                header.field(5) { page in
                    page.field(1, Int32(clamping: rowCount))
                    page.field(2, Int32(0))
                    page.field(3, Int32(3))
                    page.field(4, Int32(3))
                }
            }
            let size = header.bytes.count
            let chunk = Chunk(
                offset: file.byteCount,
                storedBytes: size + stored.count,
                plainBytes: size + plain.count
            )
            group.chunks.append(chunk)
            try file.append(header.bytes + stored)
            buffers[index] = Buffer()
        }
        groups.append(group)
        (rowCount, bufferedBytes) = (0, 0)
    }

    // MARK: - The footer

    private func describe(_ footer: inout ThriftWriter) {
        footer.field(1, Int32(2))
        footer.field(2, structures: [nil] + columns.map(Optional.some)) { element, column in
            guard let column else {
                element.field(4, "schema")
                return element.field(5, Int32(clamping: self.columns.count))
            }
            element.field(1, column.kind.physicalType)
            element.field(3, Int32(0))
            element.field(4, column.name)
            if let converted = column.kind.convertedType { element.field(6, converted) }
        }
        footer.field(3, Int64(groups.reduce(0) { $0 + $1.rowCount }))
        footer.field(4, structures: groups) { writer, group in
            writer.field(1, structures: Array(zip(group.chunks, self.columns))) {
                self.describe($1.0, $1.1, group, &$0)
            }
            writer.field(2, Int64(group.chunks.reduce(0) { $0 + $1.plainBytes }))
            writer.field(3, Int64(group.rowCount))
        }
        footer.field(6, "mapeverything")
    }

    private func describe(_ chunk: Chunk, _ column: TableColumn, _ group: RowGroup, _ writer: inout ThriftWriter) {
        writer.field(2, Int64(chunk.offset))
        writer.field(3) { data in
            data.field(1, column.kind.physicalType)
            // PLAIN, and RLE for the levels that required columns do not have.
            data.field(2, list: [0, 3] as [Int32])
            data.field(3, list: [column.name])
            data.field(4, Int32(6))
            data.field(5, Int64(group.rowCount))
            data.field(6, Int64(chunk.plainBytes))
            data.field(7, Int64(chunk.storedBytes))
            data.field(9, Int64(chunk.offset))
        }
    }
}

extension TableColumn.Kind {
    /// Parquet's `Type`.
    fileprivate var physicalType: Int32 {
        switch self {
        case .bool: 0
        case .int8, .int16, .int32, .uint8, .uint16, .uint32: 1
        case .int64, .uint64: 2
        case .float32: 4
        case .float64: 5
        case .text: 6
        }
    }

    /// Parquet's `ConvertedType`, where the physical one does not say it all.
    fileprivate var convertedType: Int32? {
        switch self {
        case .text: 0
        case .uint8: 11
        case .uint16: 12
        case .uint32: 13
        case .uint64: 14
        case .int8: 15
        case .int16: 16
        case .bool, .int32, .int64, .float32, .float64: nil
        }
    }

    fileprivate var isFourBytes: Bool { physicalType == 1 }
}

/// Structs in Thrift's compact protocol, as the footers of Parquet have them.
///
/// A field is a byte of the distance to the last one's number and its type, then its value; integers are zigzag varints.
struct ThriftWriter {
    private(set) var bytes: [UInt8] = []
    private var lastFields: [Int] = [0]

    private enum Kind: UInt8 {
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    mutating func field(_ number: Int, _ value: Int32) {
        begin(number, .int32)
        varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    mutating func field(_ number: Int, _ value: Int64) {
        begin(number, .int64)
        varint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func field(_ number: Int, _ text: String) {
        begin(number, .binary)
        binary(text)
    }

    mutating func field(_ number: Int, _ body: (inout ThriftWriter) -> Void) {
        begin(number, .structure)
        structure(body)
    }

    mutating func field(_ number: Int, list values: [Int32]) {
        begin(number, .list)
        listHead(values.count, .int32)
        for value in values { varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31))) }
    }

    mutating func field(_ number: Int, list texts: [String]) {
        begin(number, .list)
        listHead(texts.count, .binary)
        for text in texts { binary(text) }
    }

    mutating func field<Element>(
        _ number: Int,
        structures: [Element],
        _ body: (inout ThriftWriter, Element) -> Void
    ) {
        begin(number, .list)
        listHead(structures.count, .structure)
        for one in structures { structure { body(&$0, one) } }
    }

    /// A struct without a field around it: the whole of a header or footer.
    mutating func structure(_ body: (inout ThriftWriter) -> Void) {
        lastFields.append(0)
        body(&self)
        bytes.append(0)
        lastFields.removeLast()
    }

    private mutating func begin(_ number: Int, _ kind: Kind) {
        let last = lastFields.removeLast()
        lastFields.append(number)
        // All numbers here follow each other closely.
        bytes.append(UInt8(truncatingIfNeeded: (number - last) << 4) | kind.rawValue)
    }

    private mutating func listHead(_ count: Int, _ kind: Kind) {
        guard count >= 15 else { return bytes.append(UInt8(truncatingIfNeeded: count << 4) | kind.rawValue) }
        bytes.append(0xF0 | kind.rawValue)
        varint(UInt64(count))
    }

    private mutating func binary(_ text: String) {
        varint(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
