import ArgumentParser
import Bags
import Messages
import Platform
import Playback
import SystemPackage
import Translation

/// A session or a bag that is ready to be played.
enum Playable {
    case session(ReplaySetup)
    case bag(BagPlaybackSetup, acceptsDamage: Bool)

    var warnings: [String] {
        switch self {
        case .session(let setup): setup.warnings
        case .bag(let setup, _): setup.unmatched
        }
    }

    var topics: [Topic] {
        switch self {
        case .session(let setup): setup.topics
        case .bag(let setup, _): setup.topics
        }
    }

    /// The provenance that a bag of the messages carries.
    var provenance: [String: String] {
        switch self {
        case .session(let setup): setup.provenance
        case .bag(let setup, _): setup.provenance(version: Tool.version)
        }
    }

    /// The stamps of the first and of the last message.
    var span: ClosedRange<Int64> {
        switch self {
        case .session(let setup): setup.stampSpan
        case .bag(let setup, _): setup.span
        }
    }

    /// The topics of a bag that cannot be published.
    var leftOut: [SkippedTopic] {
        if case .bag(let setup, _) = self { setup.leftOut } else { [] }
    }

    /// A place to seek to; those of a session may be frames.
    var resolve: @Sendable (PlaybackPlace) throws -> PlaybackPlace {
        switch self {
        case .session(let setup): { try setup.resolved($0) }
        case .bag: { $0 }
        }
    }
}

extension BagPlaybackPlan {
    /// The part of a bag that is played.
    init(
        _ span: SpanOptions,
        _ recording: RecordingOptions,
        _ unknownTypes: UnknownTypeOptions,
        _ unpacking: UnpackingOptions
    ) throws {
        self.init()
        start = span.start
        end = span.end
        durationSeconds = span.duration
        types = try unknownTypes.typesByTopic()
        skipsUnknown = unknownTypes.skipUnknown
        resolver = try unknownTypes.messagePath.resolver()
        acceptsDamage = recording.acceptDamage
        unpackLimit = try unpacking.limit()
    }
}

/// The input of `replay` and `serve`: a session, of which messages are made, or a bag.
struct PlayedInputOptions: ParsableArguments {
    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).", completion: .file()) var path:
        String

    @OptionGroup(title: "What is published") var publishing: PublishingOptions
    @OptionGroup(title: "Bag input") var unknownTypes: UnknownTypeOptions
    @OptionGroup(title: "Damaged bags") var unpacking: UnpackingOptions
    @OptionGroup(title: "Point clouds", visibility: .rare) var clouds: CloudOptions

    /// Reads the options, so that what is wrong with them is known before anything is opened.
    ///
    /// - Parameters:
    ///   - adjust: changes what is made of a session.
    /// - Returns: what opens the input, and takes how it is played; nil for all at once.
    func opening(
        _ command: String,
        clockHertz: Double?,
        preset: String = "data",
        progress: ProgressOptions,
        adjust: (inout ReplayPlan) -> Void = { _ in }
    ) throws -> (PlaybackOptions?) async throws -> Playable {
        let kind = try InputKind(path)
        try OptionUse(command, kind, path).refuseUnused()
        switch kind {
        case .session:
            var plan = try publishing.plan(clouds: clouds, preset: preset)
            adjust(&plan)
            plan.clockHertz = clockHertz
            return { [plan] playback in
                var plan = plan
                if let playback { plan.playback = playback }
                let opened = try await publishing.recording.open(path, jobs: plan.jobs, command, progress)
                return .session(try ReplaySetup(opened, plan: plan))
            }
        case .bag:
            var plan = try BagPlaybackPlan(publishing.span, publishing.recording, unknownTypes, unpacking)
            plan.selection = try publishing.selection.selection()
            plan.naming.remaps = try publishing.selection.remaps()
            plan.naming.namespace = publishing.namespace ?? ""
            plan.clockHertz = clockHertz
            return { [plan] playback in
                var plan = plan
                if let playback { plan.playback = playback }
                plan.playback.stampsNow = publishing.stamp == .now
                plan.playback.nowNanoseconds = { WallClock.nowNanoseconds() }
                let setup = try BagPlaybackSetup(opening: FilePath(path), plan: plan)
                return .bag(setup, acceptsDamage: plan.acceptsDamage)
            }
        }
    }
}
