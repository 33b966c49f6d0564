import Recording

/// Checks the map tiles of a session: every file of every layer, and that there is one under the device.
struct TileCheck {
    private(set) var diagnostics = Diagnostics()
    private(set) var count = 0

    init(_ tiles: TileStore, fixes: [LocationSample]) {
        if let files = tiles.files {
            for layer in tiles.layers {
                if layer.isDatabase { examineRows(layer, files) } else { examineFiles(layer, files, tiles) }
            }
        }
        for fix in fixes { lookUp(fix, tiles) }
    }

    private mutating func examineFiles(_ layer: TileLayer, _ files: any SessionFiles, _ tiles: TileStore) {
        files.forEachFile(inFolder: layer.path) { file in
            guard let address = Self.address(of: file, layer) else { return }
            count += 1
            do throws(Problem) {
                _ = try tiles.load(layer, address)
            } catch {
                diagnostics.record(error)
            }
        }
    }

    private mutating func examineRows(_ layer: TileLayer, _ files: any SessionFiles) {
        do throws(Problem) {
            try MBTilesFile(layer.path, files).forEachTile { address, tile in
                guard layer.zooms.contains(address.zoom) else { return }
                count += 1
                do throws(Problem) {
                    try TileStore.check(tile.get(), layer, address)
                } catch {
                    diagnostics.record(error)
                }
            }
        } catch {
            diagnostics.record(error)
        }
    }

    /// Which tile a file is; `nil` for one that no look-up would open.
    private static func address(of file: String, _ layer: TileLayer) -> TileAddress? {
        let parts = file.dropFirst(layer.path.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        let ending = ".\(layer.fileExtension)"
        guard parts.count == 3, parts[2].hasSuffix(ending), let zoom = Int(parts[0]), let x = Int(parts[1]),
            let y = Int(parts[2].dropLast(ending.count)), layer.zooms.contains(zoom),
            let address = TileAddress(zoom: zoom, x: x, y: y), layer.file(address) == file
        else { return nil }
        return address
    }

    private mutating func lookUp(_ fix: LocationSample, _ tiles: TileStore) {
        for kind in TileKind.allCases where tiles.has(kind) {
            // Tiles that cannot be used were counted above.
            var found = Diagnostics()
            _ = tiles.tile(
                kind,
                latitudeDegrees: fix.latitudeDegrees,
                longitudeDegrees: fix.longitudeDegrees,
                &found
            )
            for entry in found.entries where entry.kind == .missingTile {
                for problem in entry.examples { diagnostics.record(problem) }
            }
        }
    }
}
