import Messages
import Platform
import Playback
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing
import Translation

/// Which part of a session is published: six frames from 1000 s on, 0.2 s apart.
@Suite struct SpanTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = try SessionBuilder(frameCount: 6).write(into: directory.path).string
    }

    private func poses(_ change: (inout SpanRequest) -> Void) async throws -> [Int64] {
        let replayed = try await Replayed(.init(path), epoch: .boot) { plan in
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
        let error = await #expect(throws: EmptySpanError.self) { try await poses { ($0.start, $0.end) = (start, end) } }
        #expect(error?.description.contains("a part of the session, which holds 0.0 s to 1.0 s") == true)
    }

    private func withFixes(_ times: [Double]) throws -> (SessionBuilder, TemporaryDirectory) {
        var builder = try SessionBuilder(frameCount: 6)
        let lines = times.map {
            "{\"timestamp\":\($0),\"latitude\":48.1,\"longitude\":11.5,\"horizontal_accuracy\":4}\n"
        }
        builder.files["gps.jsonl"] = Array(lines.joined().utf8)
        return (builder, try TemporaryDirectory())
    }

    /// CoreLocation delivers a cached fix first: it must not make a bag start, or a replay wait, an hour early.
    @Test(arguments: [400.0, 997.9, 1003.1, 90_000])
    func staleFixDoesNotMoveTheSession(stale: Double) async throws {
        let (builder, directory) = try withFixes([stale, 1000.1, 1000.9].sorted())
        let path = try builder.write(into: directory.path)
        let replayed = try await Replayed(path, epoch: .boot)
        let stamps = replayed.messages.map(\.timeNanoseconds)
        #expect(stamps.min() == 1_000_000_000_000 && (stamps.max() ?? 0) < 1_001_100_000_000)
        #expect(replayed.stamps("/mapping/gps/fix") == [1_000_100_000_000])
        let entry = try #require(replayed.report.diagnostics.entries.first { $0.kind == .sampleOutsideSession })
        #expect(entry.count == 1 && entry.examples[0].file == "gps.jsonl" && entry.examples[0].line != nil)
        #expect(entry.examples[0].found.hasPrefix("\(stale)"))
        #expect(!replayed.report.lostAnything)
        let inspection = try await Inspection.run(replayed.setup)
        #expect(inspection.diagnostics.count(of: .sampleOutsideSession) == 1)
        #expect(inspection.topics.first { $0.statistics.name == "/mapping/gps/fix" }?.statistics.count == 1)
        // Played twice, it is still one.
        let twice = try await Replayed(path) { $0.playback.loops = 2 }
        #expect(twice.report.diagnostics.count(of: .sampleOutsideSession) == 1)
    }

    /// Up to two seconds on either side samples belong to the frames.
    @Test func samplesAroundTheFramesAreKept() async throws {
        let (builder, directory) = try withFixes([998, 999.5, 1001.5, 1003])
        let replayed = try await Replayed(builder.write(into: directory.path), epoch: .boot) { plan in
            plan.profile.topics[.locationFix] = .init(rateHertz: 0)
        }
        let stamps: [Int64] = [998_000_000_000, 999_500_000_000, 1_001_500_000_000, 1_003_000_000_000]
        #expect(replayed.stamps("/mapping/gps/fix") == stamps)
        // Its frames show no floor.
        #expect(replayed.report.diagnostics.entries.allSatisfy { $0.kind == .floorNotFound })
    }

    /// Where no fix is of the time of the frames, there are none, and that is a loss.
    @Test func fixesBeforeTheFramesAreNone() async throws {
        let (builder, directory) = try withFixes([100, 101, 102])
        let replayed = try await Replayed(builder.write(into: directory.path), epoch: .boot)
        #expect(replayed.stamps("/mapping/gps/fix").isEmpty && replayed.report.lostAnything)
        #expect(replayed.setup.absent.contains { $0.name == "/mapping/gps/fix" })
        let kinds = replayed.report.diagnostics
        #expect(kinds.count(of: .sampleOutsideSession) == 3 && kinds.count(of: .streamOutsideSession) == 1)
        #expect(replayed.messages.map(\.timeNanoseconds).min() == 1_000_000_000_000)
    }

    /// Fixes whose times are an hour off are not used, and so say nothing of the clock: the next source does.
    @Test func clockIsNotThatOfUnusedFixes() throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.addLocations(count: 6)
        let used = try Replayed.setup(builder.write(into: directory.path, as: "used"))
        #expect(used.anchor.source == .location)
        let fixes = String(decoding: try #require(builder.files["gps.jsonl"]), as: UTF8.self)
        builder.files["gps.jsonl"] = Array(fixes.replacing("\"timestamp\":100", with: "\"timestamp\":460").utf8)
        builder.metadata?["startUnixTime"] = "1767268800"
        let unused = try Replayed.setup(builder.write(into: directory.path, as: "unused"))
        #expect(unused.anchor.source == .metadata)
        #expect(unused.diagnostics.count(of: .streamOutsideSession) == 1)
    }

    @Test func unknownFrameNamesTheLast() async throws {
        let error = await #expect(throws: PlanError.self) { try await poses { $0.start = .frame(6) } }
        #expect("\(try #require(error))".contains("(0 to 5), found 6"))
    }

    /// What a player is asked to go to is known before it leaves where it is.
    @Test func placesAreTimesOrRefused() throws {
        let setup = try Replayed.setup(.init(path), epoch: .boot)
        #expect(try setup.resolved(.frame(3)) == .date(nanoseconds: 1_000_600_000_000))
        #expect(try setup.resolved(.seconds(0.5)) == .date(nanoseconds: 1_000_500_000_000))
        let error = #expect(throws: PlanError.self) { try setup.resolved(.frame(99_999)) }
        #expect("\(try #require(error))" == "frame: expected a number that the session has (0 to 5), found 99999")
    }
}
