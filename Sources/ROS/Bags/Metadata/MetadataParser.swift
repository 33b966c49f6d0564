import SystemPackage
import Text

/// Makes the metadata of a bag of metadata.yaml, versions 1 to 9, from any recorder.
///
/// Tolerant where rosbag2 is strict: a key that a version obliges and that is missing gets its neutral value, because the
/// rows themselves say it better. What is there must have the right form.
struct MetadataParser {
    private let path: FilePath

    static func parse(_ text: String, path: FilePath) throws(BagError) -> BagMetadata {
        let parser = MetadataParser(path: path)
        return try parser.bag(try parser.compose(text)["rosbag2_bagfile_information"])
    }

    /// The inner map alone, as the table `metadata` of a .db3 and the record `rosbag2` of an .mcap hold it.
    static func parse(inner text: String, path: FilePath) throws(BagError) -> BagMetadata {
        let parser = MetadataParser(path: path)
        let root = try parser.compose(text)
        let information = root["rosbag2_bagfile_information"]
        return try parser.bag(information.isMap ? information : root)
    }

    private func compose(_ text: String) throws(BagError) -> MetadataNode {
        do {
            return try MetadataNode.parse(text)
        } catch {
            let place = error.line.map { "line \($0)" } ?? "text"
            throw .damaged(path, place: place, expected: error.expected, found: error.found)
        }
    }

    private func bag(_ map: MetadataNode) throws(BagError) -> BagMetadata {
        guard map.isMap else { throw damage(map.place, "a map", map) }
        let version = Int(try integer(map["version"]) ?? 1)
        guard (1...9).contains(version) else {
            throw .unsupported(path, what: "metadata of version \(version)")
        }
        let files = try files(map)
        return BagMetadata(
            version: version,
            storageIdentifier: try string(map["storage_identifier"]) ?? "",
            times: try times(map, messageCount: try integer(map["message_count"])),
            messageCount: Int(try integer(map["message_count"]) ?? 0),
            topics: try list(map["topics_with_message_count"]).map(topic),
            files: files,
            compressionFormat: try string(map["compression_format"]) ?? "",
            compressionMode: (try string(map["compression_mode"]) ?? "").lowercased(),
            customData: try strings(map["custom_data"]),
            distribution: try string(map["ros_distro"]) ?? ""
        )
    }

    private func topic(_ entry: MetadataNode) throws(BagError) -> BagMetadata.TopicRecord {
        let topic = entry["topic_metadata"]
        guard topic.isMap else { throw damage(topic.place, "a map", entry) }
        guard let name = try string(topic["name"]), let type = try string(topic["type"]) else {
            throw damage(topic.place, "name and type", entry)
        }
        return BagMetadata.TopicRecord(
            name: name,
            typeName: type,
            serializationFormat: try string(topic["serialization_format"]) ?? "cdr",
            qosText: try qosText(topic["offered_qos_profiles"]),
            typeHash: try string(topic["type_description_hash"]) ?? "",
            messageCount: Int(try integer(entry["message_count"]) ?? 0)
        )
    }

    /// The files in playing order, with what `files` (from version 5) says of them.
    private func files(_ map: MetadataNode) throws(BagError) -> [BagMetadata.FileRecord] {
        var described: [String: BagMetadata.FileRecord] = [:]
        for file in try list(map["files"]) {
            guard let name = try string(file["path"]) else { throw damage(file["path"].place, "a file name", file) }
            let count = try integer(file["message_count"])
            let times = try times(file, messageCount: count)
            described[name] = BagMetadata.FileRecord(path: name, times: times, messageCount: Int(count ?? 0))
        }
        var records: [BagMetadata.FileRecord] = []
        for entry in try list(map["relative_file_paths"]) {
            guard let name = entry.writtenText, !name.isEmpty else { throw damage(entry.place, "a file name", entry) }
            // rosbag2's recorder names a compressed file here, and in `files` what it was before.
            var record = described[name] ?? BagFileSelection.plainName(of: name).flatMap { described[$0] }
            record?.path = name
            records.append(record ?? BagMetadata.FileRecord(path: name))
        }
        return records
    }

    private func times(_ map: MetadataNode, messageCount: Int64?) throws(BagError) -> TimeSpan? {
        // What is no map says nothing of times.
        guard messageCount != 0, map["starting_time"].isMap, map["duration"].isMap,
            let first = try integer(map["starting_time"]["nanoseconds_since_epoch"]),
            let span = try integer(map["duration"]["nanoseconds"])
        else { return nil }
        let (last, overflow) = first.addingReportingOverflow(span)
        return overflow ? nil : TimeSpan(first: first, last: last)
    }

    /// QoS as text: the string of versions 4 to 8 as it is, the sequence of version 9 written out again.
    private func qosText(_ value: MetadataNode) throws(BagError) -> String {
        if let text = value.writtenText { return text == "~" ? "" : text }
        guard !value.elements.isEmpty else { return "" }
        do {
            return try value.yaml()
        } catch {
            throw damage("offered_qos_profiles", "a list of profiles", value)
        }
    }

    private func strings(_ map: MetadataNode) throws(BagError) -> [String: String] {
        guard !map.isNull else { return [:] }
        guard map.isMap else { throw damage(map.place, "a map of strings", map) }
        var result: [String: String] = [:]
        for (name, value) in map.pairs {
            guard let name, let text = value.writtenText else { throw damage(map.place, "a map of strings", value) }
            result[name] = text
        }
        return result
    }

    private func list(_ value: MetadataNode) throws(BagError) -> [MetadataNode] {
        guard value.isNull || value.isList else { throw damage(value.place, "a list", value) }
        return value.elements
    }

    private func string(_ value: MetadataNode) throws(BagError) -> String? {
        guard value.string != nil || !value.exists else { throw damage(value.place, "a string", value) }
        return value.string
    }

    private func integer(_ value: MetadataNode) throws(BagError) -> Int64? {
        guard value.exists else { return nil }
        guard let number = value.writtenText.flatMap({ Int64($0) }) else {
            throw damage(value.place, "an integer", value)
        }
        return number
    }

    private func damage(_ place: String, _ expected: String, _ value: MetadataNode) -> BagError {
        let (line, found) = value.found
        return .damaged(path, place: (line.map { "line \($0), " } ?? "") + place, expected: expected, found: found)
    }
}
