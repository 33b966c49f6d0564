import Foundation
import Maps
import Perception
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// Samples with exact truth: the way that was walked, and what the poses make of it.
@Suite("Refined poses")
struct RefinementTests {
    private static let isFull = ProcessInfo.processInfo.environment["MAPEVERYTHING_FULL"] != nil

    @Test(
        "are half as far from the truth or less where the walk returns",
        arguments: [SampleWalk.loop, .twoRooms, .emptyRoom]
    )
    func loops(walk: SampleWalk) async throws {
        let seconds = walk == .twoRooms ? 75.0 : 34
        var shares: [Double] = []
        for seed: UInt64 in Self.isFull ? 1...20 : 1...2 {
            let walk = try await Walk.sample(Walk.options(walk, seconds: seconds, drift: 1, seed: seed))
            let refinement = try await walk.refined()
            #expect(refinement.verdict == .improved, "seed \(seed): \(refinement.verdict)")
            let (recorded, refined) = walk.errors(refinement.correction)
            // So that there is something to correct.
            #expect(recorded > 0.03)
            shares.append(refined / recorded)
        }
        #expect(shares.allSatisfy { $0 <= 0.5 }, "\(shares)")
        #expect(shares.sorted()[shares.count / 2] <= 0.3, "\(shares)")
    }

    @Test("are the recorded ones where the walk does not return", arguments: [0.0, 1.0, 2.0])
    func corridor(drift: Double) async throws {
        let walk = try await Walk.sample(Walk.options(.corridor, seconds: 26, drift: drift))
        let refinement = try await walk.refined()
        #expect(refinement.correction == nil)
        #expect(refinement.verdict == .unchanged("no loop: no place was seen again"))
    }

    @Test("are the recorded ones where these are right", arguments: [SampleWalk.loop, .room, .wall])
    func exact(walk: SampleWalk) async throws {
        let walk = try await Walk.sample(Walk.options(walk, seconds: 34, drift: 0))
        let refinement = try await walk.refined()
        let (_, refined) = walk.errors(refinement.correction)
        #expect(refined < 0.001, "\(refinement.verdict) \(refined)")
    }

    @Test("there and back along a corridor the way is straightened, not bent", arguments: [Float(1), 1.03])
    func thereAndBack(depthScale: Float) async throws {
        for seed: UInt64 in Self.isFull ? 1...20 : 1...1 {
            var options = Walk.options(.thereAndBack, seconds: 120, drift: 0, seed: seed)
            options.drift = .phone
            let walk = try await Walk.sample(options, depthScale: depthScale)
            let refinement = try await walk.refined()
            let (recorded, refined) = walk.errors(refinement.correction)
            #expect(recorded > 0.3 && refined <= 0.6 * recorded, "seed \(seed): \(recorded) \(refined)")
        }
    }

    @Test("are no worse where all depths are 3 % too long", arguments: [SampleWalk.room, .loop, .twoRooms])
    func longDepth(walk: SampleWalk) async throws {
        for seed: UInt64 in Self.isFull ? 1...20 : 1...2 {
            var options = Walk.options(walk, seconds: walk == .twoRooms ? 75 : 40, drift: 0, seed: seed)
            options.drift = .phone
            let walk = try await Walk.sample(options, depthScale: 1.03)
            let refinement = try await walk.refined()
            let (recorded, refined) = walk.errors(refinement.correction)
            #expect(refined <= 1.02 * recorded, "seed \(seed): \(recorded) \(refined) \(refinement.verdict)")
        }
    }

    @Test("a bare wall holds what it shows, and leaves open what it does not")
    func wall() async throws {
        let walk = try await Walk.sample(Walk.options(.wall, seconds: 34, drift: 1))
        let refinement = try await walk.refined()
        let (recorded, refined) = walk.errors(refinement.correction)
        #expect(refined <= 1.02 * recorded, "\(recorded) \(refined)")
        #expect(!refinement.loops.isEmpty && refinement.loops.allSatisfy { $0.freeDirections >= 2 })
    }

