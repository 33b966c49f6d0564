import Platform
import Recording
import SystemPackage

/// An MBTiles file of a session (MBTiles 1.3): tiles are rows of an SQLite database, and counted from the south.
///
/// Each question opens a connection of its own, so that the value may go to any task. Nothing is written, not even beside
/// the file: what only a journal or a write-ahead log beside it holds is not seen.
struct MBTilesFile: Sendable {
    /// More work than any question about a sound file takes; a scan takes some five steps for each row.
    private static let maximumSteps: Int32 = 50_000_000
    /// Some twenty steps for each tile.
    private static let maximumStepsOfAllTiles: Int32 = 400_000_000
    private static let maximumBytes = TileStore.maximumTileBytes
    private static let tooLong = "at most \(maximumBytes) bytes"
    /// Longer texts of the table `metadata` are cut: those that are used are short.
    private static let maximumTextCharacters = 4096

    /// Relative to the session.
    let file: String
    private let path: FilePath

    /// - Throws: a ``Problem`` of the kind `badTiles`, where there is no file that SQLite could open.
    init(_ file: String, _ files: any SessionFiles) throws(Problem) {
        self.file = file
        guard files.size(of: file) != nil else {
            throw Problem(.badTiles, file: file, expected: "a file", found: files.irregular(file) ?? "none")
        }
        guard let path = files.localPath(of: file) else {
            let expected = "MBTiles in a folder: SQLite reads none inside of an archive, which has to be unpacked"
            throw Problem(.badTiles, file: file, expected: expected, found: "an archive")
        }
        self.path = path
    }

    /// The bytes of a tile, unchecked; `nil` where there is none.
    func tile(_ address: TileAddress) throws(Problem) -> [UInt8]? {
        try read(address) { (database) throws(SQLiteError) in
            let query = try database.prepare(
                "SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3"
            )
            try query.bind(Int64(address.zoom), at: 1)
            try query.bind(Int64(address.x), at: 2)
            try query.bind(Int64(address.turnedY), at: 3)
            return try query.step() ? Array(query.bytes(at: 0)) : nil
        }
    }

    /// Passes every tile of the file with its bytes, or with what is wrong with its row, in the order of the table.
    func forEachTile(_ body: (TileAddress, Result<[UInt8], Problem>) -> Void) throws(Problem) {
        try read(steps: Self.maximumStepsOfAllTiles) { (database) throws(SQLiteError) in
            // Reading a value that is too long would end the statement.
            let rows = try database.prepare(
                """
                SELECT zoom_level, tile_column, tile_row, length(tile_data), CASE WHEN length(tile_data) <= \(Self.maximumBytes)
                THEN tile_data END FROM tiles
                """
            )
            while try rows.step() {
                guard let address = Self.address(of: rows) else { continue }
                let size = rows.integer(at: 3)
                if size > Self.maximumBytes {
                    body(address, .failure(problem(address, Self.tooLong, found: "\(size) bytes")))
                } else {
                    body(address, .success(Array(rows.bytes(at: 4))))
                }
            }
        }
    }

    /// The texts and the time in the header.
    func description() throws(Problem) -> MBTilesDescription {
        try read { (database) throws(SQLiteError) in
            let tables = try database.names(of: "table").union(database.names(of: "view"))
            var description = MBTilesDescription(file: file)
            if tables.contains("metadata") { description.texts = try Self.texts(database) }
            let zooms = "SELECT zoom_level FROM tiles ORDER BY zoom_level"
            if description.zooms == nil, let low = try database.integer("\(zooms) LIMIT 1"),
                let high = try database.integer("\(zooms) DESC LIMIT 1")
            {
                description.zoomsOfTiles = (low, high)
            }
            let first = try database.prepare("SELECT tile_data FROM tiles LIMIT 1")
            if try first.step() { description.firstTile = Array(first.bytes(at: 0)) }
            return description
        }
    }

    private static func texts(_ database: SQLiteDatabase) throws(SQLiteError) -> [String: String] {
        let names = MBTilesDescription.Key.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let rows = try database.prepare(
            "SELECT name, substr(CAST(value AS TEXT), 1, \(maximumTextCharacters)) FROM metadata WHERE name IN (\(names))"
        )
        var texts: [String: String] = [:]
        // Of keys that come again the first counts; a file that repeats them without end is not read to its end.
        for _ in 0..<1024 {
            guard try rows.step() else { break }
            let name = rows.text(at: 0)
            if texts[name] == nil { texts[name] = rows.text(at: 1) }
        }
        return texts
    }

    /// `nil` for a row that no look-up would find.
    private static func address(of row: SQLiteStatement) -> TileAddress? {
        guard (0..<3).allSatisfy({ row.isInteger(at: $0) }),
            let turned = TileAddress(
                zoom: Int(row.integer(at: 0)),
                x: Int(row.integer(at: 1)),
                y: Int(row.integer(at: 2))
            )
        else { return nil }
        return TileAddress(zoom: turned.zoom, x: turned.x, y: turned.turnedY)
    }

