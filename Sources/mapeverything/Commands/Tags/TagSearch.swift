import ArgumentParser
import Maps
import Perception
import Platform
import Recording
import Sessions
import SystemPackage
import Text
import Translation

/// Which tags are looked for in images, and how large they are.
struct TagSearchOptions: ParsableArguments {
    @Option(help: .value("family", "Family of the tags, such as tag36h11, tag25h9 or tagStandard41h12.")) var family =
        "tag36h11"

    @Option(
        name: .customLong("tag-size"),
        help: .value("metres", "Edge of the tags in metres, such as 0.152, or 1-7=0.173 for some; or auto: by LiDAR.")
    )
    var sizes: [String] = ["auto"]

    @Flag(help: "Search images at half their size: faster, blind for small tags.") var fast = false

    @Option(help: .rare("Most bits of a tag that may be wrong, 0 to 2.", "bits")) var hamming = 1

    @Option(help: .rare("Least contrast of a tag's bits, 0 to 255.", "contrast")) var margin = 50.0

    @Option(
        name: .customLong("min-edge"),
        help: .rare("Shortest edge of a tag in the image, in pixels. Default: what the library can read.", "pixels")
    )
    var givenMinimumEdge: Double?

    var minimumEdge: Double { givenMinimumEdge ?? 0 }

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var progress: ProgressOptions

    func tagFamily() throws(UsageError) -> TagFamily { try TagFamily.named(family, by: "--family") }

    func parameters() throws(UsageError) -> TagDetectorParameters {
        var parameters = TagDetectorParameters()
        parameters.families = [try tagFamily()]
        parameters.isFast = fast
        try UsageError.require((0...2).contains(hamming), "--hamming", "0, 1 or 2", hamming)
        try UsageError.require((0...255).contains(margin), "--margin", "0 to 255", margin)
        try UsageError.require((0...16_384).contains(minimumEdge), "--min-edge", "0 to 16384", minimumEdge)
        parameters.maximumHamming = hamming
        parameters.minimumEdgePixels = minimumEdge
        parameters.minimumMargin = margin
        return parameters
    }

    func measurer() throws(UsageError) -> TagMeasurer {
        guard let sizes = TagSizes(sizes) else {
            throw UsageError(
                "--tag-size",
                expected: "metres, IDS=metres or auto, such as 0.152 or 1-7=0.173",
                found: sizes.joined(separator: " ")
            )
        }
        return TagMeasurer(sizes: sizes)
    }
}

extension TagFamily {
    static func named(_ name: String, by option: String) throws(UsageError) -> TagFamily {
        let names = TagFamily.allCases.map(\.rawValue)
        let word = Spelling.match(name, among: names) ?? Spelling.match("tag" + name, among: names)
        guard let family = word.flatMap({ TagFamily($0) }) else {
            let hint = CommandHints.hint(name, among: names)
            throw UsageError(option, expected: "a family of AprilTag's library, such as tag36h11", found: name + hint)
        }
        return family
    }
}

/// Searches a session as the options have it, with a line of progress.
struct TagSearch: Sendable {
    private let tags: SessionTags
    private let command: String
    private let progress: ProgressOptions

    /// - Parameter command: whose progress is shown.
    init(_ options: TagSearchOptions, _ command: String) throws(UsageError) {
        self.command = command
        progress = options.progress
        let measurer = try options.measurer()
        var tags = SessionTags(sizes: measurer.sizes)
        tags.measurer = measurer
        tags.parameters = try options.parameters()
        tags.jobs = try options.workers.count()
        self.tags = tags
    }

    /// Gives every frame in its order.
    func search(
        _ session: any Session,
        _ deliver: @escaping @Sendable (FrameTags) async throws -> Void
    ) async throws -> SessionTagCounts {
        let summary = session.summary
        guard summary.hasImages else {
            throw InputError(path: summary.name, problem: "expected a session with images, found one without")
        }
        let (first, last) = (summary.firstTime, max(summary.firstTime, summary.lastTime))
        let total = last.seconds(since: first)
        let counts = try await progress.run(command) { tell in
            tell(WorkProgress("searching", 0, of: total, .seconds))
            return try await tags.search(session, span: first...last) { found in
                try await deliver(found)
                tell(WorkProgress("searching", found.frame.time.seconds(since: first), of: total, .seconds))
            }
        }
        if counts.sightings == 0, counts.withoutSize > 0, tags.measurer.sizes.commonMetres == nil {
            throw UsageError(
                "--tag-size",
                expected: "a size in metres, as \(summary.name) has no LiDAR depth that shows the tags",
                found: "auto"
            )
        }
        return counts
    }

    /// The sightings of a session, as a walk for a map.
    ///
    /// - Parameter takesFixes: true to make the location fixes part of it.
    func walk(_ path: String, takesFixes: Bool, _ poses: PoseOptions? = nil) async throws -> TagWalkInput {
        let opened = try OpenedRecording.open(path)
        let posed = try await poses?.applied(to: opened, jobs: tags.jobs, command, progress)
        return try await walk((posed ?? opened).session, takesFixes: takesFixes)
    }

    func walk(_ session: any Session, takesFixes: Bool) async throws -> TagWalkInput {
        let collector = TagWalkCollector(name: session.summary.name)
        let counts = try await search(session) { await collector.add($0) }
        if takesFixes { await collector.add(try FixTrack(session)) }
        return await collector.input(counts)
    }
}

/// A walk that a map is to be made of, and what is to be said of how it was read.
struct TagWalkInput: Sendable {
    var walk: RawTagMap
    /// The counts of the search in a session; nil for a raw map.
    var counts: SessionTagCounts?
    /// The line of each pose in the session's file; empty for a raw map.
    var lines: [Int] = []

    /// A raw map where the path is that of a JSON file, else a session.
    static func read(
        _ path: String,
        _ search: TagSearch,
        takesFixes: Bool = false,
        _ poses: PoseOptions? = nil
    ) async throws -> TagWalkInput {
        guard path.lowercased().hasSuffix(".json"), FileType(of: FilePath(path)) == .regular else {
            return try await search.walk(path, takesFixes: takesFixes, poses)
        }
        guard case .raw(let map) = try TagFiles.map(path) else {
            throw InputError(path: path, problem: "expected a raw map, found one that is processed")
        }
        return TagWalkInput(walk: map)
    }
}

/// Collects what the workers found.
private actor TagWalkCollector {
    private let builder: TagWalkBuilder

    init(name: String) {
        builder = TagWalkBuilder(name: name)
    }

    func add(_ found: FrameTags) { builder.add(found) }

    func add(_ track: FixTrack) { builder.add(track) }

    func input(_ counts: SessionTagCounts) -> TagWalkInput {
        TagWalkInput(walk: builder.walk, counts: counts, lines: builder.lines)
    }
}
