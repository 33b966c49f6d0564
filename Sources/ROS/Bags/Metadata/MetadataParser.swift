import Containers
import SystemPackage
import YAMLText
import Yams

/// Reads metadata.yaml of versions 1 to 9, from any recorder.
///
/// Tolerant where rosbag2 is strict: a key that a version obliges and that is missing gets its neutral value, because the
/// rows themselves say it better. What is there must have the right form.
struct MetadataParser {
    private let path: FilePath

    /// - Parameter path: for errors only.
    static func parse(_ text: String, path: FilePath) throws(BagError) -> BagMetadata {
        let parser = MetadataParser(path: path)
        let root = try parser.compose(text)
        guard let information = root?.mapping?["rosbag2_bagfile_information"]?.mapping else {
            throw parser.damage("rosbag2_bagfile_information", "a map", root?.mapping?["rosbag2_bagfile_information"])
        }
        return try parser.bag(information)
    }

    /// The inner map alone, as the table `metadata` of a .db3 and the record `rosbag2` of an .mcap hold it.
    static func parse(inner text: String, path: FilePath) throws(BagError) -> BagMetadata {
        let parser = MetadataParser(path: path)
        let root = try parser.compose(text)
        guard let information = root?.mapping else { throw parser.damage("metadata", "a map", root) }
        return try parser.bag(information["rosbag2_bagfile_information"]?.mapping ?? information)
    }

    private func compose(_ text: String) throws(BagError) -> Node? {
        do {
            return try YAMLText.compose(text)
        } catch let error as YAMLCostError {
            throw .damaged(path, place: "text", expected: error.expected, found: error.found)
        } catch {
            throw syntaxError(error)
        }
    }

    private func bag(_ map: Node.Mapping) throws(BagError) -> BagMetadata {
        let version = Int(try integer(map, "version", "") ?? 1)
        guard (1...9).contains(version) else {
            throw .unsupported(path, what: "metadata of version \(version)")
        }
        let files = try files(map)
        return BagMetadata(
            version: version,
            storageIdentifier: try string(map, "storage_identifier", "") ?? "",
            times: try times(map, "", messageCount: try integer(map, "message_count", "")),
            messageCount: Int(try integer(map, "message_count", "") ?? 0),
            topics: try topics(map),
            files: files,
            compressionFormat: try string(map, "compression_format", "") ?? "",
            compressionMode: (try string(map, "compression_mode", "") ?? "").lowercased(),
            customData: try strings(map, "custom_data"),
            distribution: try string(map, "ros_distro", "") ?? ""
        )
    }

    private func topics(_ map: Node.Mapping) throws(BagError) -> [BagMetadata.TopicRecord] {
        var records: [BagMetadata.TopicRecord] = []
        for (index, node) in try list(map, "topics_with_message_count").enumerated() {
            let place = "topics_with_message_count[\(index)]."
            guard let outer = node.mapping, let inner = outer["topic_metadata"]?.mapping else {
                throw damage(place + "topic_metadata", "a map", node)
            }
            guard let name = try string(inner, "name", place), let type = try string(inner, "type", place) else {
                throw damage(place + "topic_metadata", "name and type", node)
            }
            records.append(
                BagMetadata.TopicRecord(
                    name: name,
                    typeName: type,
                    serializationFormat: try string(inner, "serialization_format", place) ?? "cdr",
                    qosText: try qosText(inner["offered_qos_profiles"]),
                    typeHash: try string(inner, "type_description_hash", place) ?? "",
                    messageCount: Int(try integer(outer, "message_count", place) ?? 0)
                )
            )
        }
        return records
    }

    /// The files in playing order, with what `files` (from version 5) says of them.
    private func files(_ map: Node.Mapping) throws(BagError) -> [BagMetadata.FileRecord] {
        var described: [String: BagMetadata.FileRecord] = [:]
        for (index, node) in try list(map, "files").enumerated() {
            let place = "files[\(index)]."
            guard let file = node.mapping, let name = try string(file, "path", place) else {
                throw damage(place + "path", "a file name", node)
            }
            let count = try integer(file, "message_count", place)
            described[name] = BagMetadata.FileRecord(
                path: name,
                times: try times(file, place, messageCount: count),
                messageCount: Int(count ?? 0)
            )
        }
        var records: [BagMetadata.FileRecord] = []
        for (index, node) in try list(map, "relative_file_paths").enumerated() {
            guard let name = node.scalar?.string, !name.isEmpty else {
                throw damage("relative_file_paths[\(index)]", "a file name", node)
            }
            // rosbag2's recorder names a compressed file here, and in `files` what it was before.
            var record = described[name] ?? BagFileSelection.plainName(of: name).flatMap { described[$0] }
            record?.path = name
            records.append(record ?? BagMetadata.FileRecord(path: name))
        }
        return records
    }

