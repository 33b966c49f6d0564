import Recording
import TagMaps

/// A place that is named on the command line: `door=12.5`, `door=2/12.5`.
struct TagWaypointOption {
    private let text: String
    private let name: String
    private let walk: Int
    private let seconds: Double

    init(_ text: String) throws(UsageError) {
        self.text = text
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts.last?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, !parts[0].isEmpty, (1...2).contains(place.count),
            let seconds = Double(place[place.count - 1]), seconds.isFinite,
            let walk = place.count == 2 ? Int(place[0]) : 1
        else {
            throw UsageError("--waypoint", expected: "NAME=SECONDS or NAME=WALK/SECONDS", found: text)
        }
        (name, self.walk, self.seconds) = (String(parts[0]), walk, seconds)
    }

    /// Adds the pose that is nearest in time.
    func add(to inputs: inout [TagWalkInput]) throws(UsageError) {
        guard (1...max(1, inputs.count)).contains(walk), !inputs.isEmpty else {
            throw UsageError("--waypoint", expected: "a walk from 1 to \(inputs.count)", found: text)
        }
        let poses = inputs[walk - 1].walk.poses
        guard let first = poses.first, let last = poses.last,
            (0...max(0, last.seconds - first.seconds)).contains(seconds)
        else {
            let span = Format.seconds((poses.last?.seconds ?? 0) - (poses.first?.seconds ?? 0))
            throw UsageError("--waypoint", expected: "a time within the walk, which has \(span)", found: text)
        }
        let time = first.seconds + seconds
        let nearest = poses.indices.min { abs(poses[$0].seconds - time) < abs(poses[$1].seconds - time) } ?? 0
        inputs[walk - 1].walk.waypoints.append(
            RawTagMap.Waypoint(name: name, pose: nearest, cameraFromWaypoint: .identity)
        )
    }
}
