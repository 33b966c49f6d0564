package import Platform
import Recording
package import Replay
package import Sessions
package import Text

/// Makes the page of a session: what it holds, what is wrong with it, and what it looks like.
package struct SessionReport: Sendable {
    /// How many points the cloud that can be turned has; 0 for none.
    package var points = 300_000
    package var jobs = 1
    package var toolVersion = ""
    /// Unix time minus session time.
    package var anchor: EpochAnchor

    private static let thumbnails = 24
    private static let clouds = 200
    /// Neighbours of a few hundredths of a second see the same.
    private static let cloudsPerSecond = 5.0
    private static let depthMaps = 100

    package init(anchor: EpochAnchor) { self.anchor = anchor }

    /// - Parameters:
    ///   - check: What a check of the same session found.
    ///   - imageStep: Every so many-th image was decoded for it.
    ///   - progress: Is told the frames that were looked at.
    @concurrent
    package func page(
        of session: any Session,
        check: SessionCheckReport,
        imageStep: Int = 1,
        progress: ProgressHandler = { _ in }
    ) async throws -> ReportPage {
        let walk = try RecordWalk(session)
        let collector = PictureCollector(seconds: walk.seconds)
        let items = Self.items(walk)
        var done = 0
        let chosen = FrameWalk(session, frames: items.map(\.frame), withPicture: items.map(\.wantsImage))
        try await chosen.forEachFrame(jobs: jobs) {
            PictureMaker(session)
        } prepare: { maker, walked in
            maker.make(items[walked.number - 1], walked.picture)
        } deliver: { made in
            collector.add(made)
            done += 1
            progress(WorkProgress("drawing", done, of: items.count, .frames))
        }
        return try compose(session, check, imageStep, walk, collector)
    }

    /// The frames that are looked at, in the order of time.
    private static func items(_ walk: RecordWalk) -> [PictureItem] {
        let frames = walk.frames.items
        guard let first = frames.first else { return [] }
        func every(_ count: Int, of indices: [Int]) -> Set<Int> {
            guard indices.count > count else { return Set(indices) }
            return Set((0..<count).map { indices[(2 * $0 + 1) * indices.count / (2 * count)] })
        }
        let withImage = frames.indices.filter { frames[$0].hasImage }
        let withDepth = frames.indices.filter { frames[$0].depthSize != nil }
        let sheet = every(thumbnails, of: withImage)
        let thirds = Set(sheet.sorted().enumerated().filter { $0.offset % 3 == 1 }.map(\.element))
        let wanted = min(clouds, max(20, Int(min(walk.seconds, 1e6) * cloudsPerSecond)))
        let clouds = every(wanted, of: withDepth.filter { frames[$0].tracking.isNormal })
        let depth = every(depthMaps, of: withDepth)
        let calibrated = every(depthMaps / 2, of: withDepth.filter { frames[$0].relativeDepthSize != nil })
        return frames.indices.compactMap { index in
            let isWanted = [sheet, clouds, depth, calibrated].contains { $0.contains(index) }
            guard isWanted else { return nil }
            return PictureItem(
                frames[index],
                seconds: frames[index].time.seconds(since: first.time),
                thumbnail: sheet.contains(index),
                depthThumbnail: thirds.contains(index) && frames[index].depthSize != nil,
                cloud: clouds.contains(index),
                depth: depth.contains(index),
                calibration: calibrated.contains(index)
            )
        }
    }

    private func compose(
        _ session: any Session,
        _ check: SessionCheckReport,
        _ imageStep: Int,
        _ walk: RecordWalk,
        _ collector: PictureCollector
    ) throws -> ReportPage {
        let summary = session.summary
        let begin = anchor.stamp(summary.firstTime)
        var page = ReportPage(
            title: summary.name,
            subtitle: [
                summary.format + " layout", summary.deviceModel, summary.osVersion.map { "OS \($0)" },
            ].compactMap { $0 }.filter { !$0.hasSuffix("unknown") }.joined(separator: ", ")
        )
        page.setFindings(check)
        page.addVerdict(walk, summary, imageStep: imageStep)
        let georeference = try Georeference(session)
        page.facts = [
            ("begins", CalendarText.utc(nanoseconds: begin)), ("time from", anchor.source.rawValue),
            ("duration", (summary.durationSeconds).text(decimals: 1) + " s"),
            ("frames", "\(summary.frameCount)"),
            ("walked", walk.way.metresWalked.text(decimals: 1) + " m"),
            (
                "seen from above",
                collector.points.points.isEmpty
                    ? "nothing"
                    : collector.points.areaSeen(below: walk.way.ceilingMetres).text(decimals: 1) + " m\u{B2}"
            ),
            (
                "gaps",
                walk.gapCount == 0
                    ? "none" : "\(walk.gapCount), largest \(summary.largestGapSeconds.text(decimals: 2)) s"
            ),
            ("images from", summary.hasImages ? summary.imageSource ?? "the recording's files" : "none"),
            ("device", summary.deviceModel ?? "not said"),
            ("tracking", walk.normalTracking.map { "\($0) normal" } ?? "not said"),
            ("IMU", summary.motionSource == .none ? "none" : "from \(summary.motionSource.rawValue)"),
            ("GPS", summary.location.count == 0 ? "none" : "\(summary.location.count) fixes"),
        ]
        let plan = PlanSection(
            walk.way,
            collector.points,
            headingDegrees: georeference.earthFromWorld == nil ? nil : georeference.heading.degrees
        )
        page.sections = [
            plan.section, walk.timeSection(collector), walk.heightSection, collector.sheetSection(summary),
            collector.depthSection(summary), EarthSection.section(try FixTrack(session), georeference, summary),
            walk.motionSection(summary), walk.cameraSection, collector.calibrationSection(summary),
        ]
        if let cloud = CloudSection(collector.points, limit: points, below: walk.way.ceilingMetres) {
            page.sections.insert(cloud.section, at: 1)
            page.blocks = cloud.blocks
            page.script = cloud.script
        }
        page.sections += [LoopSection.section(walk, session), StreamSection.section(summary, check.examined)]
        page.footer = "Made by mapeverything \(toolVersion) from \(summary.name)."
        page.json = .object([
            "generator": .string("mapeverything \(toolVersion)"), "session": .string(summary.name),
            "begins_ns": .integer(begin), "duration_s": .number(summary.durationSeconds),
            "frames": .integer(summary.frameCount), "walked_m": .number(walk.way.metresWalked),
            "gaps": .array(walk.gaps.map { .array([.number($0.lowerBound), .number($0.upperBound)]) }),
            "sound": .bool(check.isSound),
            "findings": .array(
                check.findings.map {
                    .object([
                        "severity": .string($0.severity.rawValue), "kind": .string($0.kind.rawValue),
                        "count": .integer($0.count),
                    ])
                }
            ),
            "sections": .array(page.sections.map(\.json)),
        ])
        return page
    }
}

