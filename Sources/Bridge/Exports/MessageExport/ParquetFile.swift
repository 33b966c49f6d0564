import Bags
import Platform
package import SystemPackage

/// A table as an Apache Parquet file: required columns of values or of lists, PLAIN in pages of zstd, row groups of bounded
/// size.
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
        private var bitCount = 0
        /// Of a column of lists: for each value how many of the lists around it go on, and how many have something in them
        /// (Dremel's levels).
        private(set) var repetitions: [UInt8] = []
        private(set) var definitions: [UInt8] = []

        mutating func append(_ cell: TableCell, _ column: TableColumn) {
            if column.listDepth > 0 { return append(cell, column, depth: 0, level: 0) }
            append(value: cell, isFourBytes: column.kind.isFourBytes)
        }

        private mutating func append(_ cell: TableCell, _ column: TableColumn, depth: Int, level: Int) {
            guard depth < column.listDepth, case .list(let cells) = cell else {
                append(value: cell, isFourBytes: column.kind.isFourBytes)
                return addLevels(level, depth)
            }
            if cells.isEmpty { addLevels(level, depth) }
            for (index, cell) in cells.enumerated() {
                append(cell, column, depth: depth + 1, level: index == 0 ? level : depth + 1)
            }
        }

        private mutating func addLevels(_ repetition: Int, _ definition: Int) {
            repetitions.append(UInt8(truncatingIfNeeded: repetition))
            definitions.append(UInt8(truncatingIfNeeded: definition))
        }

        private mutating func append(value cell: TableCell, isFourBytes: Bool) {
            switch cell {
            case .bool(let value):
                if bitCount & 7 == 0 { bytes.append(0) }
                if value { bytes[bytes.count - 1] |= 1 << UInt8(bitCount & 7) }
                bitCount += 1
            case .integer(let value) where isFourBytes: bytes.appendInteger(Int32(truncatingIfNeeded: value))
            case .integer(let value): bytes.appendInteger(value)
            case .unsigned(let value) where isFourBytes: bytes.appendInteger(UInt32(truncatingIfNeeded: value))
            case .unsigned(let value): bytes.appendInteger(value)
            case .float32(let value): bytes.appendInteger(value.bitPattern)
            case .float64(let value): bytes.appendInteger(value.bitPattern)
            case .text(let text):
                bytes.appendInteger(UInt32(clamping: text.utf8.count))
                bytes += text.utf8
            // Deeper than the column says.
            case .list: break
            }
        }

        /// The body of a data page (version 1): the levels, then the values.
        var page: [UInt8] {
            repetitions.isEmpty ? bytes : Self.runs(repetitions) + Self.runs(definitions) + bytes
        }

        /// Levels in Parquet's hybrid encoding, as runs of equal ones only, with their length in front.
        private static func runs(_ levels: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = []
            var place = 0
            while place < levels.count {
                let end = levels[place...].firstIndex { $0 != levels[place] } ?? levels.count
                bytes += ThriftWriter.varint(UInt64(end - place) << 1)
                bytes.append(levels[place])
                place = end
            }
            return .integer(UInt32(clamping: bytes.count)) + bytes
        }
    }

    /// A column of a row group in the file.
    private struct Chunk {
        var offset: Int
        var storedBytes: Int
        var plainBytes: Int
        /// Values, and lists that are empty.
        var valueCount: Int
    }

    private struct RowGroup {
        var rowCount: Int
        var chunks: [Chunk]
    }

    private let columns: [TableColumn]
    private let metadata: [(key: String, value: String)]
    private let file: OutputFile
    private let compressor: ZstandardCompressor
    private var buffers: [Buffer]
    private var rowCount = 0
    private var bufferedBytes = 0
    private var groups: [RowGroup] = []

    /// - Parameter metadata: keys and values for the footer.
    package init(
        creating path: FilePath,
        _ columns: [TableColumn],
        metadata: [(key: String, value: String)] = []
    ) throws {
        self.columns = columns
        self.metadata = metadata
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
            buffers[index].append(cell, columns[index])
            bufferedBytes += buffers[index].bytes.count - before
        }
        rowCount += 1
        if rowCount >= Self.maximumRows || bufferedBytes >= Self.maximumBytes { try endRowGroup() }
    }

    /// Writes the last row group and the footer.
    package func finish() throws {
        try endRowGroup()
        var footer = ThriftWriter()
        footer.structure { describe(&$0) }
        try file.append(footer.bytes + .integer(UInt32(clamping: footer.bytes.count)) + Self.magic)
        try file.finish()
    }

    /// Ends the row group: the next row begins another.
    package func endRowGroup() throws {
        guard rowCount > 0 else { return }
        var group = RowGroup(rowCount: rowCount, chunks: [])
        for index in buffers.indices {
            let plain = buffers[index].page
            let levels = buffers[index].repetitions.count
            let valueCount = levels > 0 ? levels : rowCount
            let stored = try plain.withUnsafeBytes { try compressor.compress($0) }
            var header = ThriftWriter()
            header.structure { header in
                header.field(1, Int32(0))
                header.field(2, Int32(clamping: plain.count))
                header.field(3, Int32(clamping: stored.count))
                header.field(5) { page in
                    page.field(1, Int32(clamping: valueCount))
                    page.field(2, Int32(0))
                    page.field(3, Int32(3))
                    page.field(4, Int32(3))
                }
            }
            let size = header.bytes.count
            let chunk = Chunk(
                offset: file.byteCount,
                storedBytes: size + stored.count,
                plainBytes: size + plain.count,
                valueCount: valueCount
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
        footer.field(2, structures: schema) { element, part in
            if let type = part.type { element.field(1, type) }
            if let repetition = part.repetition { element.field(3, repetition) }
            element.field(4, part.name)
            if let count = part.childCount { element.field(5, count) }
            if let converted = part.converted { element.field(6, converted) }
        }
        footer.field(3, Int64(groups.reduce(0) { $0 + $1.rowCount }))
        footer.field(4, structures: groups) { writer, group in
            writer.field(1, structures: Array(zip(group.chunks, self.columns))) {
                self.describe($1.0, $1.1, group, &$0)
            }
            writer.field(2, Int64(group.chunks.reduce(0) { $0 + $1.plainBytes }))
            writer.field(3, Int64(group.rowCount))
        }
        if !metadata.isEmpty {
            footer.field(5, structures: metadata) { writer, entry in
                writer.field(1, entry.key)
                writer.field(2, entry.value)
            }
        }
        footer.field(6, "mapeverything")
    }

    /// Parquet's `SchemaElement`.
    private struct SchemaPart {
        var name: String
        var type: Int32?
        /// 0 required, 2 repeated.
        var repetition: Int32?
        var childCount: Int32?
        var converted: Int32?
    }

    /// All columns in depth-first order; a list is a required group of a repeated one, as the format's page on logical types
    /// says.
    private var schema: [SchemaPart] {
        var parts = [SchemaPart(name: "schema", childCount: Int32(clamping: columns.count))]
        for column in columns {
            var name = column.name
            for _ in 0..<column.listDepth {
                parts.append(SchemaPart(name: name, repetition: 0, childCount: 1, converted: 3))
                parts.append(SchemaPart(name: "list", repetition: 2, childCount: 1))
                name = "element"
            }
            let kind = column.kind
            parts.append(
                SchemaPart(name: name, type: kind.physicalType, repetition: 0, converted: kind.convertedType)
            )
        }
        return parts
    }

    private func describe(_ chunk: Chunk, _ column: TableColumn, _ group: RowGroup, _ writer: inout ThriftWriter) {
        writer.field(2, Int64(chunk.offset))
        writer.field(3) { data in
            data.field(1, column.kind.physicalType)
            // PLAIN, and RLE for levels.
            data.field(2, list: [0, 3] as [Int32])
            let path = [column.name] + (0..<column.listDepth).flatMap { _ in ["list", "element"] }
            data.field(3, list: path)
            data.field(4, Int32(6))
            data.field(5, Int64(chunk.valueCount))
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
