import Recording

/// Pairs of frames that see the same things from different poses, spread over a session, with the frames around them.
struct NeighbourPairs {
    /// One frame of a pair.
    struct Member {
        var frame: FrameReference
        /// The frames from ``NeighbourPairs/lag`` before this one to as many behind it; `nil` beyond the ends.
        var around: [FrameReference?]
    }

    struct Pair {
        var first: Member
        var second: Member
    }

    /// So many frames before and behind a frame of a pair are kept.
    static let lag = 10
    /// How many frames late or early poses and images are looked for.
    static let lags = [1, 2, 3, 4, 5, 6, lag]

    /// Frames nearer to each other than this fit each other even if axes or units are wrong.
    private static let leastMetres = 0.15
    private static let leastTurnDegrees = 8.0
    /// So much after the last first frame of a pair another one may begin.
    private static let stepMetres = 0.05
    private static let stepDegrees = 2.5
    private static let mostAnchors = 8
    /// Frames farther apart have too little in common.
    private static let mostMetres = 1.2
    /// The cosine of 35 degrees.
    private static let leastAxisCosine = 0.819
    private static let mostSeconds = 20.0

    /// Pairs may be so much nearer to each other than usual.
    private let scale: Double
    private var sample: SpreadSample<Pair>
    private var anchors: [Member] = []
    /// The last frames; those from `next` on wait for those behind them.
    private var window: [FrameReference] = []
    private var next = 0

    /// - Parameters:
    ///   - limit: How many pairs are kept at most.
    ///   - scale: 1, or less for recordings in which the camera hardly moved.
    init(limit: Int, scale: Double = 1) {
        self.scale = scale
        sample = SpreadSample(limit: limit)
    }

    var pairs: [Pair] { sample.items }

    /// Takes the next frame of the list.
    mutating func add(_ frame: FrameReference) {
        window.append(frame)
        while next + Self.lag < window.count { useNext() }
        if next > Self.lag {
            window.removeFirst(next - Self.lag)
            next = Self.lag
        }
    }

    /// Ends a stretch of frames: those that come next do not follow these.
    mutating func endStretch() {
        while next < window.count { useNext() }
        window = []
        next = 0
        anchors = []
    }

    private mutating func useNext() {
        defer { next += 1 }
        let frame = window[next]
        guard frame.depthSize != nil, frame.tracking.isNormal else { return }
        let (frames, place) = (window, next)
        // Only for frames that are kept.
        func member() -> Member {
            let around = (place - Self.lag...place + Self.lag).map { frames.indices.contains($0) ? frames[$0] : nil }
            return Member(frame: frame, around: around)
        }
        anchors.removeAll { anchor in
            let motion = Motion(anchor.frame, frame)
            if motion.isTooFar { return true }
            guard motion.isAtLeast(Self.leastMetres, Self.leastTurnDegrees, scale) else { return false }
            sample.add(Pair(first: anchor, second: member()))
            return true
        }
        if let last = anchors.last {
            let motion = Motion(last.frame, frame)
            guard anchors.count < Self.mostAnchors, motion.isAtLeast(Self.stepMetres, Self.stepDegrees, scale)
            else { return }
        }
        anchors.append(member())
    }

    /// How the camera moved between two frames.
    private struct Motion {
        var metres: Double
        var degrees: Double
        var isTooFar: Bool

        init(_ first: FrameReference, _ second: FrameReference) {
            let secondFromFirst = second.worldFromCamera.inverse * first.worldFromCamera
            metres = secondFromFirst.translation.length
            degrees = secondFromFirst.rotation.angleRadians * 180 / .pi
            // How far the second camera looks away from where the first one looks: turning about that axis costs no view.
            let axis = secondFromFirst.rotation.rotating(Vector3(0, 0, -1))
            isTooFar =
                metres > NeighbourPairs.mostMetres || -axis.z < NeighbourPairs.leastAxisCosine
                || second.time.seconds(since: first.time) > NeighbourPairs.mostSeconds
        }

        func isAtLeast(_ metres: Double, _ degrees: Double, _ scale: Double) -> Bool {
            self.metres >= metres * scale || self.degrees >= degrees * scale
        }
    }
}
