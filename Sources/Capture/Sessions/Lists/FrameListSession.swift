import Platform
package import Recording

/// A recording that lists its poses and has the files of each beside the list.
struct FrameListSession: Session {
    /// Where the samples of a stream come from.
    enum Samples: Sendable {
        /// The lines of a file.
        case stream(SampleStream)
        /// In the order of time; only what is rare is kept so.
        case list([Record])
    }

    private(set) var summary: SessionSummary
    private(set) var diagnostics: Diagnostics
    let files: any SessionFiles
    let recipe: PayloadRecipe
    private let table: FrameTable
    private let samples: [RecordStream: Samples]
    private let explainedOrphans: Diagnostics

    /// Finishes a list of frames, looks which files there are, and reads the samples once.
    ///
    /// - Parameters:
    ///   - list: with all frames added.
    ///   - samples: those of the streams beside the frames; one with no sample of the session's time is left out.
    ///   - complete: takes the summary and what was wrong, to add what only the format knows, such as the wall clock.
    init(
        _ files: any SessionFiles,
        path: String,
        list: consuming FrameList,
        recipe: PayloadRecipe,
        samples: [RecordStream: Samples] = [:],
        complete: (inout SessionSummary, inout Diagnostics) -> Void = { _, _ in }
    ) throws {
        let table = try list.finish(path: path)
        self.table = table
        var summary = list.summary
        var diagnostics = list.diagnostics
        self.files = files
        self.recipe = recipe
        try summary.findPayloads(files, recipe, table, &diagnostics)
        let lost = try LostFrames(files, recipe, table, list, summary.payloads)
        diagnostics.append(lost.lost)
        explainedOrphans = lost.explained
        self.samples = Self.read(samples, files, &summary, &diagnostics)
        complete(&summary, &diagnostics)
        for problem in files.damage { diagnostics.record(problem) }
        self.summary = summary
        self.diagnostics = diagnostics
    }

    func records(_ request: RecordRequest) throws -> any RecordCursor {
        // Samples of a little before are needed to put those of the span in order.
        let start = request.jumps ? request.span.lowerBound.advanced(byNanoseconds: -2_000_000_000) : nil
        let sources = RecordStream.allCases.compactMap { stream -> (stream: RecordStream, source: any SampleSource)? in
            guard request.streams.contains(stream), let samples = samples[stream] else { return nil }
            switch samples {
            case .stream(let lines): return (stream, OrderedSamples(lines, files, summary: summary, after: start))
            case .list(let records): return (stream, ListedSamples(records))
            }
        }
        let resolver = FrameListResolver(files: files, recipe: recipe, summary: summary)
        return try FrameListCursor(table, sources, request: request, resolve: resolver.resolve)
    }

    func examined() throws -> any Session {
        guard let problem = try DepthExamination.problem(of: self, table) else { return self }
        var examined = self
        examined.summary.withholdDepth(for: problem, &examined.diagnostics)
        return examined
    }

    func makeVideoPass() -> VideoPass? { recipe.video?.pass() }

    func makeLoader() -> any PayloadLoader { FrameListPayloads(files: files, recipe: recipe, summary: summary) }

    func orphans() -> Diagnostics { explainedOrphans }

