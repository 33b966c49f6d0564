package import Messages
package import Playback
package import Recording
package import Sessions

/// A plan applied to a session: what will be published, and what cannot be.
package struct ReplaySetup: Sendable {
    package let recording: OpenedRecording
    package let plan: ReplayPlan
    package let span: ClosedRange<Timestamp>
    package let enabled: Set<TopicKind>
    /// Topics that were asked for and have no data, with the reason, in the order of the catalogue.
    package let absent: [AbsentTopic]
    /// The requests that mean nothing for this session, a line each.
    package let warnings: [String]
    /// Every topic, in the order in which messages of one stamp are written.
    package let topics: [Topic]
    package let provenance: [String: String]
    /// Where the map lies on the Earth.
    package let georeference: Georeference
    /// Problems with the session as a whole; those of single records are found on the way.
    package let diagnostics: Diagnostics
    /// `/clock`, where it is asked for.
    let clockTopic: Topic?
    private let context: SourceContext

    package var session: any Session { recording.session }
    package var anchor: EpochAnchor { recording.clock }

    /// - Throws: a ``PlanError`` when nothing would be published.
    package init(_ recording: OpenedRecording, plan: ReplayPlan) throws {
        self.recording = recording
        self.plan = plan
        let (session, summary) = (recording.session, recording.summary)
        span = try recording.times(plan.span)
        let georeference = try Georeference(session, plan: plan)
        self.georeference = georeference
        var enabled: Set<TopicKind> = []
        var absent: [AbsentTopic] = []
        for entry in Catalogue.entries where Self.isAsked(entry, plan) {
            if let reason = Availability.reasonForAbsence(entry.kind, summary, plan, georeference) {
                let part = entry.need.part.flatMap { summary.mayHold($0) ? nil : $0.rawValue }
                absent.append(AbsentTopic(name: plan.naming.name(entry.kind), reason: reason, missingPart: part))
            } else {
                enabled.insert(entry.kind)
            }
        }
        self.enabled = enabled
        self.absent = absent
        let last = recording.clock.stamp(min(span.upperBound, summary.lastTime))
        let warnings = Self.warnings(summary, plan) + Self.warnings(lastStampNanoseconds: last)
        self.warnings = warnings
        let attitude = try AttitudeCheck(session, isNeeded: enabled.contains(.imu))
        var diagnostics = session.diagnostics
        for contradiction in georeference.contradictions {
            diagnostics.record(Problem(contradiction, file: summary.location.file))
        }
        if let problem = attitude.problem { diagnostics.record(problem) }
        self.diagnostics = diagnostics
        provenance = BagProvenance.make(
            plan: plan,
            summary: summary,
            anchor: recording.clock,
            georeference: georeference
        )
        context = SourceContext(
            summary: summary,
            correction: session.correction,
            tiles: session.tiles,
            profile: plan.profile,
            naming: plan.naming,
            enabled: enabled,
            provenance: provenance,
            georeference: georeference,
            heights: plan.heights,
            attitude: attitude,
            tagFrames: plan.tagFrames,
            jobs: plan.jobs
        )
        let topics = Catalogue.sources(context).flatMap(\.topics)
        guard !topics.isEmpty else {
            throw PlanError.noTopic(reasons: absent.map { "\($0.name): \($0.reason)" } + warnings)
        }
        clockTopic =
            plan.clockHertz == nil
            ? nil : Topic(name: plan.naming.name(.clock), type: ClockMessage.self, qos: .reliable(depth: 10))
        self.topics = topics
        try Self.checkNames((topics + (clockTopic.map { [$0] } ?? [])).map(\.name))
    }

    /// A place as the time that it stands for.
    ///
    /// - Throws: ``PlanError/noSuchFrame(index:held:)``.
    package func resolved(_ place: PlaybackPlace) throws -> PlaybackPlace {
        .date(nanoseconds: anchor.stamp(try recording.time(place)))
    }

    /// Frames that the plan leaves out for their tracking, of those that a walk has passed.
    func leftOut(_ walk: FrameWalk) -> ReplayCounts {
        var counts = ReplayCounts()
        counts.limitedTracking = plan.keepsLimitedTracking ? 0 : walk.limitedTracking
        return counts
    }

    private static func checkNames(_ names: [String]) throws(PlanError) {
        var known: Set<String> = []
        for name in names {
            guard Topic.isValidName(name) else { throw .badName(name) }
            guard known.insert(name).inserted else { throw .sameName(name) }
        }
    }

    /// New sources for one pass over the session.
    func makeSources() -> [any TopicSource] { Catalogue.sources(context) }

    /// Gates that belong to sources just made.
    func makeSchedule(_ sources: [any TopicSource]) -> Schedule {
        let summary = session.summary
        let images = plan.profile.keepsFramesTogether ? sources.firstIndex { $0 is CameraTopics } : nil
        return Schedule(
            sources.map { source in
                let isFrameSource =
                    if case .frame = source.trigger { true } else { false }
                let interval = isFrameSource ? summary.medianIntervalSeconds : nil
                let tolerance = source.trigger == .samples(.motion) ? 0.2 : 0
                return Schedule.Entry(
                    trigger: source.trigger,
                    gate: RateGate(
                        rateHertz: source.rateHertz,
                        nominalIntervalSeconds: interval,
                        tolerance: tolerance,
                        keepsEqualTimes: source.trigger == .samples(.radio)
                    ),
                    topics: source.topics.map(\.name),
                    isLatched: source.trigger == .any && source.topics.contains(where: \.isLatched),
                    leader: source is DepthTopics ? images : nil
                )
            },
            keepsLimitedTracking: plan.keepsLimitedTracking,
            // For velocities between neighbours, for the places of observations, and for how tracking did.
            readsEveryFrame: !enabled.isDisjoint(with: [.odometry, .radio, .status]),
            hasPictures: summary.hasImages
        )
    }

    /// The records that the enabled topics are made from.
    ///
    /// - Parameter streams: those that may be among them.
    func makeWalk(
        from first: Timestamp,
        streams: [RecordStream] = RecordStream.allCases,
        jumps: Bool = false
    ) throws -> FrameWalk {
        try FrameWalk(
            session,
            RecordRequest(
                span: first...max(first, span.upperBound),
                streams: Set(streams.filter { !enabled.isDisjoint(with: Self.kinds(of: $0)) }),
                jumps: jumps
            )
        )
    }

    /// The topics that records of a stream are read for.
    private static func kinds(of stream: RecordStream) -> Set<TopicKind> {
        let entries = Catalogue.entries.filter { stream == .frames || $0.need.stream == stream }
        return Set(entries.map(\.kind)).union(stream == .location ? [.status] : [])
    }

    /// How the session is played.
    var playback: PlaybackOptions {
        var options = plan.playback
        options.stampsNow = plan.stamp == .now
        options.nowNanoseconds = plan.nowNanoseconds
        options.clock = clockTopic.flatMap { topic in plan.clockHertz.map { (topic, $0) } }
        return options
    }

    /// The first time that can be published.
    var startTime: Timestamp { max(span.lowerBound, session.summary.firstTime) }

    /// The last time that can be published.
    var endTime: Timestamp { max(startTime, min(span.upperBound, session.summary.lastTime)) }

    /// The stamps of the first and the last time, in nanoseconds since 1970.
    package var stampSpan: ClosedRange<Int64> { anchor.stamp(startTime)...anchor.stamp(endTime) }

    var preparation: PreparationSettings {
        PreparationSettings(
            conventions: plan.profile.conventions,
            clouds: plan.profile.clouds,
            calibration: plan.calibration,
            decodesFullSize: plan.decodesFullSize,
            tags: plan.tags
        )
    }

    private static func isAsked(_ entry: CatalogueEntry, _ plan: ReplayPlan) -> Bool {
        if entry.kind == .clock, plan.clockHertz != nil { return true }
        return isOffered(entry, plan) && plan.selection.contains(entry.name)
    }

    /// True if the profile has the topic, or it was named.
    private static func isOffered(_ entry: CatalogueEntry, _ plan: ReplayPlan) -> Bool {
        let isNamed = plan.selection.only.contains(entry.name)
        return isNamed || (entry.kind == .clock ? plan.clockHertz != nil : plan.profile.topics[entry.kind] != nil)
    }

    /// `builtin_interfaces/Time` has 32 bits for seconds.
    private static func warnings(lastStampNanoseconds last: Int64) -> [String] {
        let end = Int64(Int32.max) * 1_000_000_000
        guard last > end else { return [] }
        let found = CalendarText.utc(nanoseconds: last)
        return [
            "clock: expected stamps up to \(CalendarText.utc(nanoseconds: end)), the last that ROS's Time holds, found \(found)"
        ]
    }

    private static func warnings(_ summary: SessionSummary, _ plan: ReplayPlan) -> [String] {
        let unmatched = plan.selection.unmatched(
            in: Catalogue.entries.map(\.name),
            of: "the catalogue",
            offered: Catalogue.entries.filter { isOffered($0, plan) }.map(\.name),
            remaps: plan.naming.remaps
        )
        guard summary.location.count == 0, !plan.optionsForFixes.isEmpty else { return unmatched }
        let options = plan.optionsForFixes.joined(separator: ", ")
        return unmatched + ["\(options): expected a session with GPS fixes, found none: nothing comes of it"]
    }
}
