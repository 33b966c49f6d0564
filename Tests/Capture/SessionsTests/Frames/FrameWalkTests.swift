import Recording
import Sessions
import Synthetic
import TestSupport
import Testing

/// The one walk over frames: what goes in is either taken or has a verdict.
@Suite struct FrameWalkTests {
    private static func session(_ change: (inout SessionBuilder) throws -> Void = { _ in }) throws -> ReadSession {
        var builder = try SessionBuilder(frameCount: 12)
        for index in [2, 7] { builder.lines[index]["tracking_state"] = "\"limited_insufficient_features\"" }
        try change(&builder)
        return try ReadSession(builder)
    }

    @Test func everyFrameHasOneVerdict() throws {
        let read = try Self.session()
        var rule = FrameRule()
        rule.every = 3
        rule.framesPerSecond = 2.5
        let walk = try FrameWalk(read.session, RecordRequest(), rule)
        var taken: [Int] = []
        while let walked = try walk.nextFrame() {
            #expect(walked.number == taken.count + 1)
            taken.append(walked.frame.index)
        }
        #expect(walk.counts.total == 12 && walk.counts[.limitedTracking] == 2 && walk.limitedTracking == 2)
        #expect(walk.counts.trusted == 10)
        #expect(walk.counts[.kept] == taken.count)
        // At 5 Hz a gate of 2.5 Hz passes 0, 3 (2 has no trust), 4, 6, 8 and 10: it keeps its own clock.
        #expect(taken == [0, 6], "\(taken)")
        #expect(walk.counts[.early] == 4 && walk.counts[.passedOver] == 4)
    }

    @Test func otherRecordsComeInTheirOrder() throws {
        let read = try Self.session()
        let walk = try FrameWalk(read.session, RecordRequest(), .everything)
        var records: [Record] = []
        while let walked = try walk.nextFrame(others: { records.append($0) }) { records.append(.frame(walked.frame)) }
        #expect(records.map(\.time) == read.records.map(\.time))
        #expect(records.map(\.stream) == read.records.map(\.stream))
        #expect(records.contains { $0.stream == .frames } && walk.limitedTracking == 0)
    }

    @Test func numbersAndTimesThatWereThereBeforeAreRepeated() throws {
        let read = try Self.session { builder in
            builder.files["rgb/000004.jpg"] = nil
            builder.lines[5]["timestamp"] = builder.lines[3]["timestamp"]
        }
        var rule = FrameRule.everything
        (rule.needsImage, rule.needsNewTime, rule.needsNewNumber) = (true, true, true)
        let walk = try FrameWalk(read.session, RecordRequest(streams: [.frames]), rule)
        while try walk.nextFrame() != nil {}
        #expect(walk.counts[.withoutImage] == 1)
        #expect(walk.counts[.repeated] == 1)
        #expect(walk.counts.total == read.frames.count)
    }

    @Test(arguments: [1, 2, 5]) func resultsComeInOrderWithAnyNumberOfWorkers(jobs: Int) async throws {
        let read = try Self.session()
        let walk = try FrameWalk(read.session, RecordRequest(streams: [.frames]))
        var indices: [Int] = []
        var metres: [Float] = []
        let session = read.session
        try await walk.forEachFrame(jobs: jobs) {
            FrameWorker(session)
        } prepare: { worker, walked in
            var diagnostics = Diagnostics()
            return (walked.frame.index, worker.loader.depth(of: walked.frame, &diagnostics)?.metres.first ?? 0)
        } deliver: { result in
            indices.append(result.0)
            metres.append(result.1)
        }
        #expect(indices == [0, 1, 3, 4, 5, 6, 8, 9, 10, 11])
        #expect(metres.allSatisfy { $0 == 1 })
    }

    /// A list of frames goes the same way, and only asks for the pictures that it needs.
    @Test func aListOfFramesIsWalked() throws {
        let read = try Self.session()
        let chosen = [read.frames[1], read.frames[2], read.frames[9]]
        let walk = FrameWalk(read.session, frames: chosen, withPicture: [true, false, true])
        var found: [(Int, Bool)] = []
        while let walked = try walk.nextFrame() { found.append((walked.frame.index, walked.frame.hasImage)) }
        #expect(found.map(\.0) == [1, 2, 9])
        #expect(found.map(\.1) == [true, false, true])
    }

    @Test func keyFramesOfRelativeDepthNeedBothDepths() throws {
        let read = try Self.session()
        let cases: [(DepthKind, FrameRule.Depth, Int)] = [
            (.lidar, .needed, 10), (.relative, .needed, 0), (.lidar, .notNeeded, 10),
        ]
        for (kind, depth, expected) in cases {
            var (rule, plan) = (FrameRule(), DepthPlan())
            (rule.depth, plan.kind) = (depth, kind)
            let walk = try FrameWalk(DepthSession(read.session, plan), RecordRequest(streams: [.frames]), rule)
            while try walk.nextFrame() != nil {}
            #expect(walk.counts.withDepth == expected && walk.counts[.kept] == expected)
        }
    }

    /// Each frame is a centimetre from the one before: by distance all are kept, with a picture or without.
    @Test func framesWithoutPictureWaitForOneOnlyWhereThatIsAsked() throws {
        let read = try Self.session { $0.files["rgb/000004.jpg"] = nil }
        var rule = FrameRule.everything
        rule.keyFrames = KeyFrameRule(afterMetres: 0.005, orRadians: 0)
        for (prefersPictures, kept) in [(false, 12), (true, 11)] {
            rule.prefersPictures = prefersPictures
            let walk = try FrameWalk(read.session, RecordRequest(streams: [.frames]), rule)
            while try walk.nextFrame() != nil {}
            #expect(walk.counts[.kept] == kept && walk.counts[.near] == 12 - kept)
        }
    }

    /// Record by record, frames are read as a whole unless their time is not wanted.
    @Test func recordsAreReadOneByOne() throws {
        let read = try Self.session()
        let walk = try FrameWalk(read.session, RecordRequest(), .everything)
        var records: [Record] = []
        while let record = try walk.next() { records.append(record) }
        #expect(records.map(\.time) == read.records.map(\.time))
        let frames = records.compactMap { record in
            if case .frame(let frame) = record { frame.index } else { nil }
        }
        #expect(frames == read.frames.map(\.index) && frames.count == 12)
    }
}
