import Foundation
import Maps
import Recording
import Sessions
import Synthetic
import TestSupport
import Testing

@Suite("Two sessions of one place")
struct AlignmentTests {
    private static let isFull = ProcessInfo.processInfo.environment["MAPEVERYTHING_FULL"] != nil

    /// The same recording, begun elsewhere: its world lies otherwise.
    private static func moved(_ walk: Walk, _ shift: Transform) -> any Session {
        let pose = walk.frames[0].worldFromCamera
        let knot = PoseCorrection.Knot(time: walk.frames[0].time, recorded: pose, corrected: shift * pose)
        return RefinedSession(walk.session, PoseCorrection([knot], origin: "elsewhere"))
    }

    private static func shift(_ random: inout SeededRandomNumbers) -> Transform {
        func between(_ low: Double, _ high: Double) -> Double { Double.random(in: low..<high, using: &random) }
        return Transform(
            rotation: Quaternion(angleRadians: between(-.pi, .pi), axis: Vector3(0, 1, 0)),
            translation: Vector3(between(-8, 8), between(-1.5, 1.5), between(-8, 8))
        )
    }

    private static func alignment(_ first: any Session, _ other: any Session) async throws -> SessionAlignment {
        var refiner = SessionRefiner()
        refiner.jobs = 2
        return try await refiner.align(other, to: first)
    }

    /// How far the poses of an alignment are from where the truth has them: in metres and degrees, in the median.
    private static func error(
        _ alignment: SessionAlignment,
        _ first: Walk,
        _ other: Walk,
        _ session: any Session
    ) throws
        -> (metres: Double, degrees: Double)?
    {
        guard let correction = alignment.correction else { return nil }
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames]), .everything)
        var errors: [(Double, Double)] = []
        // The world of the first is where its own poses lie best on the truth.
        let world = first.frames.map { frame in
            alignment.first.correction?.corrected(frame.worldFromCamera, at: frame.time) ?? frame.worldFromCamera
        }
        let worldFromTruth = try #require(
            RigidAlignment.transform(first.truth.map(\.translation), to: world.map(\.translation))
        )
        while let walked = try walk.nextFrame(takesPicture: false) {
            let found = correction.corrected(walked.frame.worldFromCamera, at: walked.frame.time)
            let truth = worldFromTruth * other.truth[errors.count]
            let step = truth.inverse * found
            errors.append((step.translation.length, step.rotation.angleRadians * 180 / .pi))
        }
        let (metres, degrees) = (errors.map(\.0).sorted(), errors.map(\.1).sorted())
        return (metres[metres.count / 2], degrees[degrees.count / 2])
    }

    @Test(
        "lie in one world, wherever each began",
        arguments: [
            (SampleWalk.loop, SampleWalk.room), (.loop, .loop), (.twoRooms, .twoRooms), (.corridor, .corridor),
        ]
    )
    func pairs(walk: SampleWalk, otherWalk: SampleWalk) async throws {
        var random = SeededRandomNumbers(seed: 7)
        var right = 0
        let count: UInt64 = Self.isFull ? 25 : 1
        for seed in 1...count {
            let first = try await Walk.sample(Walk.options(walk, seconds: 20, drift: 0.5, seed: seed))
            let other = try await Walk.sample(Walk.options(otherWalk, seconds: 15, drift: 0.5, seed: 100 + seed))
            let session = Self.moved(other, Self.shift(&random))
            let alignment = try await Self.alignment(first.session, session)
            guard alignment.verdict == .aligned else { continue }
            let error = try #require(try Self.error(alignment, first, other, session))
            // Never wrong and claimed right.
            #expect(error.metres < 0.05 && error.degrees < 1, "\(error) \(alignment.bestFit) \(alignment.nextFit)")
            right += 1
        }
        #expect(right * 100 >= 95 * Int(count), "\(right) of \(count)")
    }

    @Test("of two places are not brought together", arguments: [SampleWalk.corridor, .twoRooms, .wall])
    func apart(walk: SampleWalk) async throws {
        let first = try await Walk.sample(Walk.options(.loop, seconds: 20, drift: 0.5))
        let other = try await Walk.sample(Walk.options(walk, seconds: 20, drift: 0.5, seed: 2))
        let alignment = try await Self.alignment(first.session, other.session)
        #expect(
            alignment.verdict != .aligned,
            "\(alignment.bestFit) \(alignment.foundCount) of \(alignment.triedCount)"
        )
        #expect(alignment.correction == nil)
    }

    @Test("a bare room lies two ways, and it is said")
    func symmetric() async throws {
        let first = try await Walk.sample(Walk.options(.emptyRoom, seconds: 20, drift: 0))
        let other = try await Walk.sample(Walk.options(.emptyRoom, seconds: 15, drift: 0, seed: 2))
        let alignment = try await Self.alignment(first.session, other.session)
        #expect(alignment.verdict == .doubtful("two ways of lying together fit alike"), "\(alignment.verdict)")
    }
}
