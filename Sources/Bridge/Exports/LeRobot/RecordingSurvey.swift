import Platform
import Recording
import Sessions

/// The first walk over a recording: which frames it has, and what is known of each; nine bytes a frame are kept.
struct RecordingSurvey: Sendable {
    struct Marks: OptionSet {
        let rawValue: UInt8
        static let image = Marks(rawValue: 1)
        static let depth = Marks(rawValue: 2)
        /// There was an IMU sample shortly before the frame.
        static let motion = Marks(rawValue: 4)
    }

    /// A stream belongs to the data set if at least this part of the frames has it; frames without it are passed over.
    ///
    /// Pictures are what learning is about, and may be few: in bags they come at a lower rate than poses.
    private static let leastImageShare = 0.02
    private static let leastDepthShare = 0.25
    private static let leastMotionShare = 0.9
    /// An IMU sample older than this says nothing of a frame.
    static let motionSeconds = 0.1

    let name: String
    /// As it is named on the command line, or was found below that.
    let path: String
    /// Of the frames that the rule keeps, in their order.
    private var times: [Int64] = []
    private var marks: [Marks] = []
    private(set) var counts = FrameCounts()
    private(set) var limitedTracking = 0
    private(set) var motionCount = 0
    private var firstMotion: Timestamp?
    private var lastMotion: Timestamp?
    /// Of the first frame that has one.
    private(set) var sensorSize: GridSize?
    private(set) var depthSize: GridSize?

    init(_ session: any Session, at path: String, span: ClosedRange<Timestamp>, _ plan: LeRobotPlan) throws {
        (name, self.path) = (session.summary.name, path)
        let walk = try FrameWalk(session, RecordRequest(span: span, streams: [.frames, .motion]), plan.rule)
        while let record = try walk.next() {
            switch record {
            case .frame(let frame) where walk.keeps(frame): add(frame)
            case .motion(let sample):
                motionCount += 1
                if firstMotion == nil { firstMotion = sample.time }
                lastMotion = sample.time
            default: break
            }
        }
        (counts, limitedTracking) = (walk.counts, walk.limitedTracking)
    }

    private mutating func add(_ frame: FrameReference) {
        var mark: Marks = []
        if frame.hasImage {
            mark.insert(.image)
            if sensorSize == nil { sensorSize = frame.intrinsics.size }
        }
        if frame.hasDepth {
            mark.insert(.depth)
            if depthSize == nil { depthSize = frame.denseDepthSize ?? frame.depthSize }
        }
        if let last = lastMotion, (0...Self.motionSeconds).contains(frame.time.seconds(since: last)) {
            mark.insert(.motion)
        }
        times.append(frame.time.nanoseconds)
        marks.append(mark)
    }

    var frameCount: Int { times.count }

    private func share(_ mark: Marks, among others: Marks = []) -> Double {
        let places = marks.filter { $0.isSuperset(of: others) }
        return Double(places.count { $0.contains(mark) }) / Double(max(1, places.count))
    }

    var imageShare: Double { share(.image) }
    var hasImages: Bool { imageShare >= Self.leastImageShare }
    /// Of the frames that have an image, where there are images.
    var depthShare: Double { share(.depth, among: hasImages ? .image : []) }
    var hasDepth: Bool { depthShare >= Self.leastDepthShare }
    var motionShare: Double { share(.motion, among: hasImages ? .image : []) }
    var hasMotion: Bool { motionShare >= Self.leastMotionShare }

    /// Samples of the IMU a second; 0 where there are none.
    var motionHertz: Double {
        guard let first = firstMotion, let last = lastMotion, last > first else { return 0 }
        return Double(motionCount - 1) / last.seconds(since: first)
    }

    /// The frames that have some streams: their places among those that the rule keeps, and their times.
    func usable(_ streams: LeRobotFeatures) -> (places: [Int], times: [Int64]) {
        var needed: Marks = []
        if streams.image != nil { needed.insert(.image) }
        if streams.depth != nil { needed.insert(.depth) }
        if streams.motionSamples > 0 { needed.insert(.motion) }
        let places = marks.indices.filter { marks[$0].isSuperset(of: needed) }
        return (places, places.map { times[$0] })
    }

    /// The steps a second that it has a frame for, as a whole number.
    func stepsPerSecond(depth: Bool) -> Int {
        let most = Double(LeRobotPlan.usualFramesPerSecond)
        return Int(max(1, min(framesPerSecond(depth: depth) ?? most, most).rounded()))
    }

