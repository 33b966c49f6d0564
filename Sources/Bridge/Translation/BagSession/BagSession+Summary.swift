import Bags
import Messages
import Recording
import Sessions
import Text

extension BagSession {
    /// What metadata.yaml and the message about the session say.
    static func summary(
        _ reader: BagReader,
        _ topics: BagTopics,
        _ index: BagIndex,
        _ custom: [String: String]
    ) -> SessionSummary {
        func own(_ key: String) -> String? { custom[BagConventions.prefix + key] }
        let name = own("session") ?? index.session.map(\.sessionID).flatMap { $0.isEmpty ? nil : $0 }
        let poses = topics.name(.pose) ?? topics.name(.transforms) ?? ""
        var summary = SessionSummary(name: name ?? BagIndexer.name(reader), format: "bag", frameFile: poses)
        summary.frameNames.time = "header.stamp"
        summary.frameNames.transform = topics.indices[.pose] == nil ? "transforms" : "pose"
        summary.frameNames.intrinsics = "k"
        let device = index.session.flatMap { try? JSONValue.parse($0.device, valueLimit: 1000) }
        summary.deviceModel = own("device") ?? device?["model"]?.string
        summary.osVersion = own("device_os") ?? device?["os"]?.string
        let heading = own("heading") ?? ""
        summary.worldAlignment = WorldAlignment.allCases.first { heading.hasSuffix("(world_alignment \($0.rawValue))") }
        summary.poseOrigin = own("poses")
        summary.depthOrigin = own("depth")
        summary.location.file = topics.name(.fix) ?? summary.location.file
        return summary
    }

    /// What is wrong with the bag as a whole, beyond its messages.
    static func noteDamage(
        of reader: BagReader,
        _ topics: BagTopics,
        _ index: BagIndex,
        _ diagnostics: inout Diagnostics
    ) {
        let name = BagIndexer.name(reader)
        for error in reader.problems {
            let found = "\(error)"
            diagnostics.record(Problem(.unreadableFile, file: name, expected: "a file that opens", found: found))
        }
        for difference in reader.differences {
            let expected = "all that the bag says that it holds"
            diagnostics.record(Problem(.damagedArchive, file: name, expected: expected, found: difference))
        }
        guard let left = index.distortion else { return }
        let file = topics.name(.imageCamera) ?? topics.name(.depthCamera) ?? ""
        let found = left.isEmpty ? "other numbers" : "other numbers of the model \(left), which are left out"
        diagnostics.record(Problem(.lensDistortion, file: file, field: "d", expected: "zeros", found: found))
    }

    /// The fixes of the session's time, in the order of time.
    static func fixes(
        _ index: BagIndex,
        _ conventions: BagConventions,
        _ summary: SessionSummary,
        _ topics: BagTopics,
        _ reader: BagReader,
        _ diagnostics: inout Diagnostics
    ) -> [Record] {
        let file = topics.name(.fix) ?? ""
        var gate = SampleGate(span: summary.sampleSpan, file: file, field: "header.stamp")
        var leaps = LeapCheck(file: file)
        var records: [Record] = []
        for (place, one) in index.fixes.sorted(by: { $0.stamp < $1.stamp }).enumerated() {
            do throws(Problem) {
                let time = Timestamp(nanoseconds: one.stamp)
                guard var fix = try LocationSample(one.fix, time: time, conventions.location) else { continue }
                if let metadata = index.fixMetadata[one.stamp] {
                    fix.complete(from: metadata.position, unixSeconds: metadata.unixSeconds)
                }
                guard gate.judge(time, line: place + 1) == .kept else { continue }
                if let problem = leaps.add(fix, line: place + 1) { diagnostics.record(problem) }
                records.append(.location(fix))
            } catch {
                let place = "\(file): \(reader.text(of: one.place))"
                diagnostics.record(Problem(error.kind, file: place, expected: error.expected, found: error.found))
            }
        }
        diagnostics.append(gate.diagnostics)
        return records
    }
}

extension BagIndex {
    /// The size of the first depth; where messages do not say it, one is read.
    func depthSize(of reader: BagReader, _ topics: BagTopics) -> GridSize? {
        guard let first = depths.first else { return nil }
        if let size = first.sensorSize { return size }
        let loader = BagPayloads(reader, topics, BagPayloadIndex())
        // The first that reads, of a few.
        return depths.prefix(8).lazy.compactMap { loader.depthSize(at: $0.place) }.first
    }

    /// The index with a camera for images that have none: that of the depth, at the size of the first image that reads.
    func withCameras(of reader: BagReader, _ topics: BagTopics) -> BagIndex {
        guard imageCameras.isEmpty, let place = images.first?.place, let first = depthCameras.nearest(to: 0) else {
            return self
        }
        let loader = BagPayloads(reader, topics, BagPayloadIndex())
        guard let size = loader.imageSize(at: place) else { return self }
        var index = self
        for stamp in depthCameras.stamps {
            let camera = depthCameras.nearest(to: stamp) ?? first
            let intrinsics = camera.intrinsics.scaled(toWidth: size.width, height: size.height)
            index.imageCameras.add(Cameras.Camera(intrinsics: intrinsics, turn: camera.turn), stamp: stamp)
        }
        return index
    }
}

extension SessionSummary {
    /// What is known once frames are made.
    mutating func take(_ counts: [PayloadKind: Int], depthSize size: GridSize?) {
        for kind in PayloadKind.allCases {
            var account = PayloadAccount(.free)
            (account.possible, account.found) = (counts[kind] ?? 0, counts[kind] ?? 0)
            payloads[kind] = account
        }
        hasImages = counts[.images] ?? 0 > 0
        hasDepth = counts[.depth] ?? 0 > 0
        hasConfidence = counts[.confidence] ?? 0 > 0
        framesThatMayHaveDepth = counts[.depth] ?? 0
        if hasDepth { depthSize = size }
        // Stamps are Unix time, unless the bag was made with the phone's own.
        guard firstTime.nanoseconds >= EpochAnchor.oldestUnixNanoseconds else { return }
        wallClock.metadataOffsetNanoseconds = 0
        wallClock.metadata = (frameFile, "header.stamp")
    }
}
