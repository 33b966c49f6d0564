import Exports
import Platform
import SystemPackage

extension FuzzTarget {
    /// Parquet files, as data sets that are merged have them.
    static let parquet = FuzzTarget(
        name: "parquet",
        seeds: { [seed(groups: 1), seed(groups: 3)] },
        dictionary: ["PAR1", "\u{15}", "\u{19}", "\u{1C}", "\u{26}", "(\u{B5}/\u{FD}"],
        run: { input in
            table.write(input)
            guard let reader = try? ParquetReader(table.path) else { return }
            for group in 0..<reader.groupCount {
                guard let values = try? reader.group(group) else { continue }
                require(values.count == reader.columns.count, "\(values.count) columns")
            }
        }
    )

    private static let folder = FuzzFolder("parquet")
    private static let table = FuzzFile("table.parquet", in: folder)

    private static func seed(groups: Int) -> [UInt8] {
        let path = folder("seed-\(groups).parquet")
        let columns = [
            TableColumn("n", .int64), TableColumn("v", .float32, listDepth: 1),
            TableColumn("deep", .float64, listDepth: 3), TableColumn("text", .text),
        ]
        FileTree.remove(path)
        guard let file = try? ParquetFile(creating: path, columns, metadata: [("key", "value")]) else { return [] }
        for group in 0..<groups {
            for row in 0..<3 {
                try? file.append([
                    .integer(Int64(row)), .list([.float32(1), .float32(Float(group))]),
                    .list([.list([.list([.float64(0.5)])])]), .text("row \(row)"),
                ])
            }
            try? file.endRowGroup()
        }
        try? file.finish()
        return (try? OutputFile.contents(of: path)) ?? []
    }
}
