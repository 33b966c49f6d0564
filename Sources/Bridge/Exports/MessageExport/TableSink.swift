package import Messages
package import Platform
package import SystemPackage

/// Writes a table for each topic: comma-separated values (RFC 4180, with a header) or Parquet.
///
/// A file is named by its topic, without the first slash and with `_` for the others. Blobs and sequences are left out but
/// for their lengths.
package actor TableSink: MessageSink {
    private struct Table {
        let topic: String
        let schema: MessageSchema
        let columns: TableColumns
        let file: any TableFile
        var messages = 0
    }

    private let folder: OutputFolder
    private let form: TableFormat
    private var tables: [String: Table] = [:]
    private var order: [String] = []
    private var warnings: [String] = []

    /// - Parameter folder: to be shown by the caller when all is written.
    package init(_ folder: OutputFolder, _ form: TableFormat) {
        self.folder = folder
        self.form = form
    }

    package func open(_ topics: [Topic]) throws {
        var names: Set<String> = []
        for topic in topics where tables[topic.name] == nil {
            let schema = try Self.schema(of: topic)
            let columns = TableColumns(schema.layout)
            if columns.isCut {
                warnings.append("\(topic.name): only the first \(TableColumns.limit) columns are written")
            }
            let base = Self.fileName(topic.name)
            // a/b and a_b have one name: the second gets a number.
            var (name, number) = (base, 2)
            while !names.insert(name).inserted { (name, number) = ("\(base)-\(number)", number + 1) }
            let file = try form.create(folder.file("\(name).\(form.ending)"), columns.columns)
            tables[topic.name] = Table(topic: topic.name, schema: schema, columns: columns, file: file)
            order.append(topic.name)
        }
    }

    package func write(_ message: StampedMessage) throws {
        guard let table = tables[message.topic.name] else { return }
        let value = try table.schema.value(of: message.message)
        for row in table.columns.rows(value, logTime: message.timeNanoseconds) { try table.file.append(row) }
        tables[message.topic.name]?.messages += 1
    }

    package func finish() throws -> SinkReport {
        for name in order { try tables[name]?.file.finish() }
        return report()
    }

    package func report() -> SinkReport {
        let counts = order.compactMap { tables[$0] }.map {
            SinkReport.TopicCount(name: $0.topic, written: $0.messages, bytes: $0.file.byteCount)
        }
        return SinkReport(topics: counts.sorted { $0.name < $1.name }, warnings: warnings)
    }

    private static func fileName(_ topic: String) -> String {
        String(topic.drop { $0 == "/" }).replacing("/", with: "_")
    }

    private static func schema(of topic: Topic) throws -> MessageSchema {
        if let resolved = topic.type as? ResolvedType { return resolved.schema }
        if let schema = topic.type as? MessageSchema { return schema }
        return try TypeResolver().resolve(topic.typeName).schema
    }
}

/// A format of tables: what its files end in, and how one is begun.
package struct TableFormat: Sendable {
    package let ending: String
    let create: @Sendable (FilePath, [TableColumn]) throws -> any TableFile

    package init(_ ending: String, _ create: @escaping @Sendable (FilePath, [TableColumn]) throws -> any TableFile) {
        (self.ending, self.create) = (ending, create)
    }

    package static let csv = TableFormat("csv") { try CSVFile(creating: $0, $1) }
    package static let parquet = TableFormat("parquet") { try ParquetFile(creating: $0, $1) }
}

extension Product {
    private static func table(_ name: String, _ format: TableFormat) -> Product {
        Product(name, .table(format)).with {
            ($0.options, $0.ofBag) = ([.times, .workers, .heights, .depthSource], BagUse())
        }
    }

    static let csv = table("csv", .csv).with { $0.standsFor = ["tsv", "xlsx", "excel", "pandas"] }
    static let parquet = table("parquet", .parquet).with { $0.standsFor = ["hdf5", "h5", "zarr", "arrow", "feather"] }
}

/// A file of a table, written row by row.
package protocol TableFile {
    var byteCount: Int { get }
    /// - Parameter cells: one for each column, of its kind.
    func append(_ cells: [TableCell]) throws
    func finish() throws
}

/// A table as comma-separated values (RFC 4180), with the names of the columns in its first line.
package final class CSVFile: TableFile {
    private let file: OutputFile

    package init(creating path: FilePath, _ columns: [TableColumn]) throws {
        file = try OutputFile(creating: path)
        try file.append(text: columns.map { TableCell.quoted($0.name) }.joined(separator: ",") + "\n")
    }

    package var byteCount: Int { file.byteCount }

    package func append(_ cells: [TableCell]) throws {
        try file.append(text: cells.map(\.text).joined(separator: ",") + "\n")
    }

    package func finish() throws { try file.finish() }
}
