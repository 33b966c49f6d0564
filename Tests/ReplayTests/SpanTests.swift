import Capture
import Playback
import ROS
import Replay
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Which part of a session is published: six frames from 1000 s on, 0.2 s apart.
@Suite struct SpanTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = try SessionBuilder(frameCount: 6).write(into: directory.path).string
    }

    private func poses(_ change: (inout SpanRequest) -> Void) async throws -> [Int64] {
        let replayed = try await Replayed(.init(path)) { plan in
            plan.epoch = .boot
            plan.selection.only = ["/mapping/pose"]
            plan.profile.topics[.pose] = .init(rateHertz: 0)
            change(&plan.span)
        }
        return replayed.stamps("/mapping/pose").map { ($0 - 1_000_000_000_000) / 1_000_000 }
    }

    @Test func wholeSession() async throws {
        #expect(try await poses { _ in } == [0, 200, 400, 600, 800, 1000])
    }

    @Test func boundsBelongToTheSpan() async throws {
        #expect(try await poses { ($0.start, $0.end) = (.seconds(0.2), .seconds(0.6)) } == [200, 400, 600])
        #expect(try await poses { ($0.start, $0.end) = (.seconds(0.21), .seconds(0.59)) } == [400])
        #expect(try await poses { $0.start = .seconds(-5) } == [0, 200, 400, 600, 800, 1000])
        #expect(try await poses { $0.end = .seconds(1e12) } == [0, 200, 400, 600, 800, 1000])
    }

    @Test func framesAndDates() async throws {
        #expect(try await poses { ($0.start, $0.end) = (.frame(2), .frame(4)) } == [400, 600, 800])
        let date = PlaybackPlace.date(nanoseconds: 1_000_500_000_000)
        #expect(try await poses { $0.start = date } == [600, 800, 1000])
    }

    @Test func durations() async throws {
        #expect(try await poses { $0.durationSeconds = 0.4 } == [0, 200, 400])
        #expect(try await poses { ($0.start, $0.durationSeconds) = (.frame(3), 0.2) } == [600, 800])
        #expect(
            try await poses { ($0.start, $0.end, $0.durationSeconds) = (.seconds(0.2), .seconds(0.4), 10) }
                == [200, 400]
        )
    }

    @Test(
        arguments: [
            (PlaybackPlace.seconds(2), nil), (nil, .seconds(-1)), (.seconds(0.6), .seconds(0.2)),
            (.date(nanoseconds: 0), .date(nanoseconds: 5)), (.seconds(.infinity), nil),
        ] as [(PlaybackPlace?, PlaybackPlace?)]
    )
    func emptySpansAreErrors(start: PlaybackPlace?, end: PlaybackPlace?) async throws {
        let error = await #expect(throws: PlanError.self) { try await poses { ($0.start, $0.end) = (start, end) } }
        #expect("\(String(describing: error))".contains("0.0 s to 1.0 s"))
    }

    @Test func unknownFrameNamesTheLast() async throws {
        let error = await #expect(throws: PlanError.self) { try await poses { $0.start = .frame(6) } }
        #expect("\(try #require(error))".contains("(up to 5), found 6"))
    }
}
