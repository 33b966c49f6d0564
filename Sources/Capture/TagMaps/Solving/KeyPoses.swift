import Recording

/// Which poses of a walk the graph has: enough to follow it, and all that tell something new of a tag.
struct KeyPoses {
    private static let metres = 0.1
    private static let radians = 5 * Double.pi / 180
    private static let seconds = 0.5

    /// Ascending; the first and the last pose are always there.
    private(set) var indices: [Int] = []

    /// - Parameters:
    ///   - tags: By pose, the tags that are seen from it.
    ///   - wanted: Poses that are there whatever they see.
    init(_ poses: [RawTagMap.Pose], tags: [Int: [Int64]], wanted: Set<Int> = []) {
        var lastSeen: [Int64: Int] = [:]
        func isNew(_ pose: Int, since other: Int) -> Bool {
            let step = poses[other].worldFromCamera.inverse * poses[pose].worldFromCamera
            return step.translation.length >= Self.metres || step.rotation.angleRadians >= Self.radians
                || poses[pose].seconds - poses[other].seconds >= Self.seconds - 1e-6
        }
        for pose in poses.indices {
            let seen = tags[pose] ?? []
            // What a standing camera sees again and again is one sighting, not hundreds.
            let showsNew = seen.contains { tag in lastSeen[tag].map { isNew(pose, since: $0) } ?? true }
            let isKey = indices.last.map { isNew(pose, since: $0) } ?? true
            guard isKey || showsNew || wanted.contains(pose) || pose == poses.count - 1 else { continue }
            indices.append(pose)
            for tag in seen { lastSeen[tag] = pose }
        }
    }
}
