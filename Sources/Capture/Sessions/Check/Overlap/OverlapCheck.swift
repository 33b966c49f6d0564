import Perception
import Recording

/// Checks that the clouds of neighbouring frames lie on one another: a sample of pairs, spread over the session.
///
/// Poses, intrinsics and depth each look sound by themselves when an axis, a unit or an order of values is wrong; two
/// views of one place from two poses do not.
struct OverlapCheck {
    /// The median distance may be this: real captures have 0.003 to 0.04 m, wrong axes 0.05 to 0.4 m.
    private static let limitMetres = 0.05
    /// It may also be this many distances between neighbouring points: real captures have about one.
    private static let limitSpacings = 3.0
    /// With fewer pairs a single moving object could decide the result.
    static let fewestPairs = 2
    /// Fewer points in the common view than this say nothing of a distance.
    private static let fewestShared = 100
    /// So many frames are looked at by themselves.
    private static let frames = 8

    /// The farther apart two frames are, the more wrong axes and units show; where the camera hardly moved, nearer pairs
    /// still show which reading fits better.
    private var neighbours: [NeighbourPairs]
    private var alone = SpreadSample<FrameReference>(limit: frames)
    private let looksForLateImages: Bool

    /// - Parameters:
    ///   - pairs: How many are measured at most, spread over the session.
    ///   - looksForLateImages: True to compare depth with images of other frames, too.
    init(pairs: Int = 24, looksForLateImages: Bool = false) {
        self.looksForLateImages = looksForLateImages
        neighbours = [1, 1.0 / 3, 1.0 / 9].map { NeighbourPairs(limit: pairs, scale: $0) }
    }

    /// Looks whether the frame makes a pair with one before it.
    mutating func add(_ frame: FrameReference) {
        for level in neighbours.indices { neighbours[level].add(frame) }
        if frame.depthSize != nil, frame.hasImage { alone.add(frame) }
    }

    /// Ends a stretch of frames: those that come next do not follow these.
    mutating func endStretch() {
        for level in neighbours.indices { neighbours[level].endStretch() }
    }

    /// Loads what the pairs show, measures it, and gives the problem if they disagree; a cancelled task stops early.
    func problem(_ names: FrameNames, _ loader: any PayloadLoader) -> Problem? {
        var finished = self
        finished.endStretch()
        let level = finished.neighbours.firstIndex { $0.pairs.count > VariantCheck.fewestPairs } ?? 0
        let pairs = finished.neighbours[level].pairs
        var variants = VariantCheck(pairs: pairs.count)
        var edges = EdgeCheck(frames: Self.frames)
        var lags = ImageLagCheck()
        let meter = OverlapMeter()
        var distances: [Distance] = []
        for (index, pair) in pairs.enumerated() where !Task.isCancelled {
            // What is decided needs no further pair: of a sound recording three or four tell it.
            let isMeasured = level == 0 && distances.count { $0.share <= 1 } < (pairs.count + 1) / 2
            // What is loaded need not be loaded again; of many pairs some, spread over the session.
            let showsEdges =
                edges.isOpen
                && (index == 0 || index * Self.frames / pairs.count != (index - 1) * Self.frames / pairs.count)
            guard variants.isOpen || isMeasured || showsEdges,
                let first = ExaminedView(pair.first.frame, loader, image: variants.isOpen || showsEdges),
                let second = ExaminedView(pair.second.frame, loader, image: variants.isOpen)
            else { continue }
            variants.add(pair, first, second)
            if showsEdges { edges.add(first) }
            if looksForLateImages, lags.isOpen { lags.add(pair.first, first, loader) }
            if isMeasured, let overlap = meter.measure(first.view, second.view),
                overlap.pointCount >= Self.fewestShared
            {
                distances.append(Distance(overlap, pair))
            }
        }
        if let winner = variants.winner, let pair = pairs.first {
            return names.problem(
                .cloudsDisagree,
                pair.second.frame,
                \.transform,
                expected: "neighbouring frames that fit as they are recorded",
                found: "\(winner.variant.cause): read so, \(winner.better) of \(winner.pairs) pairs fit better"
            )
        }
        return finished.turned(edges, names, loader) ?? late(lags, pairs, names, loader) ?? tooFar(names, distances)
    }

    /// Returns a problem if the edges of depth lie on those of images of other frames only.
    private func late(
        _ measured: ImageLagCheck,
        _ pairs: [NeighbourPairs.Pair],
        _ names: FrameNames,
        _ loader: any PayloadLoader
    ) -> Problem? {
        var lags = measured
        guard looksForLateImages, lags.hasLooked else { return nil }
        for pair in pairs where lags.isOpen && !Task.isCancelled {
            guard let view = ExaminedView(pair.first.frame, loader, image: true) else { continue }
            lags.add(pair.first, view, loader)
        }
        guard let lag = lags.lag, let frame = pairs.first?.first.frame else { return nil }
        return names.problem(
            .imagesOfOtherFrames,
            frame,
            \.depthSize,
            expected: "edges of depth where the image of the frame has them",
            found:
                "images \(RecordingVariant.lateness(lag.frames)): read so, the edges of \(lag.better) of \(lag.count) frames fit better"
        )
    }

    /// How far the clouds of a pair are apart.
    private struct Distance {
        var share: Double
        var metres: Double
        var pair: NeighbourPairs.Pair

        init(_ overlap: ViewOverlap, _ pair: NeighbourPairs.Pair) {
            // Two cameras that look the same way and see nothing in common contradict each other as much.
            metres = overlap.sharedCount >= OverlapCheck.fewestShared ? overlap.medianMetres : .infinity
            share = metres / max(OverlapCheck.limitMetres, OverlapCheck.limitSpacings * overlap.spacingMetres)
            self.pair = pair
        }
    }

    /// Returns a problem if the edges of depth lie on those of the images only when the grid is turned.
    private func turned(_ measured: EdgeCheck, _ names: FrameNames, _ loader: any PayloadLoader) -> Problem? {
        var edges = measured
        for frame in alone.items where edges.isOpen {
            guard !Task.isCancelled, let view = ExaminedView(frame, loader, image: true) else { continue }
            edges.add(view)
        }
        guard let turn = edges.winner, let frame = alone.items.first else { return nil }
        return names.problem(
            .depthTurned,
            frame,
            \.depthSize,
            expected: "edges of depth where the image has them",
            found: "\(RecordingVariant.depthTurn(turn).cause): read so, the edges lie on one another"
        )
    }

    private func tooFar(_ names: FrameNames, _ measured: [Distance]) -> Problem? {
        guard measured.count >= Self.fewestPairs else { return nil }
        let distances = measured.sorted {
            ($0.share, $0.pair.first.frame.line) < ($1.share, $1.pair.first.frame.line)
        }
        let median = distances[(distances.count - 1) / 2]
        guard median.share > 1, let worst = distances.last?.pair else { return nil }
        let text = median.metres.isFinite ? "a median of \(rounded(median.metres)) m" : "no view in common"
        let frames = "\(names.text(worst.first.frame)) and \(names.text(worst.second.frame))"
        return names.problem(
            .cloudsDisagree,
            worst.second.frame,
            \.transform,
            expected: "points of neighbouring frames within a few centimetres of each other",
            found: "\(text) over \(distances.count) pairs; worst of \(frames)"
        )
    }
}
