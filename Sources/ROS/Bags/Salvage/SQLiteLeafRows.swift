import Platform
import SystemPackage

/// Reads the rows of all tables from the leaf pages of a .db3 file, without the schema and the inner pages of the trees.
///
/// SQLite cannot reach the leaves below a damaged inner page, or of a table that its schema does not name rightly, but
/// leaf pages describe themselves (SQLite file format, 1.6 and 2.1). Only complete rows count whose first column is NULL
/// and stands for the rowid, as in all tables of a bag. What they are of, ``SQLiteLeafRow`` says by their columns.
struct SQLiteLeafRows {

    private let file: FileDescriptor
    private let pageBytes: Int
    /// The page size without the reserved bytes at the end of each page.
    private let usableBytes: Int
    private let pageCount: Int
    private let path: FilePath
    /// The bytes of messages that may still be read: the cells of a damaged page may all point to the same ones.
    private var bytesLeft: Int

    /// Returns nil for a file without a valid page size in its header.
    init?(_ path: FilePath) throws(FileError) {
        self.path = path
        let (descriptor, byteCount) = try RegularFile.open(path)
        file = descriptor
        var head = [UInt8](repeating: 0, count: 21)
        do {
            _ = try head.withUnsafeMutableBytes { try descriptor.readAll($0, fromAbsoluteOffset: 0) }
        } catch {
            SystemFault.note(path, "read", error as? Errno ?? .ioError)
        }
        pageBytes = SQLiteSalvage.pageBytes(head)
        usableBytes = pageBytes - Int(head[20])
        guard pageBytes >= 512, usableBytes >= 480 else {
            try? descriptor.close()
            return nil
        }
        pageCount = byteCount / pageBytes
        bytesLeft = 2 * byteCount
    }

    func close() { try? file.close() }

    /// Calls `body` with every row of every leaf, page by page.
    mutating func forEach<Failure: Error>(_ body: (SQLiteLeafRow) throws(Failure) -> Void) throws(Failure) {
        // The first page belongs to the schema.
        for number in stride(from: 2, through: pageCount, by: 1) {
            guard let page = page(number), page[0] == 13 else { continue }
            let count = Int(page[3]) << 8 | Int(page[4])
            for cell in 0..<min(count, (usableBytes - 8) / 2) {
                let pointer = Int(page[8 + 2 * cell]) << 8 | Int(page[9 + 2 * cell])
                if let row = row(page, at: pointer) { try body(row) }
            }
        }
    }

    /// Reads a page by its number, counted from 1, or its first bytes; nil for the first one, of which no other is a part,
    /// and for what the file has not.
    private func page(_ number: Int, byteCount: Int? = nil) -> [UInt8]? {
        guard number > 1 else { return nil }
        let offset = Int64(number - 1) * Int64(pageBytes)
        let byteCount = byteCount ?? pageBytes
        do {
            let bytes = try file.bytes(byteCount, fromAbsoluteOffset: offset)
            return bytes.count == byteCount ? bytes : nil
        } catch {
            SystemFault.note(path, "read", error as? Errno ?? .ioError)
            return nil
        }
    }

    private mutating func row(_ page: [UInt8], at pointer: Int) -> SQLiteLeafRow? {
        var cell = Cursor(bytes: page[..<usableBytes], place: pointer)
        guard let stated = cell.varint(), let number = cell.varint(), let size = Int(exactly: stated),
            let payload = payload(of: size, page, at: cell.place)
        else { return nil }
        var header = Cursor(bytes: payload[...], place: 0)
        guard let headerBytes = header.varint(), headerBytes <= 64 else { return nil }
        var body = Cursor(bytes: payload[...], place: Int(headerBytes))
        var values: [SQLiteLeafRow.Value] = []
        while header.place < Int(headerBytes), let type = header.varint() {
            guard let value = body.value(type) else { return nil }
            values.append(value)
        }
        guard header.place == Int(headerBytes), body.place == payload.count, case .null? = values.first else {
            return nil
        }
        return SQLiteLeafRow(number: number, values: values)
    }

