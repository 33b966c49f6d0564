import Maps
import Recording
import TestSupport
import Testing

/// Whether a map may replace what was recorded: walks that drift in several ways, and the truth of each.
@Suite struct HeldOutTests {
    private func places(_ tags: [Int64: Transform]) -> [Int64: Vector3] { tags.mapValues(\.translation) }

    /// Root mean square of the tags' errors, of the recording by the first sighting of each and of the map.
    private func errors(_ walk: SyntheticWalk, _ map: SolvedTagMap) throws -> (recorded: Double, map: Double) {
        func rms(_ tags: [Int64: Vector3]) throws -> Double {
            let ids = tags.keys.sorted()
            let (found, truth) = (ids.compactMap { tags[$0] }, ids.compactMap { walk.trueTags[$0]?.translation })
            let motion = try #require(RigidAlignment.transform(found, to: truth))
            let squares = zip(found, truth).map { dot(motion * $0 - $1, motion * $0 - $1) }
            return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
        }
        let solved = Dictionary(uniqueKeysWithValues: map.tags.map { ($0.key.id, $0.worldFromTag.translation) })
        return (try rms(places(TagConsistency(walk.map).first)), try rms(solved))
    }

    @Test(
        "a map is never worse than the recording, whatever the drift and the noise",
        arguments: [0, 0.0005, 0.002, 0.01, 0.03],
        [0.003, 0.02, 0.05]
    )
    func neverWorse(drift: Double, sigma: Double) throws {
        for seed in 20..<22 as Range<UInt64> {
            var walk = SyntheticWalk(
                seed: seed,
                poses: 240,
                tags: 8,
                drift: drift,
                sigmaMetres: sigma,
                sigmaRadians: sigma
            )
            // As a phone's own map, which does not say how sure it is.
            walk.change { map in for index in map.detections.indices { map.detections[index].covariance = nil } }
            let map = try #require(TagMapper().maps(of: [walk.map]).first)
            let found = try errors(walk, map)
            #expect(found.map <= found.recorded * 1.05 + 1e-9, "\(drift) \(sigma) \(seed): \(found) \(map.choice)")
            let prediction = try #require(map.prediction)
            if map.choice == .solved {
                #expect((prediction.mapMetres ?? 1) < prediction.recordedMetres / 2)
            }
            if drift == 0 { #expect(map.keptPoses) }
            if drift >= 0.03 { #expect(map.choice == .solved, "\(prediction)") }
        }
    }

    @Test("a map that bends a sound recording is found out by what it was not given, and the recording is kept")
    func wronglyWeighted() throws {
        let walk = SyntheticWalk(seed: 30, poses: 240, tags: 8, drift: 0.0005, sigmaMetres: 0.15, sigmaRadians: 0.1)
        var mapper = TagMapper()
        // Steps that say nothing, and sightings that are believed to the millimetre.
        mapper.noise.walkMetres = 1
        mapper.noise.walkHeadingRadians = 0.5
        var wrong = walk
        wrong.change { map in
            for index in map.detections.indices { map.detections[index].covariance = Matrix6.diagonal(1e-6) }
        }
        let map = try #require(mapper.maps(of: [wrong.map]).first)
        let prediction = try #require(map.prediction)
        #expect(map.choice == .unproven && prediction.passes > 8)
        #expect((prediction.mapMetres ?? 0) > prediction.recordedMetres / 2)
        mapper.isJudged = false
        let bent = try #require(mapper.maps(of: [wrong.map]).first)
        #expect(bent.choice == .solved && bent.prediction == nil)
        let found = try errors(wrong, map)
        #expect(found.map <= found.recorded + 1e-9, "\(found)")
    }

    @Test("what was seen in one go is not judged, and the recording is kept")
    func onePass() throws {
        var walk = SyntheticWalk(seed: 31, poses: 60, tags: 8)
        let far = Transform(rotation: .identity, translation: Vector3(0, 0, -17))
        walk.change { map in map.detections[3].cameraFromTag = far }
        let map = try #require(TagMapper().maps(of: [walk.map]).first)
        #expect(map.prediction == nil && map.choice == .unproven)
    }
}

extension Matrix6 {
    fileprivate static func diagonal(_ value: Double) -> Matrix6 {
        Matrix6(diagonal: Vector6(Vector3(repeating: value), Vector3(repeating: value)))
    }
}
