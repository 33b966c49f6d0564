extension SessionBuilder {
    /// Adds two lines to each of heading.jsonl, radio.jsonl and indoor.jsonl.
    package mutating func addObservations() {
        func lines(_ members: String) -> [UInt8] {
            Array((0..<2).map { "{\"timestamp\":\"1000.\($0)\",\(members)}\n" }.joined().utf8)
        }
        let heading = #""true_heading":12.5,"magnetic_heading":8,"heading_accuracy":6"#
        files["heading.jsonl"] = lines(heading)
        files["radio.jsonl"] = lines(
            #""channel_id":"c","observation_kind":"k","source_id":"i","tags":["x"],"rssi_dbm":-50,"is_secure":true,"#
                + #""metadata_json":{"a":1},"other":[1,null]"#
        )
        files["indoor.jsonl"] = lines(
            #""latitude":48.5,"longitude":11.25,"horizontal_accuracy":4,"floor_available":true,"floor_level":2,"#
                + heading + #","source":{"simulated_by_software":false}"#
        )
    }
}
