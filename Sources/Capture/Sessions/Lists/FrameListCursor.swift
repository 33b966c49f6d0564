import Recording

/// Merges the frames of a list and the samples beside it.
final class FrameListCursor: RecordCursor {
    private(set) var diagnostics = Diagnostics()
    private(set) var limitedTrackingCount = 0

    private let table: FrameTable
    private let request: RecordRequest
    private let resolver: FrameListResolver
    private var samples: SampleMerge
    /// The frames read last, and which of them and of all is next.
    private var chunk: [FrameReference] = []
    private var placeInChunk = 0
    private var place = 0
    private var isFinished = false

    init(
        _ table: FrameTable,
        _ samples: [(stream: RecordStream, source: any SampleSource)],
        resolver: FrameListResolver,
        request: RecordRequest
    ) throws {
        self.table = table
        self.samples = SampleMerge(samples)
        self.resolver = resolver
        self.request = request
        place = request.streams.contains(.frames) ? try table.place(of: request.span.lowerBound) : table.count
    }

    var upcomingLocationTime: Timestamp? { samples.upcomingLocationTime }

    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
        while true {
            if isFinished { return nil }
            if placeInChunk == chunk.count, place < table.count {
                chunk = try table.frames(from: place)
                place += chunk.count
                placeInChunk = 0
            }
            let frame = placeInChunk < chunk.count ? chunk[placeInChunk] : nil
            if request.jumps, let upcoming = [samples.upcomingTime, frame?.time].compactMap(\.self).min(),
                upcoming > request.span.upperBound
            {
                return finish()
            }
            if let sample = samples.upcomingTime, frame.map({ sample < $0.time }) ?? true {
                if let record = samples.next(), request.span.contains(record.time) { return record }
            } else if let frame {
                placeInChunk += 1
                guard request.span.contains(frame.time) else { continue }
                if !frame.tracking.isNormal { limitedTrackingCount += 1 }
                guard isFrameWanted(frame.time) else { continue }
                return .frame(request.resolvesPayloads ? resolver.resolve(frame, &diagnostics) : frame)
            } else {
                return finish()
            }
        }
    }

    private func finish() -> Record? {
        guard !isFinished else { return nil }
        isFinished = true
        let found = samples.finish()
        if !request.jumps { diagnostics.append(found) }
        return nil
    }
}

/// Decides which payloads a frame has, by what files are there.
struct FrameListResolver: Sendable {
    let files: any SessionFiles
    let recipe: PayloadRecipe
    let summary: SessionSummary

    func resolve(_ reference: FrameReference, _ diagnostics: inout Diagnostics) -> FrameReference {
        var frame = reference
        frame.hasImage = false
        if let video = recipe.video {
            frame.hasImage = video.pairing.sample(of: frame) != nil
        } else if let names = recipe.imageNames?(frame) {
            frame.hasImage = exists(names, .missingImage, "the image", of: frame, .images, &diagnostics)
        }
        frame.depthSize = nil
        if let depth = recipe.depth, summary.hasDepth,
            exists(depth.names(frame), .missingDepth, "the depth", of: frame, .depth, &diagnostics)
        {
            frame.depthSize = summary.depthSize
        }
        return frame
    }

    private func exists(
        _ names: [String],
        _ kind: ProblemKind,
        _ what: String,
        of frame: FrameReference,
        _ payload: PayloadKind,
        _ diagnostics: inout Diagnostics
    ) -> Bool {
        var empty: String?
        for name in names {
            guard let bytes = files.size(of: name) else { continue }
            if bytes > 0 { return true }
            empty = empty ?? name
        }
        let odd = names.lazy.compactMap { name in files.irregular(name).map { (name, $0) } }.first
        let isExpected = summary.payloads[payload].map { $0.found > 0 && $0.isExpectedOfEach } ?? false
        // An empty file, or what is no file, is damage even where a frame need not have one.
        guard let first = names.first, isExpected || empty != nil || odd != nil else { return false }
        diagnostics.record(
            Problem(
                kind,
                file: odd?.0 ?? empty ?? first,
                expected: "\(what) of \(summary.frameNames.text(frame))",
                found: odd?.1 ?? (empty == nil ? "no file" : "an empty file")
            )
        )
        return false
    }
}
