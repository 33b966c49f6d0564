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
    private let files: (any SessionFiles)?

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
            for zoom in layer.zooms.reversed() {
                guard
                    let address = TileAddress(
                        latitudeDegrees: latitudeDegrees,
                        longitudeDegrees: longitudeDegrees,
                        zoom: zoom
                    ),
                    files?.size(of: layer.file(address)) != nil
                else { continue }
                do throws(Problem) {
                    return StoredTile(layer: layer, address: address, bytes: try load(layer, address))
                } catch {
                    diagnostics.record(error)
                }
            }
        }
        diagnostics.record(
            Problem(
                .missingTile,
                file: TileManifest.file,
                expected: "a tile of \(kind.rawValue) at \(latitudeDegrees), \(longitudeDegrees)",
                found: "none"
            )
        )
        return nil
    }

    /// Reads and checks one tile.
    ///
    /// - Throws: a ``Problem`` of the kind `badTiles`.
    package func load(_ layer: TileLayer, _ address: TileAddress) throws(Problem) -> [UInt8] {
        let file = layer.file(address)
        var bytes: [UInt8] = []
        do throws(Problem) {
            try files?.read(file, into: &bytes, maximumBytes: Self.maximumTileBytes)
        } catch {
            var problem = error
            problem.kind = .badTiles
            throw problem
        }
        let expected = "a whole \(layer.format.rawValue) of \(layer.tileSize)x\(layer.tileSize)"
        let found = Self.describe(bytes, layer.format)
        guard let size = found.size, size == GridSize(width: layer.tileSize, height: layer.tileSize) else {
            throw Problem(.badTiles, file: file, expected: expected, found: found.text)
        }
        return bytes
    }

    /// The size of a whole image of the format, and what to say of it.
    private static func describe(_ bytes: [UInt8], _ format: TileFormat) -> (size: GridSize?, text: String) {
        do throws(CodecError) {
            switch format {
            case .jpeg:
                let info = try JPEG.inspect(bytes)
                guard info.isComplete else { return (nil, "a JPEG without an end") }
                if let problem = info.structureProblem { return (nil, "\(problem)") }
                return (GridSize(width: info.width, height: info.height), "\(info.width)x\(info.height)")
            case .png:
                let size = try PNG.inspect(bytes)
                return (size, "\(size.width)x\(size.height)")
            case .tiff:
                let size = try TIFF.inspect(bytes)
                return (size, "\(size.width)x\(size.height)")
            }
        } catch {
            return (nil, "\(error)")
        }
    }
}