    private func times(
        _ map: Node.Mapping,
        _ place: String,
        messageCount: Int64?
    ) throws(BagError) -> TimeSpan? {
        guard messageCount != 0,
            let start = map["starting_time"]?.mapping, let duration = map["duration"]?.mapping,
            let first = try integer(start, "nanoseconds_since_epoch", place + "starting_time."),
            let span = try integer(duration, "nanoseconds", place + "duration.")
        else { return nil }
        let (last, overflow) = first.addingReportingOverflow(span)
        return overflow ? nil : TimeSpan(first: first, last: last)
    }

    /// QoS as text: the string of versions 4 to 8 as it is, the sequence of version 9 written out again.
    private func qosText(_ node: Node?) throws(BagError) -> String {
        guard let node else { return "" }
        if let scalar = node.scalar { return scalar.string == "~" ? "" : scalar.string }
        guard node.sequence?.isEmpty == false else { return "" }
        do {
            return try Yams.serialize(node: node)
        } catch {
            throw damage("offered_qos_profiles", "a list of profiles", node)
        }
    }

    private func strings(_ map: Node.Mapping, _ key: String) throws(BagError) -> [String: String] {
        guard let node = map[key], !isNull(node) else { return [:] }
        guard let pairs = node.mapping else { throw damage(key, "a map of strings", node) }
        var result: [String: String] = [:]
        for (name, value) in pairs {
            guard let name = name.scalar?.string, let value = value.scalar?.string else {
                throw damage(key, "a map of strings", value)
            }
            result[name] = value
        }
        return result
    }

    private func list(_ map: Node.Mapping, _ key: String) throws(BagError) -> Node.Sequence {
        guard let node = map[key], !isNull(node) else { return [] }
        guard let sequence = node.sequence else { throw damage(key, "a list", node) }
        return sequence
    }

    private func string(_ map: Node.Mapping, _ key: String, _ place: String) throws(BagError) -> String? {
        guard let node = map[key] else { return nil }
        guard let scalar = node.scalar else { throw damage(place + key, "a string", node) }
        return scalar.style == .plain && isNull(node) ? "" : scalar.string
    }

    private func integer(_ map: Node.Mapping, _ key: String, _ place: String) throws(BagError) -> Int64? {
        guard let node = map[key] else { return nil }
        guard let scalar = node.scalar, let value = Int64(scalar.string) else {
            throw damage(place + key, "an integer", node)
        }
        return value
    }

    private func isNull(_ node: Node) -> Bool {
        guard let scalar = node.scalar, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// libyaml's complaint without the text that Yams quotes.
    private func syntaxError(_ error: any Error) -> BagError {
        let (line, problem): (Int?, String) =
            switch error as? YamlError {
            case .scanner(_, let problem, let mark, _)?, .parser(_, let problem, let mark, _)?,
                .composer(_, let problem, let mark, _)?:
                (mark.line, problem)
            case .reader(let problem, _, _, _)?: (nil, problem)
            case .duplicatedKeysInMapping(let keys, _)?: (nil, "the key \"\(keys.first ?? "")\" twice")
            default: (nil, "what the parser cannot take")
            }
        return .damaged(path, place: line.map { "line \($0)" } ?? "text", expected: "YAML", found: problem)
    }

    private func damage(_ place: String, _ expected: String, _ node: Node?) -> BagError {
        let line = node?.mark.map { "line \($0.line), " } ?? ""
        let found =
            switch node {
            case .scalar(let scalar)?: "\"\(scalar.string.prefix(40))\""
            case .mapping?: "a map"
            case .sequence?: "a list"
            case .alias?: "an alias"
            case nil: "nothing"
            }
        return .damaged(path, place: line + place, expected: expected, found: found)
    }
}
