import Recording
import Sessions

/// Location fixes in a plane on the Earth, and how that plane lies in the world of a map.
struct EarthPlane {
    /// East, north and up of the first fix, in metres.
    struct Place {
        var local: Vector3
        var sigmaMetres: Vector3
    }

    /// Without an accuracy, or with one of more than this, a fix says nothing.
    private static let worstSigmaMetres = 100.0
    /// Heights above the sea count; where there is none, any will do.
    private static let unknownHeightSigmaMetres = 1e4

    let worldFromLocal: Transform
    /// The place of each fix; nil where it cannot be used.
    let places: [Place?]

    /// - Parameter fixes: Each with the place in the world (y up) that the walk says it was taken at.
    /// - Returns: nil where the fixes do not tell how the walk lies on the Earth.
    init?(_ fixes: [(sample: LocationSample, world: Vector3)]) {
        guard let first = fixes.first?.sample else { return nil }
        let earthFromLocal = Geodesy.earthFromLocal(
            latitudeDegrees: first.latitudeDegrees,
            longitudeDegrees: first.longitudeDegrees,
            heightMetres: 0
        )
        places = fixes.map { sample, _ in
            guard let sigma = sample.horizontalSigmaMetres, sigma <= Self.worstSigmaMetres else { return nil }
            let height = sample.altitudeMetres
            var local = earthFromLocal.inverse * sample.earthPosition(heightMetres: height ?? 0)
            local.z = height ?? 0
            let up = height == nil ? nil : sample.verticalSigmaMetres
            let level = max(sigma, TrackPoint.leastSigmaMetres)
            return Place(
                local: local,
                sigmaMetres: Vector3(level, level, max(up ?? Self.unknownHeightSigmaMetres, level))
            )
        }
        let points = zip(fixes, places).compactMap { fix, place in
            place.map { place in
                TrackPoint(
                    seconds: fix.sample.time.seconds,
                    track: SIMD2(fix.world.x, -fix.world.z),
                    fix: SIMD2(place.local.x, place.local.y),
                    sigmaMetres: place.sigmaMetres.x
                )
            }
        }
        guard let alignment = TrackAlignment(points), !alignment.isContradicted, alignment.tellsHeading else {
            return nil
        }
        let heading = alignment.headingDegrees * .pi / 180
        let (s, c) = (sine(heading), cosine(heading))
        let rotation = Quaternion(columns: Vector3(c, 0, -s), Vector3(-s, 0, -c), Vector3(0, 1, 0))
        let heights = zip(fixes, places).compactMap { fix, place in
            place.flatMap { $0.sigmaMetres.z < Self.unknownHeightSigmaMetres ? fix.world.y - $0.local.z : nil }
        }
        let centre = Vector3(alignment.trackCentre.x, heights.median ?? 0, -alignment.trackCentre.y)
        let fixCentre = Vector3(alignment.fixCentre.x, alignment.fixCentre.y, 0)
        worldFromLocal = Transform(rotation: rotation, translation: centre - rotation.rotating(fixCentre))
    }
}

extension PoseGraph {
    /// Ties nodes to location fixes, by a node for the Earth whose place and heading are looked for, too.
    mutating func tie(_ fixes: [(node: Int, sample: LocationSample)], _ noise: TagMapNoise) {
        guard let plane = EarthPlane(fixes.map { ($0.sample, nodes[$0.node].translation) }) else { return }
        let earth = add(plane.worldFromLocal)
        uprights.append(Upright(node: earth, up: Vector3(0, 0, 1), sigmaRadians: noise.gravityRadians))
        for (fix, place) in zip(fixes, plane.places) {
            guard let place else { continue }
            positions.append(
                Position(
                    node: fix.node,
                    reference: earth,
                    place: place.local,
                    sigmaMetres: place.sigmaMetres,
                    kernel: noise.kernel
                )
            )
        }
    }
}
