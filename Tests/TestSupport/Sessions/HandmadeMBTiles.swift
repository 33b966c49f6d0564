import Foundation
import Platform
import SystemPackage

/// An MBTiles file made by statements, so that any part of it can be missing or lie.
package struct HandmadeMBTiles {
    package var metadata: [(name: String, value: String)]
    /// By SQLite's own names; `row` counts from the south.
    package var tiles: [(zoom: Int, column: Int, row: Int, data: [UInt8])] = []
    /// Statements before all others, which are left out where it is another schema.
    package var schema =
        "CREATE TABLE metadata (name text, value text); "
        + "CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob); "
        + "CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)"

    package init(_ metadata: KeyValuePairs<String, String>) {
        self.metadata = metadata.map { ($0.key, $0.value) }
    }

    /// Adds the tile of 12/853/1554, in Denver, whose row from the south is 4096 - 1 - 1554.
    package mutating func addDenver(_ data: [UInt8]) { tiles.append((12, 853, 2541, data)) }

    package func bytes() throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let path = directory.appending("made.mbtiles")
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute(schema)
        do {
            for (name, value) in metadata {
                let statement = try database.prepare("INSERT INTO metadata VALUES (?1, ?2)")
                try statement.bind(name, at: 1)
                try statement.bind(value, at: 2)
                try statement.run()
            }
            for tile in tiles {
                let statement = try database.prepare("INSERT INTO tiles VALUES (?1, ?2, ?3, ?4)")
                for (index, number) in [tile.zoom, tile.column, tile.row].enumerated() {
                    try statement.bind(Int64(number), at: Int32(index + 1))
                }
                try tile.data.withUnsafeBytes { bytes in
                    try statement.bindWithoutCopy(bytes, at: 4)
                    try statement.run()
                }
            }
        }
        try database.close()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path.string)))
    }
}
