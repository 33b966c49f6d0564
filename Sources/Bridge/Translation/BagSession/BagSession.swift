import Bags
import Messages
import Recording
package import Sessions
import SystemPackage

/// A bag of the phone's topics as a session: everything that takes a recording takes a bag.
///
/// The other way through the bridge: what ``Catalogue`` has made of a recording, turned back. A frame is a pose, with the
/// image, the depth and the confidence whose stamps are nearest to it, at most half an interval of the poses away, and the
/// camera of the nearest CameraInfo. Times are the stamps of the headers. One pass over the bag finds where the pictures
/// lie; these are loaded row by row when they are wanted.
package struct BagSession: Session {
    package private(set) var summary: SessionSummary
    package private(set) var diagnostics: Diagnostics
    private let reader: BagReader
    private let topics: BagTopics
    private let table: FrameTable
    private let payloads: BagPayloadIndex
    private let fixes: [Record]
    private let largestDelay: Int64

    /// Opens a directory, a `.db3` or an `.mcap`.
    ///
    /// - Parameters:
    ///   - path: of a bag in any form that ``BagReader`` reads; what is damaged in it is passed over and counted.
    ///   - namespace: what the names of the topics but `/tf` begin with, where the bag has several that fit.
    ///   - axes: those of the poses; `nil` where the bag tells them, by its metadata or the names of frames.
    /// - Throws: a ``BagError`` where it is no bag; a ``BagSessionError`` where topics are missing or ambiguous; a
    ///   ``SessionError`` where no pose can be read.
    package static func open(
        path: String,
        namespace: String? = nil,
        axes: FramePolicy? = nil
    ) throws -> any Session {
        let reader = try BagReader(opening: FilePath(path), tolerating: .everything)
        try reader.refuseIfNothingOpens()
        let topics = try BagTopics(reader, namespace: namespace)
        try topics.require([.pose, .transforms])
        try topics.require([.imageCamera, .depthCamera])
        return try BagSession(reader, topics, axes: axes)
    }

    private init(_ reader: BagReader, _ topics: BagTopics, axes: FramePolicy?) throws {
        (self.reader, self.topics) = (reader, topics)
        var indexer = try BagIndexer(reader, topics)
        try indexer.run()
        let index = indexer.index
        let custom = reader.metadata.customData
        guard !index.imageCameras.isEmpty || !index.depthCameras.isEmpty else {
            let problem = index.problems.entries.first { $0.kind == .badIntrinsics }?.examples.first
            throw BagSessionError.noCamera(path: reader.path.string, found: problem.map { "\($0)" } ?? "none")
        }
        let conventions = BagConventions(custom, index, axes: axes)
        var summary = Self.summary(reader, topics, index, custom)
        var list = FrameList(summary)
        let firstPose = index.problems.entries.first { $0.kind == .badTransform }?.examples.first
        let depthSize = index.depthSize(of: reader, topics)
        var frames = BagFrames(
            index.withCameras(of: reader, topics),
            conventions,
            topics,
            reader,
            depthSize: depthSize
        )
        if index.poses.isEmpty, let firstPose { list.record(firstPose) }
        frames.add(to: &list)
        table = try list.finish(path: reader.path.string)
        payloads = frames.payloads
        summary = list.summary
        var diagnostics = index.problems
        diagnostics.append(list.diagnostics)
        summary.take(frames.counts, depthSize: depthSize)
        (fixes, largestDelay) = (
            Self.fixes(index, conventions, summary, topics, reader, &diagnostics), index.largestDelay
        )
        summary.location.count = fixes.count
        Self.noteDamage(of: reader, topics, index, &diagnostics)
        self.summary = summary
        self.diagnostics = diagnostics
        try findMotion()
    }

    package func records(_ request: RecordRequest) throws -> any RecordCursor {
        var samples: [(stream: RecordStream, source: any SampleSource)] = []
        if request.streams.contains(.motion), let motion = try motion(request) { samples.append((.motion, motion)) }
        if request.streams.contains(.location), !fixes.isEmpty {
            samples.append((.location, ListedSamples(fixes)))
        }
        return try FrameListCursor(table, samples, request: request) { frame, _ in frame }
    }

    package func makeLoader() -> any PayloadLoader { BagPayloads(reader, topics, payloads) }

    package func examined() throws -> any Session {
        guard let problem = try contradiction() else { return self }
        var examined = self
        examined.summary.withholdDepth(for: problem, &examined.diagnostics)
        return examined
    }

    /// Looks whether there is a sample of the session's time.
    private mutating func findMotion() throws {
        guard topics.indices[.imu] != nil, let source = try motion(RecordRequest()) else { return }
        if source.upcomingTime == nil {
            diagnostics.append(source.diagnostics)
        } else {
            summary.motionSource = SessionSummary.MotionSource(rawValue: topics.name(.imu) ?? "")
        }
    }

    private func motion(_ request: RecordRequest) throws -> OrderedSamples<BagMotion>? {
        guard let topic = topics.indices[.imu] else { return nil }
        var times = Int64.min...Int64.max
        if request.jumps {
            // A row may have another time than its message, and those of a little before are needed to put all in order.
            let margin = min(largestDelay, 1 << 62) + 2_000_000_000
            let first = request.span.lowerBound.advanced(byNanoseconds: -margin).nanoseconds
            times = first...max(first, request.span.upperBound.advanced(byNanoseconds: margin).nanoseconds)
        }
        return OrderedSamples(
            try BagMotion(reader, topic: topic, custom: reader.metadata.customData, times: times),
            SampleGate(span: summary.sampleSpan, file: reader.topics[topic].name, field: "header.stamp")
        )
    }
}