extension ReportPage {
    /// The verdict of a check first, then what it found.
    mutating func setFindings(_ check: SessionCheckReport) {
        let (errors, warnings) = (check.count(of: .error), check.count(of: .warning))
        let kinds = check.findings.filter { $0.severity != .note }.count
        switch (errors, warnings) {
        case (0, 0): verdict = ("Sound: nothing wrong was found in this recording.", .good)
        case (0, _): verdict = ("Usable: nothing is lost; \(RecordWalk.counted(kinds, "kind of warning")).", .plain)
        default: verdict = ("Damaged: something of this recording is lost or wrong, see below.", .warn)
        }
        findings = check.findings.map { finding in
            var text = "\(finding.severity.rawValue): \(finding.explanation)"
            if finding.count > 1 { text += " (\(finding.count) times)" }
            if let place = finding.places.first { text += ". First: \(place)" }
            return (finding.severity == .error ? .warn : .plain, text, finding.advice)
        }
    }
}

extension ReportPage {
    /// Adds the shortcomings that a sound recording may have all the same.
    fileprivate mutating func addVerdict(_ walk: RecordWalk, _ summary: SessionSummary, imageStep: Int) {
        var sentences: [String] = []
        if walk.gapCount > 0 {
            let largest = summary.largestGapSeconds.text(decimals: 2)
            sentences.append(
                RecordWalk.counted(walk.gapCount, "gap") + (walk.gapCount == 1 ? " of" : ", the largest of")
                    + " \(largest) s."
            )
        }
        if walk.isTrackingPartlyBad, let normal = walk.normalTracking {
            sentences.append("Tracking was normal in \(normal) of the frames.")
        }
        if !sentences.isEmpty, verdict.tone == .good { verdict.tone = .plain }
        if imageStep > 1, summary.hasImages {
            sentences.append("One image in \(imageStep) was decoded as a whole; mapeverything check decodes all.")
        }
        verdict.text = ([verdict.text] + sentences).joined(separator: " ")
    }
}