    @Test("jumps are healed where the walk returns")
    func jumps() async throws {
        for seed: UInt64 in Self.isFull ? 1...20 : 3...4 {
            var options = Walk.options(.loop, seconds: 34, drift: 0, seed: seed)
            options.jumpCount = 3
            options.framesPerSecond = 30
            let walk = try await Walk.sample(options)
            let refinement = try await walk.refined()
            #expect(refinement.jumps.count == 3, "seed \(seed)")
            let correction = try #require(refinement.correction, "seed \(seed): \(refinement.verdict)")
            // From before a jump to behind it, against the truth.
            for jump in refinement.jumps {
                let index = try #require(walk.frames.firstIndex { $0.time >= jump.time })
                let (a, b) = (max(0, index - 15), min(walk.frames.count - 1, index + 15))
                func pose(_ index: Int) -> Transform {
                    correction.corrected(walk.frames[index].worldFromCamera, at: walk.frames[index].time)
                }
                let step = (walk.truth[a].inverse * walk.truth[b]).inverse * (pose(a).inverse * pose(b))
                #expect(step.translation.length < 0.02, "seed \(seed)")
                #expect(step.rotation.angleRadians < 0.5 * .pi / 180, "seed \(seed)")
            }
        }
    }

    @Test("one wall where there were two: the fused surface lies on the true one")
    func surface() async throws {
        let options = Walk.options(.loop, seconds: 34, drift: 1, seed: 2)
        let walk = try await Walk.sample(options)
        let correction = try #require(try await walk.refined().correction)
        let room = Room(seed: options.seed, walk: .loop)
        // The first pose is right in both.
        func distance(_ session: any Session) async throws -> Double {
            var mapper = SessionMapper()
            mapper.parameters.voxelSizeMetres = 0.03
            mapper.jobs = 2
            let (field, _) = try await mapper.map(session)
            let points = await MeshExtractor(field, jobs: 2).mesh().points
            return points.reduce(0) { $0 + room.distanceToSurface(Vector3($1.position)) } / Double(points.count)
        }
        let recorded = try await distance(walk.session)
        let refined = try await distance(RefinedSession(walk.session, correction))
        #expect(refined < 0.5 * recorded, "\(recorded) \(refined)")
        #expect(refined < 0.01, "\(recorded) \(refined)")
    }

    @Test("two floors that look alike stay two")
    func floors() async throws {
        let options = Walk.options(.loop, seconds: 34, drift: 1)
        let below = try await Walk.sample(options)
        // The second round three metres higher, as after stairs: what is seen is the same.
        let path = below.directory.appending("walk").appending("frames.jsonl")
        var lines = try String(contentsOfFile: path.string, encoding: .utf8).split(separator: "\n").map { String($0) }
        for index in lines.indices {
            let object = try JSONSerialization.jsonObject(with: Data(lines[index].utf8))
            var line = try #require(object as? [String: Any])
            var matrix = try #require(line["camera_transform"] as? [Double])
            matrix[13] += 3 * min(1, max(0, (Double(index) / 10 - 15) / 4))
            line["camera_transform"] = matrix
            lines[index] = String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
        }
        try lines.joined(separator: "\n").write(toFile: path.string, atomically: true, encoding: .utf8)
        let above = try Walk(below.directory, options)
        let refinement = try await above.refined()
        for loop in refinement.loops {
            let (from, to) = (
                loop.from.seconds(since: above.frames[0].time), loop.to.seconds(since: above.frames[0].time)
            )
            #expect(!(from < 15 && to > 19), "\(from) \(to)")
        }
    }

