import Platform
import Recording

/// Checks that the camera moves without jumps: a jump breaks every map that is built from the poses.
struct PoseCheck {
    /// Less than this from frame to frame is no jump, however fast.
    private static let leastMetres = 2.0
    /// A jump is faster than ten times the session's usual speed, and than this.
    private static let leastSpeed = 8.0
    /// A speed above this is always a jump: no phone moves so fast against the things that its camera sees.
    private static let mostSpeed = 40.0

    private(set) var diagnostics = Diagnostics()
    private let names: FrameNames
    /// `nil` where speeds mean nothing.
    private let limit: Double?
    private var last: FrameReference?

    /// - Parameters:
    ///   - medianSpeed: of the session, in m/s.
    ///   - hasTimes: false where the times of frames are made up, so that there is no speed.
    init(names: FrameNames, medianSpeed: Double?, hasTimes: Bool) {
        self.names = names
        limit = hasTimes ? min(max(10 * (medianSpeed ?? 0), Self.leastSpeed), Self.mostSpeed) : nil
    }

    /// Compares the frame with the one before it, as far as both may be trusted.
    mutating func add(_ frame: FrameReference) {
        guard let limit, frame.tracking.isNormal else { return }
        defer { last = frame }
        guard let last else { return }
        let metres = (frame.worldFromCamera.translation - last.worldFromCamera.translation).length
        let seconds = frame.time.seconds(since: last.time)
        guard metres >= Self.leastMetres, metres > limit * seconds else { return }
        diagnostics.record(
            names.problem(
                .poseJump,
                frame,
                \.transform,
                expected: "at most \(rounded(max(limit * seconds, Self.leastMetres))) m from \(names.text(last))",
                found: "\(rounded(metres)) m in \(rounded(seconds)) s"
            )
        )
    }
}

/// Counts speeds in steps of a tenth, so that a median needs no list.
struct SpeedHistogram {
    /// Each bin is a tenth wider than the one below; the first begins at 1 mm/s.
    private static let bounds: [Double] = (0..<160).reduce(into: []) { bounds, _ in
        bounds.append((bounds.last ?? 0.001 / 1.1) * 1.1)
    }

    private var counts = BinCounts()

    mutating func add(_ speed: Double) {
        counts.add(toBin: Self.bounds.firstIndex { speed < $0 } ?? Self.bounds.count)
    }

    /// In the unit of what was added; `nil` where nothing was.
    var median: Double? {
        counts.bin(ofQuantile: 0.5).map { $0 < Self.bounds.count ? Self.bounds[$0] : .infinity }
    }
}

func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

/// Checks that intrinsics are those of a phone's camera; impossible ones cost the frame when it is read.
enum IntrinsicsCheck {
    static func problem(_ frame: FrameReference, _ names: FrameNames) -> Problem? {
        let k = frame.intrinsics
        let (width, height) = (Double(k.width), Double(k.height))
        let isLikely =
            (0.95...1.05).contains(k.fx / k.fy) && (0.3...3).contains(k.fx / width)
            && abs(k.cx / width - 0.5) < 0.15 && abs(k.cy / height - 0.5) < 0.15
        guard !isLikely else { return nil }
        // Central in an image so many times as large as this one; a wrong number alone is off on one side only.
        let scale = k.cx / width + k.cy / height
        let isOfAnotherSize = abs(k.cx / width - k.cy / height) < 0.05 && abs(scale - 1) > 0.25
        return names.problem(
            isOfAnotherSize ? .intrinsicsOfAnotherSize : .oddIntrinsics,
            frame,
            \.intrinsics,
            expected: "square pixels and a central principal point of a \(k.width)x\(k.height) image",
            found: "fx \(k.fx), fy \(k.fy), cx \(k.cx), cy \(k.cy)"
        )
    }
}