extension ReportPage.Section {
    /// The numbers of its table.
    var json: JSONValue {
        .object([
            "id": .string(id), "title": .string(title), "notes": .strings(notes),
            "rows": .array(rows.map { .strings($0.cells) }),
        ])
    }

    /// A section that only says what there is not.
    static func absent(_ id: String, _ title: String, _ reason: String) -> Self {
        var section = Self(id, title)
        section.notes = [reason]
        return section
    }
}

extension RecordWalk {
    /// A number with its word, which gets an s behind its first word where there are several.
    static func counted(_ count: Int, _ word: String) -> String {
        let words = word.split(separator: " ", maxSplits: 1).map(String.init)
        let first = (words.first ?? "") + (count == 1 ? "" : "s")
        return (["\(count)", first] + words.dropFirst()).joined(separator: " ")
    }

    static func share(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "0 %" : (Double(part) / Double(whole) * 100).text(decimals: 1) + " %"
    }

    /// The share of frames with normal tracking, of those that say how it was; nil where none does.
    var normalTracking: String? {
        let told = tracking.counts.reduce(0, +)
        return told > 0 ? Self.share(tracking.counts[0], told) : nil
    }

    var isTrackingPartlyBad: Bool { tracking.counts.dropFirst().contains { $0 > 0 } }
}

/// The streams of a session, and how much of each was read for the page.
enum StreamSection {
    static func section(_ summary: SessionSummary, _ examined: ExaminedSession) -> ReportPage.Section {
        var section = ReportPage.Section("streams", "What was recorded")
        section.showsRows = true
        section.rows = [ReportPage.Row("stream", "recorded", "read for this page", "about it")]
        func size(_ size: GridSize?) -> String { size.map { "\($0.width) x \($0.height)" } ?? "" }
        func add(_ name: String, _ recorded: String, _ read: Int, _ about: String) {
            section.rows.append(ReportPage.Row(name, recorded, read > 0 ? "\(read)" : "", about))
        }
        let count = "\(summary.frameCount)"
        let lost = summary.lineCount - summary.frameCount
        add("frames", count, examined.frames, lost > 0 ? "\(lost) lines more are no frames" : summary.frameFile)
        func addFiles(_ kind: PayloadKind, _ isThere: Bool, _ read: Int, _ about: String) {
            let account = summary.payloads[kind] ?? PayloadAccount()
            guard isThere || account.missing > 0 else { return }
            add(kind.rawValue, account.expected > 0 ? account.text : count, read, about)
        }
        addFiles(.images, summary.hasImages, examined.images, size(summary.sensorSize))
        addFiles(.depth, summary.hasDepth, examined.depthMaps, size(summary.depthSize))
        addFiles(.confidence, summary.hasConfidence, examined.confidenceMaps, "")
        if summary.hasRelativeDepth {
            let about = [size(summary.relativeDepthSize), summary.relativeDepthModel ?? ""].filter { !$0.isEmpty }
            add("relative depth", "", examined.relativeDepthMaps, about.joined(separator: ", "))
        }
        if summary.motionSource != .none {
            add(
                "IMU",
                "\(summary.sampleCounts[.motion] ?? examined.motionLines)",
                examined.motionLines,
                summary.motionSource.rawValue
            )
        }
        if summary.location.count > 0 {
            add("GPS", "\(summary.location.count)", examined.locationLines, summary.location.file)
        }
        for (stream, name) in [(RecordStream.heading, "compass"), (.radio, "radio"), (.indoor, "indoor positions")] {
            if let samples = summary.sampleCounts[stream] { add(name, "\(samples)", 0, "") }
        }
        if summary.hasSatelliteTiles || summary.hasElevationTiles {
            let kinds = [(summary.hasSatelliteTiles, "satellite"), (summary.hasElevationTiles, "elevation")]
            add("map tiles", "", examined.tiles, kinds.filter(\.0).map(\.1).joined(separator: ", "))
        }
        return section
    }
}
