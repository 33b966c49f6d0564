package import SystemPackage

/// metadata.yaml as a file, for those who make one without writing a bag.
package enum BagMetadataFile {
    package static let name = metadataFileName

    /// The metadata of a bag's directory.
    package static func read(in directory: FilePath) throws(BagError) -> BagMetadata {
        let path = directory.appending(name)
        return try MetadataParser.parse(try readTextFile(path), path: path)
    }

    /// True if every key that a version obliges is there: rosbag2 refuses a file without one.
    ///
    /// The phone app names version 8 and leaves out what versions 7 and 8 brought.
    package static func hasObligatoryKeys(in directory: FilePath) throws(BagError) -> Bool {
        let text = try readTextFile(directory.appending(name))
        let metadata = try read(in: directory)
        var keys = ["duration", "starting_time", "message_count", "topics_with_message_count", "relative_file_paths"]
        if metadata.version >= 3 { keys += ["compression_format", "compression_mode"] }
        if metadata.version >= 5 { keys.append("files") }
        if metadata.version >= 6 { keys.append("custom_data") }
        if metadata.version >= 4, !metadata.topics.isEmpty { keys.append("offered_qos_profiles") }
        if metadata.version >= 7, !metadata.topics.isEmpty { keys.append("type_description_hash") }
        if metadata.version >= 8 { keys.append("ros_distro") }
        return keys.allSatisfy { text.contains("\($0):") }
    }

    /// The text of the file, in the form of its version.
    package static func text(_ metadata: BagMetadata) -> String { MetadataText.file(metadata) }

    /// The text that the table `metadata` of a .db3 holds.
    package static func tableText(_ metadata: BagMetadata) -> String { MetadataText.table(metadata) }
}
