import Perception
package import Recording

/// Tags and location fixes that a walk saw, for its refinement.
package struct Landmarks: Sendable {
    /// Sightings of tags and fixes, by pose of the session.
    package var walk: RawTagMap
    /// Where tags are in a map of them, which may be in any world; empty where tags are only known to stay where they are.
    package var mapFromTags: [Int64: Transform]
    package var noise = TagMapNoise()

    package init(_ walk: RawTagMap, mapFromTags: [Int64: Transform] = [:]) {
        (self.walk, self.mapFromTags) = (walk, mapFromTags)
    }
}

/// Tags that were seen again, as loops: two submaps that saw one tag, or two tags of a map, say how they lie to each other.
struct LandmarkLoops {
    /// The deviation of tags in a map.
    private static let mapMetres = 0.01
    private static let mapRadians = 0.5 * Double.pi / 180
    /// What a pose adds for a metre of the way between the frame and its submap.
    private static let share = 0.02

    private struct Sight {
        var place: Int
        var tag: Int64
        var anchorFromTag: Transform
        var covariance: Matrix6
        /// Of the way from the frame to the submap.
        var metres: Double
    }

    private(set) var loops: [LoopClosure] = []
    private(set) var fixes: [(place: Int, sample: LocationSample)] = []

    /// - Parameter anchors: The places of the submaps in the walk.
    init(_ landmarks: Landmarks, _ walk: RecordedWalk, anchors: [Int]) {
        guard !anchors.isEmpty else { return }
        func submap(of place: Int) -> Int {
            let next = anchors.sortedIndex { $0 > place }
            guard next > 0 else { return 0 }
            guard next < anchors.count else { return anchors.count - 1 }
            let isBefore =
                walk.metres[place] - walk.metres[anchors[next - 1]] < walk.metres[anchors[next]] - walk.metres[place]
            return isBefore ? next - 1 : next
        }
        func place(_ pose: Int) -> Int? {
            let seconds = landmarks.walk.poses[pose].seconds
            let next = walk.poses.sortedIndex { $0.time.seconds >= seconds - 1e-6 }
            guard next < walk.poses.count, abs(walk.poses[next].time.seconds - seconds) < 1e-3 else { return nil }
            return next
        }
        fixes = landmarks.walk.fixes.compactMap { fix in place(fix.pose).map { (submap(of: $0), fix.sample) } }
        var best: [Int: [Int64: Sight]] = [:]
        for sighting in TagSightings(landmarks.walk, noise: landmarks.noise).sightings {
            let detection = landmarks.walk.detections[sighting.detection]
            guard let frame = place(detection.pose) else { continue }
            let number = submap(of: frame)
            let sight = Sight(
                place: number,
                tag: detection.tag,
                anchorFromTag: walk.smooth[anchors[number]].inverse * walk.smooth[frame] * sighting.cameraFromTag,
                covariance: sighting.covariance,
                metres: abs(walk.metres[frame] - walk.metres[anchors[number]])
            )
            // One of each submap: what a standing camera sees again and again is one sighting.
            let known = best[number]?[detection.tag]
            guard known.map({ sight.metres < $0.metres }) ?? true else { continue }
            best[number, default: [:]][detection.tag] = sight
        }
        let sights = best.sorted { $0.key < $1.key }.flatMap { $0.value.sorted { $0.key < $1.key }.map(\.value) }
        join(sights, landmarks.mapFromTags)
    }

    /// Joins each sight with the last one of its tag, and with the first one; of tags of a map with those of any.
    private mutating func join(_ sights: [Sight], _ map: [Int64: Transform]) {
        var (first, last): ([Int64: Sight], [Int64: Sight]) = ([:], [:])
        for sight in sights {
            // Tags of a map are one thing.
            let key = map[sight.tag] == nil ? sight.tag : .min
            let others = [first[key], last[key]].compactMap { $0 }
            for (index, other) in others.enumerated() where index == 0 || other.place != others[0].place {
                if let loop = loop(other, sight, map) { loops.append(loop) }
            }
            if first[key] == nil { first[key] = sight }
            last[key] = sight
        }
    }

    private func loop(_ from: Sight, _ to: Sight, _ map: [Int64: Transform]) -> LoopClosure? {
        guard to.place - from.place >= LoopGraph.leastApart else { return nil }
        var between = Transform.identity
        var extra = Matrix6.zero
        if from.tag != to.tag {
            guard let a = map[from.tag], let b = map[to.tag] else { return nil }
            between = a.inverse * b
            extra = TagMapNoise.isotropic(metres: Self.mapMetres, radians: Self.mapRadians)
        }
        let way = Self.share * (from.metres + to.metres)
        // The first sighting's noise in the axes of the second one's tag.
        let ofFirst = from.covariance.moved(by: between.inverse)
        let ofTag = ofFirst + to.covariance + extra
        let covariance =
            ofTag.moved(by: to.anchorFromTag) + TagMapNoise.isotropic(metres: way + 0.002, radians: way * 0.6 + 0.001)
        return LoopClosure(
            from: from.place,
            to: to.place,
            measured: from.anchorFromTag * between * to.anchorFromTag.inverse,
            covariance: covariance,
            inlierShare: 1,
            surfaceMetres: 0,
            freeDirections: 0,
            isTag: true
        )
    }
}

extension Matrix6 {
    /// The covariance of (translation, rotation) in other axes, about their origin: the adjoint of the motion on both sides.
    fileprivate func moved(by targetFromSource: Transform) -> Matrix6 {
        let turn = Matrix3(targetFromSource.rotation)
        let adjoint = Matrix6(
            tt: turn,
            tr: Matrix3(crossing: targetFromSource.translation) * turn,
            rt: .zero,
            rr: turn
        )
        return adjoint * self * adjoint.transposed
    }
}
