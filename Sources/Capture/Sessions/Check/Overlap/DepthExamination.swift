import Platform
import Recording

/// Checks that the edges of depth lie on those of the images, frame by frame: a grid that runs another way shows
/// without any motion of the camera.
struct EdgeCheck {
    /// How much better the mean correlation of the edges has to be: sound captures have 0.15 to 0.45 as they are, and
    /// at least 0.1 less turned.
    private static let clearlyBetter = 0.1
    /// And it has to fit in itself: where the edges of a scene say nothing, one turn is better than another by chance.
    private static let leastCorrelation = 0.1
    private static let leastShare = 0.75
    private static let fewestFrames = 3

    /// So many frames are looked at.
    let frames: Int
    private var witnesses = Witnesses()
    /// A row for each view, with the correlation under each turn.
    private var correlations: [[Double]] = []

    /// How many frames with an image were taken.
    private(set) var count = 0

    init(frames: Int) {
        self.frames = frames
    }

    /// False once all frames were looked at, or no further one can change that there is no ``winner``.
    var isOpen: Bool {
        guard count < frames else { return false }
        return GridTurn.allCases.indices.dropFirst().contains { turn in
            let losses = correlations.count { $0[turn] <= $0[0] }
            return Double(frames - losses) >= Self.leastShare * Double(frames)
        }
    }

    /// Takes a frame; one without an image, or without edges, says nothing.
    mutating func add(_ view: ExaminedView) {
        guard let brightness = view.brightness else { return }
        count += 1
        guard witnesses.isNew(view.view.worldFromCamera) else { return }
        let depth = view.view.depth
        let logarithms = Edges.logarithms(of: depth)
        let (width, height) = (depth.width, depth.height)
        // Neighbours of a grid that was written column by column are those of the grid put in order.
        let byColumns = (0..<logarithms.count).map { place in
            logarithms[GridTurn.columnByColumn.index(place % width, place / width, width, height)]
        }
        // What was written column by column is rough as it lies; otherwise it is no candidate.
        let isSmoother = 2 * Self.roughness(byColumns, width) < Self.roughness(logarithms, width)
        guard let image = Edges(brightness, width, height), let range = Edges(logarithms, width, height) else { return }
        let columns = isSmoother ? Edges(byColumns, width, height) : nil
        let row = GridTurn.allCases.map { turn -> Double in
            turn.isByColumns ? columns.map { image.correlation($0, turn.ofRows) } ?? -1 : image.correlation(range, turn)
        }
        guard row.allSatisfy(\.isFinite) else { return }
        correlations.append(row)
    }

    /// The mean difference of neighbours in a row and in a column.
    private static func roughness(_ values: [Float], _ width: Int) -> Double {
        var sum = 0.0
        for place in values.indices.dropLast(width) {
            let next = place % width + 1 < width ? values[place + 1] : values[place]
            let step = abs(next - values[place]) + abs(values[place + width] - values[place])
            if step.isFinite { sum += Double(step) }
        }
        return sum / Double(max(1, values.count))
    }

    /// The turn under which the edges fit clearly better; `nil` where they fit as they are, or nothing can be said.
    var winner: GridTurn? {
        guard correlations.count >= Self.fewestFrames else { return nil }
        let means = GridTurn.allCases.indices.map { turn in
            correlations.reduce(0) { $0 + $1[turn] } / Double(correlations.count)
        }
        guard let best = means.indices.max(by: { means[$0] < means[$1] }), means[best] >= means[0] + Self.clearlyBetter,
            means[best] >= Self.leastCorrelation
        else { return nil }
        let wins = correlations.count { $0[best] > $0[0] }
        return Double(wins) >= Self.leastShare * Double(correlations.count) ? GridTurn.allCases[best] : nil
    }
}

/// How steep a grid of values is at each of its pixels.
struct Edges {
    private let width: Int
    private let height: Int
    private let slopes: [Float]

    /// Steeper than this share of the pixels counts as equally steep.
    private static let cappedShare = 0.98

    /// The logarithms of depth, so that an edge counts as much far away.
    static func logarithms(of depth: DepthMap) -> [Float] {
        depth.metres.map { Float(naturalLogarithm(Double(min(max($0, 0.1), 8)))) }
    }

    /// - Returns: `nil` for a grid that is too small, or flat.
    init?(_ values: [Float], _ width: Int, _ height: Int) {
        guard width >= 8, height >= 8, values.count == width * height else { return nil }
        var slopes = [Float](repeating: 0, count: values.count)
        for row in 1..<height - 1 {
            for column in 1..<width - 1 {
                let place = row * width + column
                let x = values[place + 1] - values[place - 1]
                let y = values[place + width] - values[place - width]
                let slope = (x * x + y * y).squareRoot()
                slopes[place] = slope.isFinite ? slope : 0
            }
        }
        var ordered = slopes
        let cap = ordered.select(Int(Self.cappedShare * Double(slopes.count - 1)))
        guard cap > 0 else { return nil }
        (self.width, self.height) = (width, height)
        self.slopes = slopes.map { min($0, cap) }
    }

    /// The correlation of these slopes with those of the other grid, read with a turn: -1 up to 1.
    func correlation(_ other: Edges, _ turn: GridTurn) -> Double {
        var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for row in 1..<height - 1 {
            for column in 1..<width - 1 {
                let one = Double(slopes[row * width + column])
                let two = Double(other.slopes[turn.index(column, row, width, height)])
                (a, b, aa, bb, ab) = (a + one, b + two, aa + one * one, bb + two * two, ab + one * two)
            }
        }
        let count = Double((width - 2) * (height - 2))
        let spread = ((aa - a * a / count) * (bb - b * b / count)).squareRoot()
        return (ab - a * b / count) / spread
    }
}

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
