/// Options that say how messages are made of a session, and so mean nothing for a bag, which has messages.
extension PublishingOptions {
    /// Those that were given.
    var givenForSessions: [String] {
        let own = [
            ("--profile", profile != nil), ("--frames", frames != nil), ("--epoch", epoch != nil),
            ("--timezone", timezone != nil), ("--heading", heading != nil), ("--geoid", geoid != nil),
            ("--keep-limited-tracking", keepLimitedTracking),
            ("--calibration", calibration != nil), ("-j", jobs != nil),
        ]
        return own.filter(\.1).map(\.0) + clouds.given
    }

    /// Refuses them for a bag.
    func refuseForBag(_ path: String) throws(UsageError) {
        let given = givenForSessions
        guard given.isEmpty else {
            throw UsageError(
                given.joined(separator: ", "),
                expected: "a session to make messages of",
                found: "the bag \(path)"
            )
        }
    }
}

extension CloudOptions {
    fileprivate var given: [String] {
        let all = [
            ("--min-confidence", minConfidence != nil), ("--min-depth", minDepth != nil),
            ("--max-depth", maxDepth != nil), ("--voxel-size", voxelSize != nil),
            ("--voxel-point", voxelPoint != nil), ("--outlier", outlier != nil),
            ("--outlier-voxel", outlierVoxel != nil), ("--outlier-neighbours", outlierNeighbours != nil),
            ("--edge-filter", edgeFilter != nil), ("--colour", colour != nil),
        ]
        return all.filter(\.1).map(\.0)
    }
}