    /// Reads a payload with its overflow pages; nil if it is incomplete.
    private mutating func payload(of size: Int, _ page: [UInt8], at place: Int) -> [UInt8]? {
        guard size >= 5, size <= bytesLeft else { return nil }
        let most = usableBytes - 35
        let least = (usableBytes - 12) * 32 / 255 - 23
        let rest = least + (size - least) % (usableBytes - 4)
        let local = size <= most ? size : rest <= most ? rest : least
        guard place + local + (local < size ? 4 : 0) <= usableBytes else { return nil }
        bytesLeft -= size
        var bytes = Array(page[place..<place + local])
        guard local < size else { return bytes }
        var next = pageNumber(page, at: place + local)
        bytes.reserveCapacity(size)
        // Every page adds bytes, so a circular chain ends at the payload's size.
        while bytes.count < size {
            // Of the last page no more is read than it holds: where the file was cut the rest may be missing.
            let count = min(size - bytes.count, usableBytes - 4)
            guard let overflow = self.page(next, byteCount: 4 + count) else { return nil }
            next = pageNumber(overflow, at: 0)
            bytes += overflow[4...]
        }
        return bytes
    }

    private func pageNumber(_ bytes: [UInt8], at place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads the integers of a cell.
    private struct Cursor {
        let bytes: ArraySlice<UInt8>
        var place: Int

        /// Reads a varint: up to nine bytes, of which the last one counts with all 8 bits.
        mutating func varint() -> Int64? {
            var value: UInt64 = 0
            for index in 0..<9 {
                guard bytes.indices.contains(place) else { return nil }
                let byte = bytes[place]
                place += 1
                if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
                value = value << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { return Int64(bitPattern: value) }
            }
            return nil
        }

        /// Reads a value by its serial type; nil for one that does not exist, or is not whole.
        mutating func value(_ type: Int64) -> SQLiteLeafRow.Value? {
            let size: Int
            switch type {
            case 0: return .null
            case 1...4: size = Int(type)
            case 5: size = 6
            case 6, 7: size = 8
            case 8, 9: return .integer(type - 8)
            case 12...: size = Int(clamping: (type - 12) / 2)
            default: return nil
            }
            guard size <= bytes.endIndex - place else { return nil }
            defer { place += size }
            let content = bytes[place..<place + size]
            if type >= 12 { return type % 2 == 0 ? .blob(content) : .text(content) }
            guard type <= 6, let head = content.first else { return .real }
            let first = UInt64(bitPattern: Int64(Int8(bitPattern: head)))
            return .integer(Int64(bitPattern: content.dropFirst().reduce(first) { $0 << 8 | UInt64($1) }))
        }
    }
}

/// A row on a leaf page, of whichever table.
struct SQLiteLeafRow {
    enum Value {
        case null
        case integer(Int64)
        case real
        case text(ArraySlice<UInt8>)
        case blob(ArraySlice<UInt8>)
    }

    let number: Int64
    /// In the order of the columns; the first is NULL and stands for the rowid.
    let values: [Value]

    /// The columns of a row of the table `messages`.
    struct Message {
        var arrival: SQLiteSalvage.Arrival
        var bytes: ArraySlice<UInt8>
    }

    /// The row as one of `messages`; nil where it is of another table.
    var message: Message? {
        guard values.count == 4, case .integer(let topic) = values[1] else { return nil }
        var time: Int64?
        switch values[2] {
        case .integer(let number): time = number >= 0 ? number : nil
        case .null, .real, .text: break
        case .blob: return nil
        }
        let arrival = SQLiteSalvage.Arrival(number: number, topic: topic, time: time)
        switch values[3] {
        case .text(let bytes), .blob(let bytes): return Message(arrival: arrival, bytes: bytes)
        default: return nil
        }
    }

    /// The row as one of `topics` of any schema version; nil where it is of another table.
    var topic: StoredTopic? {
        guard let texts, (3...5).contains(texts.count), texts[0].hasPrefix("/"), texts[1].contains("/"),
            Self.isWord(texts[2])
        else { return nil }
        let topic = BagTopic(
            name: texts[0],
            typeName: texts[1],
            serializationFormat: texts[2],
            qosText: texts.count > 3 ? texts[3] : "",
            typeHash: texts.count > 4 ? texts[4] : "",
            definitionText: ""
        )
        return StoredTopic(number: number, topic: topic)
    }

    /// The row as one of `message_definitions`: its texts in the order of the columns; nil where it is of another table.
    var definition: [String]? {
        guard let texts, texts.count == 4, !texts[0].hasPrefix("/"), texts[0].contains("/"), Self.isWord(texts[1])
        else { return nil }
        return texts
    }

    /// The values behind the first; nil unless all are texts.
    private var texts: [String]? {
        var texts: [String] = []
        for value in values.dropFirst() {
            guard case .text(let bytes) = value else { return nil }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }

    /// True if the text has the form of a name of a format or an encoding.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 40 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
