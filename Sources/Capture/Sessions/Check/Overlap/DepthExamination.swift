import Recording

/// Checks that the depth of a recording fits its poses, by a few of its frames: cheap enough for every opening.
///
/// The axes, the order and the unit of another app's values are known from descriptions of its format only. Clouds made with wrong ones
/// look sound in a bag.
enum DepthExamination {
    /// So many pairs of frames are compared.
    private static let pairs = 8
    /// Depth of so many frames is looked at by itself.
    private static let maps = 4
    /// Pairs are looked for in so many stretches of the list, each of one ``FrameTable/chunk``.
    private static let stretches = 8

    /// The first thing that is wrong with depth as a whole; `nil` where there is none, or where nothing can be said.
    static func problem(
        of session: FrameListSession,
        _ table: FrameTable
    ) throws -> Problem? {
        guard session.summary.hasDepth else { return nil }
        let resolver = FrameListResolver(files: session.files, recipe: session.recipe, summary: session.summary)
        let last = max(0, table.count - FrameTable.chunk)
        let places = Set((0..<stretches).map { $0 * last / (stretches - 1) }).sorted()
        var sample = Sample()
        var end = 0
        for place in places where place >= end {
            for frame in try table.frames(from: place) {
                // What is missing is counted where it is used.
                var ignored = Diagnostics()
                sample.add(resolver.resolve(frame, &ignored))
            }
            sample.overlap.endStretch()
            end = place + FrameTable.chunk
        }
        return sample.problem(of: session)
    }

    /// The same of a session of any format, whose frames are walked through as a whole.
    static func problem(of session: any Session) throws -> Problem? {
        guard session.summary.framesThatMayHaveDepth > 0 else { return nil }
        var sample = Sample()
        let cursor = try session.records(RecordRequest(streams: [.frames]))
        while let record = try cursor.next() {
            if case .frame(let frame) = record { sample.add(frame) }
        }
        return sample.problem(of: session)
    }

    /// The frames that are looked at.
    private struct Sample {
        var overlap = OverlapCheck(pairs: DepthExamination.pairs)
        var maps = SpreadSample<FrameReference>(limit: DepthExamination.maps)

        mutating func add(_ frame: FrameReference) {
            overlap.add(frame)
            if frame.depthSize != nil { maps.add(frame) }
        }

        func problem(of session: any Session) -> Problem? {
            let alone = PayloadCheck(depthOf: maps.items, of: session).diagnostics.entries
            for kind in [ProblemKind.depthUnits, .depthTurned] {
                // One odd frame is no odd recording.
                if let entry = alone.first(where: { $0.kind == kind }), entry.count * 2 > maps.items.count {
                    return entry.examples.first
                }
            }
            return overlap.problem(session.summary.frameNames, session.makeLoader())
        }
    }
}
