import Maps
import Recording
import Sessions
import Testing

/// Fixes hold long walks whose steps are all a little too long.
@Suite struct LocationFixTests {
    private static let start = Geodesy.earthFromLocal(latitudeDegrees: 48, longitudeDegrees: 11, heightMetres: 0)

    /// 300 m along an L at 1.5 m/s, recorded 1 % too long, with a tag every 50 m.
    ///
    /// - Parameter wild: Fixes that are 300 m off.
    private static func walk(
        fixes: Bool,
        wild: Set<Int> = [],
        headingDegrees: Double = 30
    ) -> (RawTagMap, [Int64: Vector3]) {
        var walk = RawTagMap(name: "long")
        var truth: [Int64: Vector3] = [:]
        for index in 0...600 {
            let along = Double(index) / 2
            let place = along <= 150 ? Vector3(0, 1.4, -along) : Vector3(along - 150, 1.4, -150)
            let turn = Quaternion(angleRadians: along <= 150 ? 0 : -.pi / 2, axis: Vector3(0, 1, 0))
            let seconds = along / 1.5
            let recorded = Transform(rotation: turn, translation: place * 1.01)
            walk.poses.append(RawTagMap.Pose(id: Int64(index), seconds: seconds, worldFromCamera: recorded))
            if (50...51).contains(index % 100) {
                let tag = Int64(index / 100)
                // Two metres ahead of the first of both poses.
                let ahead = Double(2) - Double(index % 100 - 50) / 2
                let seen = Transform(rotation: .identity, translation: Vector3(0.3, 0, -ahead))
                walk.detections.append(RawTagMap.Detection(tag: tag, pose: index, cameraFromTag: seen))
                truth[tag] = Transform(rotation: turn, translation: place) * seen.translation
            }
            guard fixes, index % 20 == 0 else { continue }
            let (s, c) = (sine(headingDegrees * .pi / 180), cosine(headingDegrees * .pi / 180))
            // The world's -z points to the heading.
            var (east, north) = (c * place.x - s * place.z, -s * place.x - c * place.z)
            if wild.contains(index / 20) { (east, north) = (east + 300, north - 100) }
            let earth = Geodesy.place(start * Vector3(east, north, 0))
            var sample = LocationSample(
                time: Timestamp(nanoseconds: Int64(seconds * 1e9)),
                latitudeDegrees: earth.latitudeDegrees,
                longitudeDegrees: earth.longitudeDegrees
            )
            sample.altitudeMetres = 520 + place.y
            sample.horizontalAccuracyMetres = 1
            sample.verticalAccuracyMetres = 2
            walk.fixes.append(RawTagMap.Fix(pose: index, sample: sample))
        }
        return (walk, truth)
    }

    /// Of distances between tags, which no motion of the map changes.
    private static func worstDistance(_ map: SolvedTagMap, _ truth: [Int64: Vector3]) -> Double {
        let places = map.tags.compactMap { tag in truth[tag.key.id].map { (tag.worldFromTag.translation, $0) } }
        var worst = 0.0
        for a in places {
            for b in places { worst = max(worst, abs((a.0 - b.0).length - (a.1 - b.1).length)) }
        }
        return worst
    }

    @Test("a walk that is 1 % too long is set right by its fixes in part, and wild ones change nothing")
    func holds() throws {
        let (alone, truth) = Self.walk(fixes: false)
        let before = try #require(TagMapper().maps(of: [alone]).first)
        let worst = Self.worstDistance(before, truth)
        #expect(worst > 1.7 && before.fixDistances.isEmpty)
        for (heading, wild) in [(0.0, Set<Int>()), (30, []), (200, [7, 19, 20])] {
            let (walk, truth) = Self.walk(fixes: true, wild: wild, headingDegrees: heading)
            let map = try #require(TagMapper().maps(of: [walk]).first)
            #expect(Self.worstDistance(map, truth) < 0.6 * worst, "\(heading)")
            #expect(map.fixDistances.count == 31 && (map.fixMedianMetres ?? 9) < 0.5 && map.hasConverged)
            #expect(map.fixDistances.count { $0 > 100 } == wild.count)
        }
    }

    @Test("fixes that do not tell how the walk lies are left out")
    func uselessFixes() throws {
        var (walk, _) = Self.walk(fixes: true)
        let fixes = walk.fixes
        walk.fixes = Array(fixes.prefix(2))
        #expect(try #require(TagMapper().maps(of: [walk]).first).fixDistances.isEmpty)
        walk.fixes = fixes.map { fix in
            var fix = fix
            fix.sample.horizontalAccuracyMetres = nil
            return fix
        }
        #expect(try #require(TagMapper().maps(of: [walk]).first).fixDistances.isEmpty)
        // All in one place, far from how the walk goes.
        walk.fixes = fixes.map { fix in
            var fix = fix
            (fix.sample.latitudeDegrees, fix.sample.longitudeDegrees) = (48, 11)
            return fix
        }
        #expect(try #require(TagMapper().maps(of: [walk]).first).fixDistances.isEmpty)
    }
}
