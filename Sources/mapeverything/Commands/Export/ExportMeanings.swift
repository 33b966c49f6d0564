import Exports

/// Which options of `export` mean something for which format and input: each acts on all that is written, or is refused.
extension ExportCommand {
    /// What is to be made of what.
    private struct Case {
        let format: ExportFormat
        let kind: InputKind

        func isFrames(_ fits: (FrameFormat) -> Bool = { _ in true }) -> Bool {
            kind == .session && format.frameFormat.map(fits) ?? false
        }

        var isSurface: Bool {
            if case .surface = format { kind == .session } else { false }
        }

        var isTable: Bool {
            if case .table = format { kind == .session } else { false }
        }

        var isTrack: Bool {
            if case .track = format { kind == .session } else { false }
        }

        /// Whether depth pixels, or what is made of them, are written.
        var hasDepth: Bool { isSurface || isFrames { $0.hasPoints || $0.hasDepth } }
    }

    /// Some options, what they need, and whether a case has it.
    private typealias Row = (given: [(name: String, isGiven: Bool)], needs: String, fits: (Case) -> Bool)

    private var rows: [Row] {
        let model: (FrameFormat) -> Bool = { $0.options.contains(.cameraModel) }
        return [
            (
                [("--share-intrinsics", form.shareIntrinsics), ("--binary", form.binary != nil)],
                Self.sessions(model), { $0.isFrames(model) }
            ),
            (
                [("--centre-principal-point", form.centrePrincipalPoint)],
                Self.sessions { $0.options.contains(.centredPrincipalPoint) },
                { $0.isFrames { $0.options.contains(.centredPrincipalPoint) } }
            ),
            (
                [("--kalibr", form.kalibr), ("--slow-imu", form.slowImu)],
                Self.sessions { $0.options.contains(.motion) }, { $0.isFrames { $0.options.contains(.motion) } }
            ),
            (
                [("--size", form.size != nil)],
                Self.sessions(\.hasOneSize), { $0.isFrames(\.hasOneSize) }
            ),
            (
                [("--world", form.world != nil)],
                "a session and a format of frames whose axes are free", { $0.isFrames { $0.world == nil } }
            ),
            (
                [
                    ("--every", selection.every != nil), ("--min-distance", selection.minDistance != nil),
                    ("--min-angle", selection.minAngle != nil), ("--min-sharpness", selection.minSharpness != nil),
                ],
                "a session and a format of frames", { $0.isFrames() }
            ),
            (
                selection.recording.forClock,
                "a session and a format with times", { $0.isFrames() || $0.isTable || $0.isTrack }
            ),
            (
                [("--keep-limited-tracking", selection.keepLimitedTracking)],
                "a session", { $0.kind == .session }
            ),
            (selection.recording.forContent, "a session and a format with depth", { $0.hasDepth || $0.isTable }),
            (
                [
                    ("--min-confidence", pixels.minConfidence != nil), ("--min-depth", pixels.minDepth != nil),
                    ("--edge-filter", pixels.edgeFilter != nil),
                ],
                "a session and a format with depth", { $0.hasDepth }
            ),
            (
                [("--max-depth", pixels.maxDepth != nil)],
                "a session and a format with depth, or ngp",
                { $0.hasDepth || $0.isFrames { $0.options.contains(.maximumDepth) } }
            ),
            (
                [("--voxel-size", voxelSize != nil)],
                "a session and a format with points", { $0.isSurface || $0.isFrames(\.hasPoints) }
            ),
            (
                [("-j", workers.isGiven)],
                "a session and another format than a track", { $0.isFrames() || $0.isSurface || $0.isTable }
            ),
            (
                [("--geoid", geoid.file != nil)],
                "a session and --to gpx, geojson, kml, las, csv, parquet, colmap or gaussian",
                { $0.isTrack || $0.isTable || $0.isFrames(model) || $0.isSurface && $0.format == .surface(.las) }
            ),
            (bag.given.names.map { ($0, true) }, "a bag", { $0.kind == .bag }),
        ]
    }

    /// A session and one of some formats, as a refusal names them.
    private static func sessions(_ fits: (FrameFormat) -> Bool) -> String {
        let names = FrameFormat.all.filter(fits).map(\.name)
        let list = names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
        return "a session and --to \(list)"
    }

    /// Refuses what was given and means nothing here, rather than ignoring it silently.
    func refuseUnused(_ kind: InputKind) throws(UsageError) {
        let situation = Case(format: to, kind: kind)
        for row in rows where !row.fits(situation) {
            try GivenOptions(expected: row.needs, row.given).refuse(found: "--to \(to.name) of the \(kind) \(path)")
        }
    }
}