    /// The usual rate of the frames that have images and depth, where the recording has those.
    private func framesPerSecond(depth: Bool) -> Double? {
        var needed: Marks = []
        if hasImages { needed.insert(.image) }
        if depth, hasDepth { needed.insert(.depth) }
        let places = marks.indices.filter { marks[$0].isSuperset(of: needed) }
        let steps = zip(places, places.dropFirst()).map { times[$1] - times[$0] }
        guard let step = steps.median(), step > 0 else { return nil }
        return 1e9 / Double(step)
    }
}

extension [RecordingSurvey] {
    /// What all recordings have, in whatever order they are: the lowest rate, the smallest pictures, and the streams of all.
    func features(_ plan: LeRobotPlan) -> LeRobotFeatures {
        let hasDepth = !plan.leavesOutDepth && allSatisfy(\.hasDepth)
        let rate = plan.framesPerSecond ?? map { $0.stepsPerSecond(depth: hasDepth) }.min()
        let usual = LeRobotPlan.usualFramesPerSecond
        var features = LeRobotFeatures(framesPerSecond: rate ?? usual, action: plan.action)
        if allSatisfy(\.hasImages) { features.image = compactMap { $0.sensorSize.map(plan.size(of:)) }.smallest }
        if hasDepth { features.depth = compactMap(\.depthSize).smallest }
        if allSatisfy(\.hasMotion), let hertz = map(\.motionHertz).min() {
            features.motionSamples = Int(
                Swift.min(Swift.max((hertz / Double(features.framesPerSecond)).rounded(), 1), 100)
            )
        }
        return features
    }

    /// What a few of the recordings cost the others, in rate, size and streams, and what changes that.
    func warnings(_ features: LeRobotFeatures, _ plan: LeRobotPlan) -> [String] {
        var texts: [String] = []
        func warn(_ odd: [RecordingSurvey], _ cost: String, option: String? = nil) {
            let areFew = 2 * odd.count <= count
            let without = areFew ? odd.prefix(5).map { "--leave-out \($0.path)" }.joined(separator: " ") : nil
            let options = [option, without].compactMap(\.self).joined(separator: ", or ")
            texts.append(cost + (options.isEmpty ? "" : "; otherwise: \(options)"))
        }
        /// The recordings that have as little as the data set, where they are few and the others have a quarter more.
        func few(_ amount: (RecordingSurvey) -> Int?) -> (odd: [RecordingSurvey], others: Int)? {
            let amounts = map { amount($0) ?? 0 }
            guard let least = amounts.min(), let others = amounts.filter({ $0 > least }).min(), 4 * others >= 5 * least
            else { return nil }
            let odd = zip(self, amounts).filter { $1 == least }.map(\.0)
            return 2 * odd.count <= count ? (odd, others) : nil
        }
        let slow = few { $0.stepsPerSecond(depth: features.depth != nil) }
        if plan.framesPerSecond == nil, let (odd, others) = slow {
            let cost = "\(odd.map(\.path).someNames): \(features.framesPerSecond) steps a second for all"
            warn(odd, "\(cost), where the others have \(others) and more", option: "--fps \(others)")
        }
        if let size = features.image, let (odd, _) = few({ $0.sensorSize.map { plan.size(of: $0).area } }) {
            let cost = "pictures of \(size.width)x\(size.height) for all, where those of the others are larger"
            warn(odd, "\(odd.map(\.path).someNames): \(cost)")
        }
        func warn(
            of stream: String,
            _ has: KeyPath<RecordingSurvey, Bool>,
            _ share: KeyPath<RecordingSurvey, Double>
        ) {
            let missing = filter { !$0[keyPath: has] }
            guard !missing.isEmpty, contains(where: { $0[keyPath: share] > 0 }) else { return }
            let reasons = missing.map { survey in
                let percent = (survey[keyPath: share] * 1000).rounded() / 10
                return percent == 0 ? "\(survey.path) has none" : "\(percent) % of the frames of \(survey.path) have it"
            }
            warn(missing, "\(stream): left out: \(reasons.someNames)")
        }
        warn(of: "images", \.hasImages, \.imageShare)
        if !plan.leavesOutDepth { warn(of: "depth", \.hasDepth, \.depthShare) }
        warn(of: "IMU", \.hasMotion, \.motionShare)
        return texts
    }
}

extension GridSize {
    fileprivate var area: Int { width * height }
}

extension [GridSize] {
    /// By the number of pixels; of equal ones the narrower.
    fileprivate var smallest: GridSize? { self.min { ($0.area, $0.width) < ($1.area, $1.width) } }
}
