import Platform
package import SystemPackage

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
