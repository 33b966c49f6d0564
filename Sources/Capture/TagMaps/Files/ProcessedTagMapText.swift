package import JSONText
import Recording

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
            (
                "rotation",
                .object(["x": .number(q.x), "y": .number(q.y), "z": .number(q.z), "w": .number(q.w)])
            ),
        ]
    }
}
