import Recording
import Sessions
import Text

/// The streams of a session, and how much of each was read for the page.
enum StreamSection {
    static func section(
        _ summary: SessionSummary,
        _ examined: ExaminedSession,
        _ imageStep: Int
    ) -> ReportPage.Section {
        var section = ReportPage.Section("streams", "What was recorded")
        section.place = .closed
        section.showsRows = true
        section.rows = [ReportPage.Row("stream", "recorded", "read for this page", "about it")]
        if imageStep > 1, summary.hasImages {
            section.notes = ["One image in \(imageStep) was decoded as a whole; mapeverything check decodes all."]
        }
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