    /// One pass over the samples of each stream: what of it is of the session's time, and what is wrong with it.
    private static func read(
        _ samples: [RecordStream: Samples],
        _ files: any SessionFiles,
        _ summary: inout SessionSummary,
        _ diagnostics: inout Diagnostics
    ) -> [RecordStream: Samples] {
        var kept = samples
        for stream in RecordStream.allCases {
            guard let one = samples[stream] else { continue }
            var count = 0
            switch one {
            case .list(let records):
                count = records.count
                if stream == .location { checkLeaps(ListedSamples(records), summary, &diagnostics) }
            case .stream(let lines) where files.size(of: lines.file) == nil:
                if let problem = files.absentStream(lines.file, twins: lines.twins) { diagnostics.record(problem) }
            case .stream(let lines):
                var source = OrderedSamples(lines, files, summary: summary)
                if stream == .location { checkLeaps(source, summary, &diagnostics) }
                // The IMU's are many: they are read, and counted, where they are wanted.
                while source.next() != nil, count == 0 || stream != .motion { count += 1 }
                if stream != .motion || count == 0 { diagnostics.append(source.diagnostics) }
                if count == 0, source.diagnostics.isEmpty {
                    diagnostics.record(files.emptyStream(lines.file, twins: lines.twins))
                }
            }
            switch stream {
            case .frames: break
            case .motion:
                if count > 0, case .stream(let lines) = one {
                    summary.motionSource = SessionSummary.MotionSource(rawValue: lines.file)
                }
            case .location: summary.location.count = count
            case .heading, .radio, .indoor: summary.sampleCounts[stream] = count > 0 ? count : nil
            }
            if count == 0 { kept[stream] = nil }
        }
        return kept
    }

    private static func checkLeaps(
        _ source: some SampleSource,
        _ summary: SessionSummary,
        _ diagnostics: inout Diagnostics
    ) {
        var source = source
        var leaps = LeapCheck(file: summary.location.file)
        while let (record, line) = source.next() {
            guard case .location(let fix) = record else { continue }
            if let problem = leaps.add(fix, line: line) { diagnostics.record(problem) }
        }
    }
}

extension SessionSummary {
    /// Takes the date in the name of the recording for the time of its first frame.
    ///
    /// - Parameter source: what the name is, in words.
    mutating func takeDate(inNameOf files: any SessionFiles, _ source: String) {
        wallClock.nameSource = (source, nil)
        if let date = CalendarDate(inName: files.name) { wallClock.nameDate = (date, firstTime) }
    }
}

/// Names of files that are a number between two fixed texts.
enum NumberedFile {
    /// A path's folder (`.` for none), and what of it belongs to the names in there.
    static func split(_ prefix: String) -> (folder: String, start: String) {
        guard let slash = prefix.lastIndex(of: "/") else { return (".", prefix) }
        return (String(prefix[..<slash]), String(prefix[prefix.index(after: slash)...]))
    }

    /// The number of a name, of at most eighteen digits, which fit; `nil` for another name.
    static func number(of name: String, _ start: String, _ suffix: String) -> Int? {
        guard name.utf8.count > start.utf8.count + suffix.utf8.count, name.hasPrefix(start), name.hasSuffix(suffix)
        else { return nil }
        let digits = name.utf8.dropFirst(start.utf8.count).dropLast(suffix.utf8.count)
        guard digits.count <= 18, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    /// A number with leading zeros.
    static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// Merges the frames of a list and the samples beside it.
package final class FrameListCursor: RecordCursor {
    /// Adds what payloads there are to a frame.
    package typealias Resolve = (FrameReference, inout Diagnostics) -> FrameReference

    package private(set) var diagnostics = Diagnostics()
    package private(set) var limitedTrackingCount = 0

    private let table: FrameTable
    private let request: RecordRequest
    private let resolve: Resolve
    private var samples: SampleMerge
    /// The frames read last, and which of them and of all is next.
    private var chunk: [FrameReference] = []
    private var placeInChunk = 0
    private var place = 0
    private var isFinished = false

    package init(
        _ table: FrameTable,
        _ samples: [(stream: RecordStream, source: any SampleSource)],
        request: RecordRequest,
        resolve: @escaping Resolve
    ) throws {
        self.table = table
        self.samples = SampleMerge(samples)
        self.resolve = resolve
        self.request = request
        place = request.streams.contains(.frames) ? try table.place(of: request.span.lowerBound) : table.count
    }

    package var upcomingLocationTime: Timestamp? { samples.upcomingLocationTime }

    package func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
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
                return .frame(request.resolvesPayloads ? resolve(frame, &diagnostics) : frame)
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
