import Numbers
import Recording

/// Which sightings are kept back from a map that others judge: fifths of them, each of stretches of the walk.
///
/// Sightings of one tag in one go agree whatever the map is, so they stay together. Stretches are left out as a whole, as
/// sightings just before and after tell where the walk was even in a map that is bent elsewhere.
struct HeldOutSightings {
    typealias Key = SolvedTagMap.SightingKey

    private static let folds = 5
    private static let stretches = 15
    /// A tag that is not seen for longer is passed again.
    private static let gapSeconds = 10.0

    /// The folds: passes, and the sightings of each.
    private(set) var folds = [[[Key]]](repeating: [], count: folds)

    init(_ walks: [RawTagMap], _ sightings: [TagSightings], _ members: [Int]) {
        var passes: [[Key]] = []
        for walk in members {
            var last: [Int64: (pass: Int, seconds: Double)] = [:]
            for (place, sighting) in sightings[walk].sightings.enumerated() {
                let detection = walks[walk].detections[sighting.detection]
                let seconds = walks[walk].poses[detection.pose].seconds
                let before = last[detection.tag].flatMap { abs(seconds - $0.seconds) > Self.gapSeconds ? nil : $0.pass }
                if before == nil { passes.append([]) }
                let pass = before ?? passes.count - 1
                passes[pass].append(Key(walk: walk, sighting: place))
                last[detection.tag] = (pass, seconds)
            }
        }
        let count = min(Self.stretches, passes.count)
        for (index, pass) in passes.enumerated() { folds[index * count / passes.count % Self.folds].append(pass) }
    }
}

extension SolvedTagMap.Prediction {
    /// True if maps predict so much better that it cannot be chance: by half, or at all where the tracking jumped, so that
    /// the recorded poses are wrong for certain.
    func isClear(jumps: Int) -> Bool { mapMetres.map { $0 < recordedMetres * (jumps > 0 ? 1 : 0.5) } ?? false }

    /// - Parameter errors: The errors of each pass, by recorded poses and by a map.
    init?(_ errors: [(recorded: Double, map: Double?)]) {
        guard !errors.isEmpty else { return nil }
        // What both miss by most may be a wild detection, or a number that hangs in two places: it says nothing of either.
        func least(_ error: (recorded: Double, map: Double?)) -> Double {
            min(error.recorded, error.map ?? error.recorded)
        }
        let sorted = errors.sorted { least($0) < least($1) }
        let limit = max(1, 10 * (sorted.map(least).quantile(0.5) ?? 0))
        let most = sorted.count < 5 ? sorted.count : sorted.count - (sorted.count + 9) / 10
        let counted = sorted.prefix(most).filter { least($0) <= limit }
        passes = errors.count
        recordedMetres = counted.reduce(0) { $0 + $1.recorded } / Double(counted.count)
        let maps = counted.compactMap(\.map)
        if maps.count == counted.count { mapMetres = maps.reduce(0, +) / Double(maps.count) }
    }
}
