import Maps
import Messages
import Perception
import Text

/// Reads a profile from YAML: a base profile, and what is different from it.
///
///     base: record
///     frames: ros
///     conventions: {location: app}
///     topics:
///       /mapping/imu: {enabled: true, rate: 100}
///       /mapping/pointcloud/lidar: {rate: 10}
///     map: {voxel_size: 0.05}
///     pointcloud: {voxel_size: 0.05, max_depth: 4.0, outlier: radius}
///     remap: {/mapping/imu: /imu/data}
package enum ProfileFile {
    /// - Parameter file: the name for error messages.
    package static func parse(_ text: String, file: String) throws(ProfileError) -> Profile {
        let node: YAMLNode?
        do {
            node = try YAMLNode.parse(text)
        } catch {
            throw ProfileError(file: file, key: "", expected: error.expected, found: "\(error)")
        }
        guard let root = node, root.mapping != nil else {
            throw ProfileError(
                file: file,
                key: "",
                expected: "a mapping",
                found: node == nil ? "nothing" : "no mapping"
            )
        }
        let reader = Reader(file: file)
        try reader.checkKeys(
            root,
            "",
            allowed: ["base", "frames", "conventions", "topics", "pointcloud", "map", "remap", "name"]
        )
        let baseName = try reader.text(root["base"], "base") ?? "record"
        guard var profile = Profile.named(baseName) else {
            throw ProfileError(
                file: file,
                key: "base",
                expected: Profile.names.joined(separator: ", "),
                found: baseName
            )
        }
        profile.name = try reader.text(root["name"], "name") ?? file
        if let word = try reader.text(root["frames"], "frames") {
            guard let frames = FramePolicy(rawValue: word) else {
                throw ProfileError(file: file, key: "frames", expected: "ros or app", found: word)
            }
            profile.axes = frames
        }
        try reader.conventions(root["conventions"], into: &profile.conventions)
        for (key, value) in try reader.mapping(root["topics"], "topics") {
            try reader.topic(key, value, into: &profile)
        }
        try reader.clouds(root["pointcloud"], into: &profile.clouds)
        try reader.map(root["map"], into: &profile.map)
        for (key, value) in try reader.mapping(root["remap"], "remap") {
            profile.remaps.append(TopicRemap(from: key, to: try reader.text(value, "remap: \(key)") ?? key))
        }
        return profile
    }
}

private struct Reader {
    let file: String

    func error(_ key: String, _ expected: String, _ found: String) -> ProfileError {
        ProfileError(file: file, key: key, expected: expected, found: found)
    }

    func checkKeys(_ mapping: YAMLNode, _ place: String, allowed: [String]) throws(ProfileError) {
        for pair in mapping.mapping ?? [] {
            let name = pair.key.scalar ?? "?"
            if !allowed.contains(name) {
                throw error(
                    place.isEmpty ? name : "\(place): \(name)",
                    "one of \(allowed.joined(separator: ", "))",
                    name
                )
            }
        }
    }

    func text(_ node: YAMLNode?, _ key: String) throws(ProfileError) -> String? {
        guard let node else { return nil }
        guard let text = node.scalar else { throw error(key, "a word", "a list or mapping") }
        return text
    }

