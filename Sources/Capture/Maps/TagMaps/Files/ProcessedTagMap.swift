package import Recording
package import Text

/// A map as Invisible Map's server hands it to the navigation app: where tags, poses and named places are.
package struct ProcessedTagMap: Sendable {
    /// World from tag, by its number.
    package private(set) var tags: [Int64: Transform] = [:]
    /// The covariance of (translation, rotation) in the tag's axes, in maps that have it.
    package private(set) var covariances: [Int64: Matrix6] = [:]
    /// The poses of the walks, and where one can go from each.
    package private(set) var walkways = Walkways([])
    package var poseCount: Int { walkways.places.count }
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
            // Where one number hangs in several places, the first is the tag.
            guard self.tags[id] == nil else { continue }
            self.tags[id] = pose
            let numbers = (value["covariance"]?.array ?? []).compactMap(\.number).filter(\.isFinite)
            if numbers.count == 36 { covariances[id] = Matrix6(rowMajor: numbers) }
        }
        walkways = Walkways(vertices: places(root["odometry_vertices"]?.array ?? []))
        for (index, value) in (root["waypoints_vertices"]?.array ?? []).enumerated() {
            let place = "waypoints_vertices[\(index)]"
            guard let pose = transform(value, place), let name = value["id"]?.string else { continue }
            waypoints[name] = pose
        }
    }

    /// Numbers, poses and numbers of neighbours.
    private mutating func places(_ vertices: [JSONValue]) -> [(id: Int64, pose: Transform, neighbours: [Int64])] {
        vertices.enumerated().compactMap { index, value in
            let place = "odometry_vertices[\(index)]"
            guard let pose = transform(value, place) else { return nil }
            guard let id = value["poseId"]?.integer else {
                problems.note(.field, place, expected: "a poseId that is a number", found: "none")
                return nil
            }
            return (id, pose, (value["neighbors"]?.array ?? []).compactMap(\.integer))
        }
    }

    private mutating func transform(_ value: JSONValue, _ place: String) -> Transform? {
        let place3 = ["x", "y", "z"].map { value["translation"]?[$0]?.number ?? .nan }
        let turn = ["x", "y", "z", "w"].map { value["rotation"]?[$0]?.number ?? .nan }
        let rotation = Quaternion(x: turn[0], y: turn[1], z: turn[2], w: turn[3])
        guard place3.allSatisfy({ abs($0) <= 100_000 }), rotation.norm > 0.5, rotation.norm < 2 else {
            problems.note(.pose, place, expected: "translation and a unit quaternion", found: "others")
            return nil
        }
        return Transform(rotation: rotation.normalized, translation: Vector3(place3[0], place3[1], place3[2]))
    }
}

/// A processed map as Invisible Map's app reads it: neighbours are always lists there.
extension SolvedTagMap {
    /// - Parameter walkways: The poses of all walks, and where one can go from each.
    package func json(_ walkways: Walkways) -> JSONValue {
        .object([
            "generated_from": .string(RawTagMap.generator),
            "tag_vertices": .array(tags.map(json)),
            "odometry_vertices": .array(
                walkways.places.indices.map { index in
                    let place = walkways.places[index]
                    return .object(
                        Self.members(place.pose, ("poseId", .integer(index))) + [
                            ("adjChi2", .number(0)), ("vizTags", .number(Double(place.visibleTags))),
                            ("neighbors", .array(place.neighbours.map { .integer($0) })),
                        ]
                    )
                }
            ),
            "waypoints_vertices": .array(
                waypoints.map { .object(Self.members($0.worldFromWaypoint, ("id", .string($0.name)))) }
            ),
        ])
    }

    private func json(_ tag: Tag) -> JSONValue {
        var members = Self.members(tag.worldFromTag, ("id", .integer(tag.key.id)))
        if tag.key.copy > 0 { members.append(("copy", .integer(tag.key.copy))) }
        members.append(("sightings", .integer(tag.sightings)))
        if let edge = edgeMetres[tag.key.id] { members.append(("edge_m", .number(edge))) }
        if let covariance = tag.covariance { members.append(("covariance", .numbers(covariance.rows.flatMap(\.self)))) }
        return .object(members)
    }

    private static func members(_ pose: Transform, _ id: (String, JSONValue)) -> [(String, JSONValue)] {
        let (t, q) = (pose.translation, pose.rotation)
        return [
            id, ("translation", .object(["x": .number(t.x), "y": .number(t.y), "z": .number(t.z)])),
            ("rotation", .object(["x": .number(q.x), "y": .number(q.y), "z": .number(q.z), "w": .number(q.w)])),
        ]
    }
}
