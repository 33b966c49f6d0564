package import Recording

extension SessionBuilder {
    /// Where the fixes of ``addLocations(count:)`` are: in Denver, on tile 12/853/1554.
    package static let latitudeDegrees = 39.7392
    package static let longitudeDegrees = -104.9903

    /// A manifest's layer with everything that it must have.
    package static func tileLayer(_ kind: TileKind) -> JSONFieldList {
        var layer = JSONFieldList()
        layer["kind"] = "\"\(kind.rawValue)\""
        layer["provider"] = "\"somebody\""
        layer["layer"] = "\"something\""
        layer["crs"] = "\"EPSG:3857\""
        layer["tile_size"] = "256"
        layer["format"] = kind == .elevation ? "\"png\"" : "\"jpeg\""
        layer["path"] = kind == .elevation ? "\"tiles/dem\"" : "\"tiles/satellite\""
        layer["min_zoom"] = "9"
        layer["max_zoom"] = "12"
        if kind == .elevation { layer["encoding"] = "\"terrarium_png\"" }
        return layer
    }

    package mutating func addTiles(_ layers: [JSONFieldList]) {
        files["tiles/manifest.json"] = Array("{\"layers\":[\(layers.map(\.text).joined(separator: ","))]}".utf8)
    }

    /// One fix a frame, from the first frame on.
    package mutating func addLocations(count: Int, secondsApart: Double = 0.2) {
        let lines = (0..<count).map { index in
            "{\"timestamp\":\(Self.startSeconds + Double(index) * secondsApart),\"latitude\":\(Self.latitudeDegrees),"
                + "\"longitude\":\(Self.longitudeDegrees),\"altitude\":1609.5,\"horizontal_accuracy\":3.5,"
                + "\"unix_time\":\"\(1_767_268_800 + index).25\"}\n"
        }
        files["gps.jsonl"] = Array(lines.joined().utf8)
    }
}
