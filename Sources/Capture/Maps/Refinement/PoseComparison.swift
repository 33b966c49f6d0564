import Perception
import Platform
import Recording
package import Sessions

/// How well the depth of a session lies on itself, by its recorded poses and by others.
///
/// Pairs of views are compared that see the same by either poses: neighbours, and those as far apart in time as there are.
package struct PoseComparison: Sendable, Hashable {
    package private(set) var pairCount = 0
    /// The mean distance from the points of one view to those of the other, in metres.
    package private(set) var recordedMetres = 0.0
    package private(set) var correctedMetres = 0.0

    private static let mostFrames = 80
    private static let mostPairs = 15
    private static let mostMetres = 1.0
    private static let mostRadians = 30 * Double.pi / 180
    private static let leastShared = 200

    /// - Parameter session: As it was recorded.
    /// - Returns: `nil` where too few views see the same.
    package init?(_ session: any Session, _ correction: PoseCorrection) throws {
        var rule = FrameRule()
        rule.depth = .needed
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames]), rule)
        var sample = SpreadSample<FrameReference>(limit: Self.mostFrames)
        while let walked = try walk.nextFrame(takesPicture: false) { sample.add(walked.frame) }
        let views = sample.items.map { View($0, correction) }
        let loader = session.makeLoader()
        let meter = OverlapMeter()
        for (first, second) in Self.pairs(views) {
            try Task.checkCancellation()
            var counted = Diagnostics()
            guard let a = loader.depth(of: first.frame, &counted), let b = loader.depth(of: second.frame, &counted)
            else { continue }
            func metres(_ pose: KeyPath<View, Transform>) -> Double? {
                let overlap = meter.measure(
                    DepthView(depth: a, intrinsics: first.frame.intrinsics, worldFromCamera: first[keyPath: pose]),
                    DepthView(depth: b, intrinsics: second.frame.intrinsics, worldFromCamera: second[keyPath: pose])
                )
                return overlap.map { $0.sharedCount >= Self.leastShared ? $0.medianMetres : OverlapMeter.reachMetres }
            }
            guard let recorded = metres(\.recorded), let corrected = metres(\.corrected) else { continue }
            pairCount += 1
            recordedMetres += recorded
            correctedMetres += corrected
        }
        guard pairCount >= 3 else { return nil }
        recordedMetres /= Double(pairCount)
        correctedMetres /= Double(pairCount)
    }

    /// True if the other poses fit clearly less well.
    package var isWorse: Bool { correctedMetres > recordedMetres * 1.05 + 0.001 }

    private struct View {
        var frame: FrameReference
        var recorded: Transform
        var corrected: Transform

        init(_ frame: FrameReference, _ correction: PoseCorrection) {
            self.frame = frame
            recorded = frame.worldFromCamera
            corrected = correction.corrected(frame.worldFromCamera, at: frame.time)
        }

        /// True if both look at the same.
        static func isSame(_ a: Transform, _ b: Transform) -> Bool {
            let step = a.inverse * b
            return step.translation.length < PoseComparison.mostMetres
                && step.rotation.angleRadians < PoseComparison.mostRadians
        }
    }

    /// Neighbours, and the pairs that are farthest apart in time, each view in two of them at most.
    private static func pairs(_ views: [View]) -> [(View, View)] {
        var pairs: [(first: Int, second: Int)] = []
        let step = max(1, views.count / mostPairs)
        for first in stride(from: 0, to: max(0, views.count - 1), by: step) { pairs.append((first, first + 1)) }
        pairs.removeAll { !View.isSame(views[$0.first].recorded, views[$0.second].recorded) }
        var uses = [Int](repeating: 0, count: views.count)
        var far: [(first: Int, second: Int)] = []
        for gap in stride(from: views.count - 1, through: views.count / 6, by: -1) where gap > 1 {
            for first in 0..<views.count - gap where uses[first] < 2 && uses[first + gap] < 2 {
                let (a, b) = (views[first], views[first + gap])
                guard View.isSame(a.recorded, b.recorded) || View.isSame(a.corrected, b.corrected) else { continue }
                (uses[first], uses[first + gap]) = (uses[first] + 1, uses[first + gap] + 1)
                far.append((first, first + gap))
                if far.count == mostPairs { return (pairs + far).map { (views[$0.first], views[$0.second]) } }
            }
        }
        return (pairs + far).map { (views[$0.first], views[$0.second]) }
    }
}
