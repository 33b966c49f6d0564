import Codecs
package import Recording

/// A map tile of a session: its own bytes, checked but not decoded.
package struct StoredTile: Sendable {
    package var layer: TileLayer
    package var address: TileAddress
    package var bytes: [UInt8]
}

/// The map tiles of a session.
package struct TileStore: Sendable {
    /// No map tile is larger than this.
    package static let maximumTileBytes = 16 << 20

    /// In the order of the manifest: the first one that has a position is asked.
    package let layers: [TileLayer]
    let files: (any SessionFiles)?

    /// No tiles.
    package init() {
        layers = []
        files = nil
    }

    init(layers: [TileLayer], files: any SessionFiles) {
        self.layers = layers
        self.files = files
    }

    package func has(_ kind: TileKind) -> Bool { layers.contains { $0.kind == kind } }

    /// The tile of the highest zoom that lies under a position, of the first layer that has one.
    ///
    /// A tile that cannot be used is a problem, and the next one is tried; that there is none at all is one too.
    package func tile(
        _ kind: TileKind,
        latitudeDegrees: Double,
        longitudeDegrees: Double,
        _ diagnostics: inout Diagnostics
    ) -> StoredTile? {
        for layer in layers where layer.kind == kind {
            for address in layer.addresses(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees) {
                do throws(Problem) {
                    guard let bytes = try load(layer, address) else { continue }
                    return StoredTile(layer: layer, address: address, bytes: bytes)
                } catch {
                    diagnostics.record(error)
                }
            }
        }
        let expected = "a tile of \(kind.rawValue) at \(latitudeDegrees), \(longitudeDegrees)"
        diagnostics.record(Problem(.missingTile, file: TileManifest.file, expected: expected, found: "none"))
        return nil
    }

    /// Reads and checks one tile; `nil` where there is none.
    ///
    /// - Throws: a ``Problem`` of the kind `badTiles`.
    package func load(_ layer: TileLayer, _ address: TileAddress) throws(Problem) -> [UInt8]? {
        guard let files else { return nil }
        guard let bytes = try Self.read(layer, address, files) else { return nil }
        try Self.check(bytes, layer, address)
        return bytes
    }

    private static func read(
        _ layer: TileLayer,
        _ address: TileAddress,
        _ files: any SessionFiles
    ) throws(Problem) -> [UInt8]? {
        if layer.isDatabase { return try MBTilesFile(layer.path, files).tile(address) }
        let file = layer.file(address)
        if let found = files.irregular(file) {
            throw problem(layer, address, expected: "a regular file", found: found)
        }
        guard files.size(of: file) != nil else { return nil }
        var bytes: [UInt8] = []
        do throws(Problem) {
            try files.read(file, into: &bytes, maximumBytes: maximumTileBytes)
        } catch {
            var problem = error
            problem.kind = .badTiles
            throw problem
        }
        return bytes
    }

    /// Refuses what is no whole image of the layer's format and size.
    static func check(_ bytes: [UInt8], _ layer: TileLayer, _ address: TileAddress) throws(Problem) {
        let found = TileImage(bytes, layer.format)
        guard let size = found.size, size == GridSize(width: layer.tileSize, height: layer.tileSize) else {
            let expected = "a whole \(layer.format.rawValue) of \(layer.tileSize)x\(layer.tileSize)"
            throw problem(layer, address, expected: expected, found: found.text)
        }
    }

    static func problem(_ layer: TileLayer, _ address: TileAddress, expected: String, found: String) -> Problem {
        Problem(
            .badTiles,
            file: layer.isDatabase ? layer.path : layer.file(address),
            field: layer.isDatabase ? address.name : nil,
            expected: expected,
            found: found
        )
    }
}

/// The size of a map tile and its state, as far as can be seen without decoding it.
struct TileImage {
    /// `nil` for what is no whole image of the format.
    let size: GridSize?
    /// The size, or what is wrong, in words.
    let text: String

    init(_ bytes: [UInt8], _ format: TileFormat) {
        do throws(CodecError) {
            (size, text) = try Self.inspect(bytes, format)
        } catch {
            size = nil
            let other = Self.name(of: bytes).flatMap { $0 == format.rawValue ? nil : ": it is \($0)" } ?? ""
            text = "\(error)" + other
        }
    }

    private static func inspect(_ bytes: [UInt8], _ format: TileFormat) throws(CodecError) -> (GridSize?, String) {
        let size: GridSize
        switch format {
        case .jpeg:
            let info = try JPEG.inspect(bytes)
            guard info.isComplete else { return (nil, "a JPEG without an end") }
            if let problem = info.structureProblem { return (nil, "\(problem)") }
            size = GridSize(width: info.width, height: info.height)
        case .png: size = try PNG.inspect(bytes)
        case .tiff: size = try TIFF.inspect(bytes)
        }
        return (size, "\(size.width)x\(size.height)")
    }

    static func format(of bytes: [UInt8]) -> TileFormat? { name(of: bytes).flatMap { TileFormat(rawValue: $0) } }

    /// The name of the format whose signature the bytes begin with; `nil` for none of the usual ones.
    static func name(of bytes: [UInt8]) -> String? {
        func begins(_ signature: [UInt8], at place: Int = 0) -> Bool {
            bytes.dropFirst(place).starts(with: signature)
        }
        if begins([0x89, 0x50, 0x4E, 0x47]) { return TileFormat.png.rawValue }
        if begins([0xFF, 0xD8, 0xFF]) { return TileFormat.jpeg.rawValue }
        if begins(Array("II*\0".utf8)) || begins(Array("MM\0*".utf8)) { return TileFormat.tiff.rawValue }
        if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) { return "webp" }
        if begins([0x1F, 0x8B]) { return "gzip, as vector tiles are" }
        return nil
    }
}
