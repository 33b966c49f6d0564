package import Platform
import Recording
package import Sessions
import Text
package import Translation

/// Makes the page of a session: what it holds, what is wrong with it, and what it looks like.
package struct SessionReport: Sendable {
    /// How many points the cloud that can be turned has; 0 for none.
    package var points = 300_000
    package var jobs = 1
    package var toolVersion = ""
    /// Of the recording on disk.
    package var byteCount = 0
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
        let items = Self.items(walk, depthNeedsImage: session is DepthSession)
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
    private static func items(_ walk: RecordWalk, depthNeedsImage: Bool) -> [PictureItem] {
        let frames = walk.frames.items
        guard let first = frames.first else { return [] }
        func every(_ count: Int, of indices: [Int]) -> Set<Int> { Set(indices.evenly(count)) }
        let withImage = frames.indices.filter { frames[$0].hasImage }
        let withDepth = frames.indices.filter { frames[$0].depthSize != nil }
        let sheet = every(thumbnails, of: withImage)
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
                depthThumbnail: sheet.contains(index) && frames[index].depthSize != nil,
                cloud: clouds.contains(index),
                depth: depth.contains(index),
                calibration: calibrated.contains(index),
                depthNeedsImage: depthNeedsImage
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
        let begin = anchor.unixNanoseconds(summary.firstTime)
        var page = ReportPage(
            title: summary.name,
            subtitle: [
                summary.format + " layout", summary.deviceModel, summary.osVersion.map { "OS \($0)" },
            ].compactMap { $0 }.filter { !$0.hasSuffix("unknown") }.joined(separator: ", ")
        )
        page.setFindings(check)
        page.addVerdict(walk, summary)
        let sections = [
            "images": "images", "depth": "depth", "IMU": "imu", "GPS": "gps", "tracking": "time", "blur": "time",
            "loop": "loops",
        ]
        let loops = LoopSection.section(walk, session)
        let shares = summary.streamShares + [walk.blur, loops.share].compactMap(\.self)
        page.streams = shares.map { ($0, sections[$0.name] ?? "") }
        let georeference = try Georeference(session)
        page.facts = [
            ("duration", Readable.duration(summary.durationSeconds)), ("frames", Readable.count(summary.frameCount)),
            ("walked", walk.way.metresWalked.text(decimals: 1) + " m"), ("size", Readable.bytes(byteCount)),
            ("begins", begin.map { CalendarText.readable(nanoseconds: $0) } ?? "not said"),
            ("time from", anchor.source.rawValue),
            (
                "seen from above",
                collector.points.points.isEmpty
                    ? "nothing"
                    : collector.points.areaSeen(below: walk.way.ceilingMetres).text(decimals: 1) + " m\u{B2}"
            ),
            (
                "gaps",
                walk.gapCount == 0
                    ? "none" : "\(walk.gapCount), largest \(Readable.duration(summary.largestGapSeconds))"
            ),
            ("images from", summary.hasImages ? summary.imageSource ?? "the recording's files" : "none"),
            ("device", summary.deviceModel ?? "not said"),
        ]
        var points = collector.points
        points.colourByHeight(below: walk.way.ceilingMetres)
        let plan = PlanSection(
            walk.way,
            points,
            headingDegrees: georeference.earthFromWorld == nil ? nil : georeference.heading.degrees
        )
        page.sections = [
            plan.section, walk.timeSection(collector), walk.heightSection, collector.sheetSection(summary),
            collector.depthSection(summary), EarthSection.section(try FixTrack(session), georeference, summary),
            walk.motionSection(summary), walk.cameraSection, collector.calibrationSection(summary),
        ]
        if let depths = DepthSection.section(walk.frames.items, session) { page.sections.append(depths) }
        if let poses = PoseSection.section(walk, session.correction) { page.sections.insert(poses, at: 1) }
        if let cloud = CloudSection(points, limit: self.points, walk.way) {
            page.sections.insert(cloud.section, at: 1)
            page.blocks = cloud.blocks
        }
        page.cursor = ReportPage.Cursor(
            seconds: walk.seconds,
            begins: begin ?? anchor.stamp(summary.firstTime),
            view: walk.frames.items.first.map { $0.intrinsics.halfView } ?? SIMD2(0.6, 0.45),
            way: walk.way.base64
        )
        page.sections += [
            loops.section, StreamSection.section(summary, check.examined, imageStep),
        ]
        page.footer = "Made by mapeverything \(toolVersion) from \(summary.name)."
        page.json = .object([
            "generator": .string("mapeverything \(toolVersion)"), "session": .string(summary.name),
            "begins_ns": .integer(begin), "duration_s": .number(summary.durationSeconds),
            "frames": .integer(summary.frameCount), "walked_m": .number(walk.way.metresWalked),
            "gaps": .array(walk.gaps.map { .array([.number($0.lowerBound), .number($0.upperBound)]) }),
            "verdict": .string(check.verdict.word.rawValue), "looked_at": .string(check.verdict.examined),
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
        verdict = (check.verdict.sentence, Tone(check.verdict))
        findings = check.distinctFindings.map { finding in
            var text = "\(finding.severity.rawValue): \(finding.explanation)"
            if finding.count > 1 { text += " (\(Readable.count(finding.count)) times)" }
            if let place = finding.places.first { text += ". First: \(place)" }
            return (finding.severity == .error ? .warn : .plain, text, Advice.text(finding.advice, on: check.path))
        }
    }
}

extension ReportPage.Tone {
    package init(_ verdict: Verdict) {
        switch verdict.word {
        case .sound: self = .good
        case .usable: self = .plain
        case .damaged: self = .warn
        }
    }
}

extension ReportPage {
    /// Adds the shortcomings that a sound recording may have all the same.
    fileprivate mutating func addVerdict(_ walk: RecordWalk, _ summary: SessionSummary) {
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
        verdict.text = ([verdict.text + "."] + sentences).joined(separator: " ")
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
        (section.notes, section.place) = ([reason], .absent)
        return section
    }
}

extension SessionCheckReport {
    /// One for one cause: a frame that has lost its image and its depth is empty for no other reason.
    fileprivate var distinctFindings: [Finding] {
        let lost = min(count(of: .missingImage), count(of: .missingDepth))
        return findings.filter { $0.kind != .emptyFrame || $0.count > lost }
    }
}

extension CameraIntrinsics {
    /// What is seen to either side at a distance of 1 m.
    fileprivate var halfView: SIMD2<Double> {
        guard fx > 0, fy > 0, width > 0, height > 0 else { return SIMD2(0.6, 0.45) }
        return SIMD2(Double(width) / (2 * fx), Double(height) / (2 * fy))
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

    /// The share of frames that the app would not keep, of those whose sharpness was recorded; nil where it was of none.
    var blur: StreamShare? {
        guard !sharpness.isEmpty else { return nil }
        let count = sharpness.total.count
        let isMuch = Double(blurred) > Self.muchBlur * Double(count)
        return StreamShare("blur", Self.share(blurred, count), isMuch ? .part : .whole)
    }

    /// More than a tenth is what a reconstruction of the images will feel.
    private static let muchBlur = 0.1

    var isTrackingPartlyBad: Bool { tracking.counts.dropFirst().contains { $0 > 0 } }
}