    @Test("the same with any number of workers")
    func workers() async throws {
        let walk = try await Walk.sample(Walk.options(.loop, seconds: 30, drift: 1))
        let (one, many) = (try await walk.refined(jobs: 1), try await walk.refined(jobs: 5))
        let (first, second) = (try #require(one.correction), try #require(many.correction))
        #expect(zip(first.knots, second.knots).allSatisfy { $0.corrected == $1.corrected && $0.time == $1.time })
        #expect(one.loops.map(\.metresAfter) == many.loops.map(\.metresAfter))
    }

    @Test("covariances are honest: errors are about as large as they say")
    func covariances() async throws {
        var squares: [Double] = []
        for seed: UInt64 in 1...4 {
            let walk = try await Walk.sample(Walk.options(.loop, seconds: 34, drift: 1, seed: seed))
            let correction = try #require(try await walk.refined().correction)
            let first = try #require(correction.knots.first)
            let start = try #require(walk.frames.firstIndex { $0.time == first.time })
            for knot in correction.knots.dropFirst() {
                let index = try #require(walk.frames.firstIndex { $0.time == knot.time })
                // Against the first knot, which the covariances take for known.
                let truth = walk.truth[start].inverse * walk.truth[index]
                let error = truth.inverse * (first.corrected.inverse * knot.corrected)
                let factor = try #require(knot.covariance?.tt.cholesky)
                let scaled = factor.lowerInverse * error.translation
                squares.append(dot(scaled, scaled) / 3)
            }
        }
        let mean = squares.reduce(0, +) / Double(squares.count)
        // One is exact. Neither boastful nor meaningless.
        #expect(mean < 3 && mean > 0.05, "\(mean)")
    }
}

@Suite("Tags and fixes in refined poses")
struct LandmarkTests {
    /// The tags of a corridor, each seen from up to three metres before it, by exact sightings of a known noise.
    private static func landmarks(_ walk: Walk, shift: Transform = .identity) -> Landmarks {
        var seen = RawTagMap(name: "walk")
        var map: [Int64: Transform] = [:]
        for number in 0..<8 {
            let place = Vector3(number % 2 == 0 ? -0.95 : 0.95, 0.2, -2.5 * Double(number) - 2)
            map[Int64(number)] = Transform(
                rotation: Quaternion(angleRadians: 0.3, axis: Vector3(0, 1, 0)),
                translation: place
            )
        }
        for (index, frame) in walk.frames.enumerated() {
            let seconds = frame.time.seconds
            seen.poses.append(.init(id: Int64(index), seconds: seconds, worldFromCamera: frame.worldFromCamera))
            for (tag, worldFromTag) in map.sorted(by: { $0.key < $1.key }) {
                let cameraFromTag = walk.truth[index].inverse * worldFromTag
                let ahead = -cameraFromTag.translation.z
                guard ahead > 0.5, ahead < 3 else { continue }
                var detection = RawTagMap.Detection(tag: tag, pose: index, cameraFromTag: cameraFromTag)
                detection.covariance = Matrix6(
                    diagonal: Vector6(Vector3(repeating: 1e-4), Vector3(repeating: 1e-4))
                )
                seen.detections.append(detection)
            }
        }
        return Landmarks(seen, mapFromTags: map.mapValues { shift * $0 })
    }

    @Test("a map of tags corrects a way that never returns, whatever world the map is in")
    func map() async throws {
        let walk = try await Walk.sample(Walk.options(.corridor, seconds: 26, drift: 2))
        let turned = Quaternion(angleRadians: 2, axis: Vector3(0, 1, 0))
        let shift = Transform(rotation: turned, translation: Vector3(30, 1, -7))
        var refiner = SessionRefiner()
        refiner.jobs = 2
        refiner.landmarks = Self.landmarks(walk, shift: shift)
        let span = walk.session.summary.firstTime...walk.session.summary.lastTime
        let refinement = try await refiner.refine(walk.session, span: span)
        #expect(refinement.verdict == .improved, "\(refinement.verdict)")
        #expect(refinement.loops.contains { $0.isTag })
        let (recorded, refined) = walk.errors(refinement.correction)
        #expect(refined < 0.5 * recorded, "\(recorded) \(refined)")
        // The same tags without a map are each seen in one stretch: nothing returns.
        refiner.landmarks?.mapFromTags = [:]
        let without = try await refiner.refine(walk.session, span: span)
        #expect(without.correction == nil, "\(without.verdict)")
    }

    @Test("a map of other tags, and fixes that are coarse, do no harm")
    func harm() async throws {
        let walk = try await Walk.sample(Walk.options(.corridor, seconds: 26, drift: 0.5))
        var refiner = SessionRefiner()
        refiner.jobs = 2
        var landmarks = Self.landmarks(walk)
        // Each tag hangs where another one was.
        landmarks.mapFromTags = Dictionary(
            uniqueKeysWithValues: landmarks.mapFromTags.map { (7 - $0.key, $0.value) }
        )
        refiner.landmarks = landmarks
        let span = walk.session.summary.firstTime...walk.session.summary.lastTime
        let refinement = try await refiner.refine(walk.session, span: span)
        let (recorded, refined) = walk.errors(refinement.correction)
        #expect(refined <= 1.02 * recorded, "\(refinement.verdict) \(recorded) \(refined)")
    }
}

@Suite("Recordings that give no better poses")
struct UnrefinableTests {
    @Test("without depth, with a few frames, from one spot", arguments: ["no depth", "a dozen frames", "one spot"])
    func nothing(_ lack: String) async throws {
        var options = Walk.options(.loop, seconds: 20, drift: 1)
        switch lack {
        case "no depth": options.hasLidar = false
        case "a dozen frames": options.durationSeconds = 1.2
        default: (options.imageCount, options.durationSeconds) = (1, 40)
        }
        let refinement = try await Walk.sample(options).refined()
        #expect(refinement.correction == nil, "\(refinement.verdict)")
        #expect(refinement.verdict.word == "unchanged")
        if lack == "no depth" { #expect(refinement.verdict.reason?.hasPrefix("no depth") == true) }
    }
}