    private func read<Answer>(
        _ address: TileAddress? = nil,
        steps: Int32 = maximumSteps,
        _ body: (SQLiteDatabase) throws(SQLiteError) -> Answer
    ) throws(Problem) -> Answer {
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(opening: path, access: .immutable)
            try database.limit(valueBytes: Int32(Self.maximumBytes), steps: steps)
            return try body(database)
        } catch {
            let expected =
                if error.isTooLong {
                    Self.tooLong
                } else if error.isInterrupted {
                    "an answer within \(steps) steps of SQLite (an index over the tiles helps)"
                } else {
                    "an SQLite database with the tables of MBTiles"
                }
            throw problem(address, expected, found: error.message)
        }
    }

    private func problem(_ address: TileAddress?, _ expected: String, found: String) -> Problem {
        Problem(.badTiles, file: file, field: address?.name, expected: expected, found: found)
    }
}

extension TileAddress {
    /// `12/853/1554`: zoom, x, y.
    var name: String { "\(zoom)/\(x)/\(y)" }

    /// The row where rows are counted from the south, as in TMS.
    fileprivate var turnedY: Int { (1 << zoom) - 1 - y }
}

/// The description of an MBTiles file by its table `metadata` and, where that is silent, by its tiles.
struct MBTilesDescription {
    /// The keys that are used: those of MBTiles 1.3, and `encoding`, which viewers of terrain have added.
    enum Key: String, CaseIterable {
        case name
        case format
        case minimumZoom = "minzoom"
        case maximumZoom = "maxzoom"
        case attribution
        case encoding
    }

    let file: String
    var texts: [String: String] = [:]
    /// The lowest and the highest zoom of any row.
    var zoomsOfTiles: (low: Int64, high: Int64)?
    var firstTile: [UInt8] = []

    subscript(_ key: Key) -> String? { texts[key.rawValue].flatMap { $0.isEmpty ? nil : $0 } }

    /// `nil` where there is no tile.
    var zooms: ClosedRange<Int>? {
        if let low = self[.minimumZoom].flatMap({ Int($0) }), let high = self[.maximumZoom].flatMap({ Int($0) }),
            low <= high, TileAddress.zooms.contains(low), TileAddress.zooms.contains(high)
        {
            return low...high
        }
        guard let zoomsOfTiles, zoomsOfTiles.low <= zoomsOfTiles.high else { return nil }
        return (Int(zoomsOfTiles.low)...Int(zoomsOfTiles.high)).clamped(to: TileAddress.zooms)
    }

    /// The side of the first tile in pixels, as the file itself has no word for it.
    func tileSize(_ format: TileFormat) -> Int? {
        guard let size = TileImage(firstTile, format).size, size.width == size.height,
            TileLayer.sizes.contains(size.width)
        else { return nil }
        return size.width
    }

    func format() throws(Problem) -> TileFormat {
        guard let text = self[.format]?.lowercased() else {
            if let format = TileImage.format(of: firstTile) { return format }
            throw problem(.format, "png or jpg", TileImage.name(of: firstTile) ?? "none")
        }
        switch text {
        case "png", "image/png": return .png
        case "jpg", "jpeg", "image/jpeg": return .jpeg
        case "tif", "tiff", "image/tiff": return .tiff
        default: throw problem(.format, "png or jpg: tiles of another format have to be converted", text)
        }
    }

    /// The manifest's word for how heights are coded; `nil` where nothing is said of it.
    func encoding() throws(Problem) -> String? {
        guard let text = self[.encoding]?.lowercased() else { return nil }
        switch text {
        case "terrarium": return "terrarium_png"
        case "mapbox", "terrain-rgb", "terrain_rgb", "terrainrgb": return "terrain_rgb_png"
        default: throw problem(.encoding, "terrarium or mapbox", text)
        }
    }

    /// The layer that the file alone makes.
    ///
    /// - Throws: a ``Problem`` of the kind `badTiles`; also where only the manifest could say what the tiles show.
    func layer() throws(Problem) -> TileLayer {
        let format = try format()
        let encoding = try encoding()
        guard encoding != nil || format == .jpeg else {
            throw problem(
                .encoding,
                "terrarium or mapbox, or a layer of \(TileManifest.file) that says what the tiles of this path show",
                "none"
            )
        }
        guard encoding == nil || format == .png else {
            throw problem(.format, "png, as heights are coded", format.rawValue)
        }
        guard let zooms else { throw Problem(.badTiles, file: file, expected: "tiles", found: "none") }
        let stem = file.split(separator: "/").last?.dropLast(".mbtiles".count) ?? ""
        var layer = TileLayer(
            kind: encoding == nil ? .satelliteImagery : .elevation,
            provider: TileLayer.unknown,
            layer: self[.name] ?? String(stem),
            format: format,
            path: file,
            zooms: zooms
        )
        layer.tileSize = tileSize(format) ?? layer.tileSize
        layer.encoding = encoding ?? ""
        layer.attribution = self[.attribution] ?? ""
        return layer
    }

    private func problem(_ key: Key, _ expected: String, _ found: String) -> Problem {
        let found = String(found.prefix(80))
        return Problem(.badTiles, file: file, field: "metadata.\(key.rawValue)", expected: expected, found: found)
    }
}
