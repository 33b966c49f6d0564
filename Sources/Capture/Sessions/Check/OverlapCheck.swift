package import Recording

/// Measures how two views overlap; `nil` where no cloud can be built.
///
/// Clouds are built in a layer above the sessions, so that the caller of a check brings this along.
package typealias OverlapMeasure = @Sendable (_ first: DepthView, _ second: DepthView) -> ViewOverlap?

/// Whether the clouds of neighbouring frames lie on one another: a sample of pairs, spread over the session.
///
/// Poses, intrinsics and depth each look sound by themselves when an axis, a unit or an order of values is wrong; two
/// views of one place from two poses do not.
struct OverlapCheck {
    /// Frames whose depth is compared.
    struct Pair {
        var first: FrameReference
        var second: FrameReference
    }

    /// The median distance may be this: real captures have 0.003 to 0.04 m, wrong axes 0.05 to 0.4 m.
    private static let limitMetres = 0.05
    /// It may also be this many distances between neighbouring points: real captures have about one.
    private static let limitSpacings = 3.0
    /// With fewer pairs a single moving object could decide the result.
    static let fewestPairs = 2
    /// Fewer points in the common view than this say nothing of a distance.
    private static let fewestShared = 100
    /// The clouds of frames nearer to each other than this overlap even if axes or units are wrong.
    private static let leastMetres = 0.15
    private static let leastTurnDegrees = 8.0
    /// Frames farther apart have too little in common.
    private static let mostMetres = 1.2
    /// The cosine of 35 degrees.
    private static let leastAxisCosine = 0.819
    private static let mostSeconds = 20.0

    private var pairs: SpreadSample<Pair>
    private var anchor: FrameReference?

    /// - Parameter pairs: How many are measured at most, spread over the session.
    init(pairs: Int = 16) { self.pairs = SpreadSample(limit: pairs) }

    /// Looks whether the frame makes a pair with one before it.
    mutating func add(_ frame: FrameReference) {
        guard frame.depthSize != nil, frame.tracking.isNormal else { return }
        guard let first = anchor else {
            anchor = frame
            return
        }
        let secondFromFirst = frame.worldFromCamera.inverse * first.worldFromCamera
        let metres = secondFromFirst.translation.length
        let degrees = secondFromFirst.rotation.angleRadians * 180 / .pi
        // How far the second camera looks away from where the first one looks: turning about that axis costs no view.
        let axis = secondFromFirst.rotation.rotating(Vector3(0, 0, -1))
        let isTooFar =
            metres > Self.mostMetres || -axis.z < Self.leastAxisCosine
            || frame.time.seconds(since: first.time) > Self.mostSeconds
        if isTooFar {
            anchor = frame
        } else if metres >= Self.leastMetres || degrees >= Self.leastTurnDegrees {
            pairs.add(Pair(first: first, second: frame))
            anchor = frame
        }
    }

    /// Loads the depth of the pairs, measures them, and gives the problem if they disagree; a cancelled task stops early.
    func problem(_ names: FrameNames, _ loader: any PayloadLoader, measure: OverlapMeasure) -> Problem? {
        var distances: [(share: Double, metres: Double, pair: Pair)] = []
        for pair in pairs.items {
            guard !Task.isCancelled, let first = view(pair.first, loader), let second = view(pair.second, loader),
                let overlap = measure(first, second), overlap.pointCount >= Self.fewestShared
            else { continue }
            // Two cameras that look the same way and see nothing in common contradict each other as much.
            let isShared = overlap.sharedCount >= Self.fewestShared
            let metres = isShared ? overlap.medianMetres : .infinity
            let limit = max(Self.limitMetres, Self.limitSpacings * overlap.spacingMetres)
            distances.append((metres / limit, metres, pair))
        }
        guard distances.count >= Self.fewestPairs else { return nil }
        distances.sort { ($0.share, $0.pair.first.line) < ($1.share, $1.pair.first.line) }
        let median = distances[(distances.count - 1) / 2]
        guard median.share > 1, let worst = distances.last?.pair else { return nil }
        let text = median.metres.isFinite ? "a median of \(rounded(median.metres)) m" : "no view in common"
        return names.problem(
            .cloudsDisagree,
            worst.second,
            \.transform,
            expected: "points of neighbouring frames within a few centimetres of each other",
            found:
                "\(text) over \(distances.count) pairs; worst of \(names.text(worst.first)) and \(names.text(worst.second))"
        )
    }

    /// What is wrong with the payloads themselves was counted before.
    private func view(_ frame: FrameReference, _ loader: any PayloadLoader) -> DepthView? {
        var counted = Diagnostics()
        return loader.depth(of: frame, &counted).map {
            DepthView(depth: $0, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
        }
    }
}