    func number(_ node: YAMLNode?, _ key: String, in range: ClosedRange<Double>) throws(ProfileError) -> Double? {
        guard let text = try text(node, key) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw error(key, "a number from \(range.lowerBound) to \(range.upperBound)", text)
        }
        return value
    }

    func bool(_ node: YAMLNode?, _ key: String) throws(ProfileError) -> Bool? {
        guard let text = try text(node, key) else { return nil }
        switch text {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error(key, "true or false", text)
        }
    }

    /// The pairs of a mapping in the order of the file.
    func mapping(_ node: YAMLNode?, _ key: String) throws(ProfileError) -> [(String, YAMLNode)] {
        guard let node else { return [] }
        guard let mapping = node.mapping else { throw error(key, "a mapping", "something else") }
        var pairs: [(String, YAMLNode)] = []
        for pair in mapping {
            guard let name = pair.key.scalar else { throw error(key, "names as keys", "something else") }
            pairs.append((name, pair.value))
        }
        return pairs
    }

    func topic(_ name: String, _ node: YAMLNode, into profile: inout Profile) throws(ProfileError) {
        let place = "topics: \(name)"
        guard let kind = TopicKind(rawValue: name), kind != .clock else {
            throw error(place, "a topic of `mapeverything topics`", name)
        }
        // `/mapping/imu: true` is short for `{enabled: true}`.
        if node.scalar != nil {
            let isEnabled = try bool(node, place) ?? true
            profile.topics[kind] = isEnabled ? profile.topics[kind] ?? .init() : nil
            return
        }
        guard node.mapping != nil else { throw error(place, "true, false or {enabled, rate}", "a list") }
        try checkKeys(node, place, allowed: ["enabled", "rate"])
        let rate = try number(node["rate"], "\(place): rate", in: 0...10_000)
        let isEnabled = try bool(node["enabled"], "\(place): enabled") ?? true
        profile.topics[kind] = isEnabled ? .init(rateHertz: rate ?? profile.topics[kind]?.rateHertz) : nil
    }

    func conventions(_ node: YAMLNode?, into conventions: inout Conventions) throws(ProfileError) {
        for (key, value) in try mapping(node, "conventions") {
            let place = "conventions: \(key)"
            switch key {
            case "imu": conventions.imu = try word(value, place)
            case "location": conventions.location = try word(value, place)
            case "cloud_colour": conventions.cloudColour = try word(value, place)
            case "cloud_frame": conventions.cloudFrame = try word(value, place)
            case "image_format": conventions.imageFormat = try word(value, place)
            case "relative_depth": conventions.relativeDepth = try word(value, place)
            case "heading": conventions.heading = try word(value, place)
            default:
                throw error(
                    place,
                    "imu, location, cloud_colour, cloud_frame, image_format, relative_depth, heading",
                    key
                )
            }
        }
    }

    /// One of the words of a choice.
    private func word<Choice: RawRepresentable & CaseIterable>(
        _ node: YAMLNode,
        _ key: String
    ) throws(ProfileError) -> Choice where Choice.RawValue == String {
        let text = try text(node, key) ?? ""
        guard let choice = Choice(rawValue: text) else {
            throw error(key, Choice.allCases.map(\.rawValue).joined(separator: " or "), text)
        }
        return choice
    }

    func wholeNumber(_ node: YAMLNode?, _ key: String, in range: ClosedRange<Int>) throws(ProfileError) -> Int? {
        guard let text = try text(node, key) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw error(key, "a whole number from \(range.lowerBound) to \(range.upperBound)", text)
        }
        return value
    }

    func map(_ node: YAMLNode?, into parameters: inout MapParameters) throws(ProfileError) {
        for (key, value) in try mapping(node, "map") {
            let place = "map: \(key)"
            switch key {
            case "voxel_size": parameters.voxelSizeMetres = try number(value, place, in: 0.005...1) ?? 0.04
            case "max_memory_mb":
                parameters.maximumBytes = try (wholeNumber(value, place, in: 1...1_000_000) ?? 256) * 1_000_000
            default: throw error(place, "voxel_size, max_memory_mb", key)
            }
        }
    }

    func clouds(_ node: YAMLNode?, into parameters: inout CloudParameters) throws(ProfileError) {
        var outlier = OutlierRequest()
        for (key, value) in try mapping(node, "pointcloud") {
            let place = "pointcloud: \(key)"
            switch key {
            case "voxel_size": parameters.voxelSizeMetres = try number(value, place, in: 0...100)
            case "voxel_point":
                let word = try text(value, place) ?? ""
                guard let point = CloudParameters.VoxelPoint(rawValue: word) else {
                    throw error(place, "first or centroid", word)
                }
                parameters.voxelPoint = point
            case "min_depth": parameters.minimumDepthMetres = try number(value, place, in: 0...1000) ?? 0
            case "max_depth": parameters.maximumDepthMetres = try number(value, place, in: 0...1000) ?? 0
            case "min_confidence":
                parameters.minimumConfidence = UInt8(try wholeNumber(value, place, in: 0...2) ?? 0)
            case "edge_filter": parameters.edgeFilter = try bool(value, place) ?? true
            case "stride": parameters.stride = try wholeNumber(value, place, in: 1...64) ?? 1
            case "bounding_box": parameters.maximumRangeMetres = try number(value, place, in: 0...100_000)
            case "outlier":
                let word = try text(value, place) ?? ""
                guard let filter = OutlierChoice(rawValue: word) else {
                    throw error(place, OutlierChoice.allCases.map(\.rawValue).joined(separator: ", "), word)
                }
                outlier.choice = filter
            case "outlier_voxel": outlier.sizeMetres = try number(value, place, in: 0...100)
            case "outlier_neighbours": outlier.minimum = try wholeNumber(value, place, in: 0...1_000_000)
            default:
                throw error(
                    place,
                    "voxel_size, voxel_point, min_depth, max_depth, min_confidence, edge_filter, stride, bounding_box, "
                        + "outlier, outlier_voxel, outlier_neighbours",
                    key
                )
            }
        }
        if outlier.contradictsItself {
            throw error("pointcloud: outlier", "a filter for outlier_voxel and outlier_neighbours", "off")
        }
        outlier.apply(to: &parameters.outlierFilter)
        do throws(CloudError) {
            try parameters.validate()
        } catch {
            throw self.error("pointcloud", "parameters that go together", "\(error)")
        }
    }
}
