/// Writes metadata.yaml in the form of the version that the metadata names, 5 to 9.
///
/// Every field that the version obliges is there, and none that came later. QoS is text up to version 8, a list from
/// version 9 on, which Humble and Iron refuse.
struct MetadataText {
    private var lines: [String] = []
    private let version: Int

    static func file(_ metadata: BagMetadata) -> String {
        var text = MetadataText(version: metadata.version)
        text.lines.append("rosbag2_bagfile_information:")
        text.appendInformation(metadata, indent: "  ")
        return text.lines.joined(separator: "\n") + "\n"
    }

    /// The inner map alone, as the table `metadata` of a .db3 holds it.
    static func table(_ metadata: BagMetadata) -> String {
        var text = MetadataText(version: metadata.version)
        text.appendInformation(metadata, indent: "")
        return text.lines.joined(separator: "\n")
    }

    private mutating func appendInformation(_ metadata: BagMetadata, indent: String) {
        lines.append("\(indent)version: \(metadata.version)")
        lines.append("\(indent)storage_identifier: \(yamlScalar(metadata.storageIdentifier))")
        appendTimes(metadata.times, messageCount: metadata.messageCount, indent: indent)
        lines.append("\(indent)message_count: \(metadata.messageCount)")
        appendTopics(metadata.topics, indent: indent)
        lines.append("\(indent)compression_format: \(yamlScalar(metadata.compressionFormat))")
        lines.append("\(indent)compression_mode: \(yamlScalar(metadata.compressionMode))")
        appendFiles(metadata.files, indent: indent)
        if version >= 6 { appendCustomData(metadata.customData, indent: indent) }
        if version >= 8 { lines.append("\(indent)ros_distro: \(yamlScalar(metadata.distribution))") }
    }

    /// Without messages both are zero, whatever was said before: the fields are obligatory, and negative ones are refused.
    private mutating func appendTimes(_ times: TimeSpan?, messageCount: Int, indent: String) {
        let times = messageCount == 0 ? nil : times
        lines.append("\(indent)duration:")
        lines.append("\(indent)  nanoseconds: \(times?.durationNanoseconds ?? 0)")
        lines.append("\(indent)starting_time:")
        lines.append("\(indent)  nanoseconds_since_epoch: \(times?.first ?? 0)")
    }

    private mutating func appendTopics(_ topics: [BagMetadata.TopicRecord], indent: String) {
        lines.append("\(indent)topics_with_message_count:\(topics.isEmpty ? " []" : "")")
        for topic in topics {
            lines.append("\(indent)  - topic_metadata:")
            lines.append("\(indent)      name: \(yamlScalar(topic.name))")
            lines.append("\(indent)      type: \(yamlScalar(topic.typeName))")
            lines.append("\(indent)      serialization_format: \(yamlScalar(topic.serializationFormat))")
            appendQoS(topic.qosText, indent: indent + "      ")
            if version >= 7 { lines.append("\(indent)      type_description_hash: \(yamlScalar(topic.typeHash))") }
            lines.append("\(indent)    message_count: \(topic.messageCount)")
        }
    }

    private mutating func appendQoS(_ text: String, indent: String) {
        guard version >= 9 else {
            return lines.append("\(indent)offered_qos_profiles: \(yamlScalar(text))")
        }
        let profiles = QoSProfile.profiles(text)
        lines.append("\(indent)offered_qos_profiles:\(profiles.isEmpty ? " []" : "")")
        for profile in profiles { lines += profile.lines(.names).map { "\(indent)  \($0)" } }
    }

    private mutating func appendFiles(_ files: [BagMetadata.FileRecord], indent: String) {
        let none = files.isEmpty ? " []" : ""
        lines.append("\(indent)relative_file_paths:\(none)")
        for file in files { lines.append("\(indent)  - \(yamlScalar(file.path))") }
        lines.append("\(indent)files:\(none)")
        for file in files {
            let times = file.messageCount == 0 ? nil : file.times
            lines.append("\(indent)  - path: \(yamlScalar(file.path))")
            lines.append("\(indent)    starting_time:")
            lines.append("\(indent)      nanoseconds_since_epoch: \(times?.first ?? 0)")
            lines.append("\(indent)    duration:")
            lines.append("\(indent)      nanoseconds: \(times?.durationNanoseconds ?? 0)")
            lines.append("\(indent)    message_count: \(file.messageCount)")
        }
    }

    private mutating func appendCustomData(_ data: [String: String], indent: String) {
        lines.append("\(indent)custom_data:\(data.isEmpty ? " {}" : "")")
        for (key, value) in data.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            lines.append("\(indent)  \(yamlScalar(key)): \(yamlScalar(value))")
        }
    }
}

/// A string as a YAML scalar that every parser takes for a string: plain where that is safe, else double-quoted.
func yamlScalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
}

/// Letters, digits and `_ / . -`, beginning with a letter or `/`, and no word that YAML 1.1 reads as something else.
private func isPlain(_ text: String) -> Bool {
    let reserved: Set<String> = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
    guard let first = text.utf8.first, isLetter(first) || first == UInt8(ascii: "/"),
        !reserved.contains(text.lowercased())
    else { return false }
    return text.utf8.allSatisfy { byte in
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}

private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

private func quoted(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    var result = String.UnicodeScalarView()
    result.append("\"")
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result.append(contentsOf: ["\\", scalar])
        case "\n": result.append(contentsOf: ["\\", "n"])
        case "\t": result.append(contentsOf: ["\\", "t"])
        case "\r": result.append(contentsOf: ["\\", "r"])
        default:
            // Control characters, and the separators that YAML takes for line breaks.
            if scalar.value < 0x20 || (0x7f...0xa0).contains(scalar.value) {
                let value = Int(scalar.value)
                result.append(contentsOf: ["\\", "x", digits[value >> 4], digits[value & 15]])
            } else if scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0xfeff {
                let value = Int(scalar.value)
                result.append(contentsOf: ["\\", "u"])
                for shift in [12, 8, 4, 0] { result.append(digits[value >> shift & 15]) }
            } else {
                result.append(scalar)
            }
        }
    }
    result.append("\"")
    return String(result)
}
