import Recording

/// Which nodes of a graph are the poses of a walk.
struct WalkNodes {
    /// The key poses, as indices into the walk's poses, ascending; each is the node after that of the one before.
    let keys: [Int]
    let first: Int
    var jumps = 0

    init(keys: [Int], first: Int) {
        self.keys = keys
        self.first = first
    }

    /// The node of a pose; nil where it is no key pose.
    func node(_ pose: Int) -> Int? {
        guard let place = place(atOrBefore: pose), keys[place] == pose else { return nil }
        return first + place
    }

    /// The place in `keys` of the last key pose that is not after a pose.
    func place(atOrBefore pose: Int) -> Int? {
        let next = keys.firstIndex(sortedWhere: { $0 > pose })
        return next > 0 ? next - 1 : nil
    }

    /// All poses of the walk: those between two key poses move as both of them do, by time.
    ///
    /// - Parameter nodes: The poses of the graph's nodes.
    func poses(_ recorded: [RawTagMap.Pose], _ nodes: [Transform]) -> [Transform] {
        guard !keys.isEmpty else { return [] }
        func moved(_ place: Int, _ pose: Int) -> Transform {
            nodes[first + place] * recorded[keys[place]].worldFromCamera.inverse * recorded[pose].worldFromCamera
        }
        var place = 0
        return recorded.indices.map { pose in
            while place + 1 < keys.count, keys[place + 1] <= pose { place += 1 }
            guard keys[place] < pose, place + 1 < keys.count else { return moved(place, pose) }
            let (a, b) = (recorded[keys[place]].seconds, recorded[keys[place + 1]].seconds)
            let fraction = b > a ? max(0, min(1, (recorded[pose].seconds - a) / (b - a))) : 0
            return moved(place, pose).interpolated(to: moved(place + 1, pose), fraction: fraction)
        }
    }
}
