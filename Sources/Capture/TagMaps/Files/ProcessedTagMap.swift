package import JSONText
package import Recording

/// A map as Invisible Map's server hands it to the navigation app: where tags, poses and named places are.
package struct ProcessedTagMap: Sendable {
    /// World from tag, by its number.
    package private(set) var tags: [Int64: Transform] = [:]
    package private(set) var poseCount = 0
    package private(set) var waypoints: [String: Transform] = [:]
    package private(set) var problems = TagMapProblems()

    /// Reads a processed map; what is damaged in it is counted and left out.
    package init(_ root: JSONValue) throws(TagMapError) {
        guard let tags = root["tag_vertices"]?.array else {
            let keys = (root.object?.keys ?? []).prefix(5).joined(separator: ", ")
            throw TagMapError("a processed map with tag_vertices", found: keys.isEmpty ? "none" : "keys \(keys)")
        }
        for (index, value) in tags.enumerated() {
            let place = "tag_vertices[\(index)]"
            guard let pose = transform(value, place) else { continue }
            guard let id = value["id"]?.integer else {
                problems.note(.field, place, expected: "an id that is a number", found: "none")
                continue
            }
            self.tags[id] = pose
        }
        poseCount = root["odometry_vertices"]?.array?.count ?? 0
        for (index, value) in (root["waypoints_vertices"]?.array ?? []).enumerated() {
            let place = "waypoints_vertices[\(index)]"
            guard let pose = transform(value, place), let name = value["id"]?.string else { continue }
            waypoints[name] = pose
        }
    }

    private mutating func transform(_ value: JSONValue, _ place: String) -> Transform? {
        let place3 = ["x", "y", "z"].map { value["translation"]?[$0]?.number ?? .nan }
        let turn = ["x", "y", "z", "w"].map { value["rotation"]?[$0]?.number ?? .nan }
        let rotation = Quaternion(x: turn[0], y: turn[1], z: turn[2], w: turn[3])
        guard place3.allSatisfy(\.isFinite), rotation.norm > 0.5, rotation.norm < 2 else {
            problems.note(.pose, place, expected: "translation and a unit quaternion", found: "others")
            return nil
        }
        return Transform(
            rotation: rotation.normalized,
            translation: Vector3(place3[0], place3[1], place3[2])
        )
    }
}
