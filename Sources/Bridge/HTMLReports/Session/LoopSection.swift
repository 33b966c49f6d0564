import Perception
import Platform
import Recording
import Sessions
import Text

/// Where the walk comes back: how far what is seen then lies from what was seen before, which is its drift.
enum LoopSection {
    private static let pairsTried = 6
    private static let nearMetres = 0.7
    private static let viewCosine = 0.87
    private static let leastSeconds = 8.0
    private static let leastSharedPoints = 50
    /// What the noise of depth explains, in metres.
    private static let noise = 0.01...0.03

    private struct Pair {
        var first: FrameReference
        var second: FrameReference
        var metres: Double
    }

    /// The section, and the mark for it in the head of the page; none where the walk never returns.
    static func section(
        _ walk: RecordWalk,
        _ session: any Session
    ) -> (section: ReportPage.Section, share: StreamShare?) {
        let frames = walk.frames.items.filter { $0.tracking.isNormal && $0.depthSize != nil }
        let pairs = pairs(frames)
        guard !pairs.isEmpty else {
            return (absent("The walk never comes back to a view that it had before."), nil)
        }
        var section = ReportPage.Section("loops", "Where the walk returns")
        section.place = .closed
        let loader = session.makeLoader()
        let meter = OverlapMeter()
        var diagnostics = Diagnostics()
        var distances: [Double] = []
        section.rows = [ReportPage.Row("first s", "again s", "camera moved m", "surfaces apart m", "shared points")]
        let begin = session.summary.firstTime
        for pair in pairs {
            guard let first = loader.lidarDepth(of: pair.first, &diagnostics),
                let second = loader.lidarDepth(of: pair.second, &diagnostics),
                let overlap = meter.measure(view(pair.first, first), view(pair.second, second)),
                overlap.sharedCount >= leastSharedPoints
            else { continue }
            distances.append(overlap.medianMetres)
            section.rows.append(
                ReportPage.Row(
                    pair.first.time.seconds(since: begin).text(decimals: 1),
                    pair.second.time.seconds(since: begin).text(decimals: 1),
                    pair.metres.text(decimals: 2),
                    overlap.medianMetres.text(decimals: 3),
                    "\(overlap.sharedCount)"
                )
            )
        }
        guard let median = distances.median() else {
            return (absent("No two depth maps of the same place share enough points."), nil)
        }
        let apart = "\((median * 100).text(decimals: 1)) cm"
        let usual = [noise.lowerBound, noise.upperBound].map { ($0 * 100).text(decimals: 0) }.joined(separator: " to ")
        section.notes = [
            "Surfaces seen twice lie \(apart) apart in the median of \(distances.count) returns: what is more than the noise "
                + "of depth (\(usual) cm) is drift."
        ]
        section.showsRows = true
        return (section, StreamShare("loop", apart, median > noise.upperBound ? .part : .whole))
    }

    private static func absent(_ reason: String) -> ReportPage.Section {
        .absent("loops", "Where the walk returns", reason)
    }

    private static func view(_ frame: FrameReference, _ depth: DepthMap) -> DepthView {
        DepthView(depth: depth, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
    }

    /// Pairs of like views, the farthest in time first; no frame is in two of them.
    private static func pairs(_ frames: [FrameReference]) -> [Pair] {
        var found: [(seconds: Double, first: Int, second: Int, metres: Double)] = []
        let places = frames.map(\.worldFromCamera.translation)
        let views = frames.map { $0.worldFromCamera.rotation.rotating(Vector3(0, 0, -1)) }
        for first in frames.indices {
            for second in frames.indices where second > first {
                let seconds = frames[second].time.seconds(since: frames[first].time)
                guard seconds >= leastSeconds else { continue }
                let metres = (places[second] - places[first]).length
                guard metres <= nearMetres, dot(views[first], views[second]) >= viewCosine else { continue }
                found.append((seconds, first, second, metres))
            }
        }
        found.sort { ($1.seconds, $0.first) < ($0.seconds, $1.first) }
        var used: Set<Int> = []
        var pairs: [Pair] = []
        for one in found where pairs.count < pairsTried && !used.contains(one.first) && !used.contains(one.second) {
            // Neighbours of what was taken would say the same.
            for near in -3...3 { used.formUnion([one.first + near, one.second + near]) }
            pairs.append(Pair(first: frames[one.first], second: frames[one.second], metres: one.metres))
        }
        return pairs
    }
}
