import Platform
import Recording

/// Finds what is wrong with the images and depth of frames: everything is read, and every code of every image is decoded.
struct PayloadCheck: Sendable {
    private(set) var diagnostics = Diagnostics()
    private(set) var examined = ExaminedSession()

    private let names: FrameNames
    /// Where no frame has either, none is the worse for it.
    private let hasPayloads: Bool
    private let imageStep: Int

    /// - Parameter imageStep: every so many-th image is decoded.
    init(_ walked: WalkedFrame, _ loader: any PayloadLoader, of session: any Session, imageStep: Int = 1) {
        self.init(session, imageStep: imageStep)
        examine(walked.frame, walked.picture, loader)
    }

    /// Loads nothing but depth.
    init(depthOf frames: [FrameReference], of session: any Session) {
        self.init(session, imageStep: 1)
        let loader = session.makeLoader()
        for frame in frames { examineDepth(frame, loader) }
    }

    private init(_ session: any Session, imageStep: Int) {
        names = session.summary.frameNames
        hasPayloads = session.summary.hasImages || session.summary.framesThatMayHaveDepth > 0
        self.imageStep = imageStep
    }

    private mutating func examineDepth(_ frame: FrameReference, _ loader: any PayloadLoader) {
        guard let depth = loader.depth(of: frame, &diagnostics) else { return }
        examined.depthMaps += 1
        if depth.confidence != nil { examined.confidenceMaps += 1 }
        check(depth, of: frame, file: loader.depthFile(of: frame))
    }

    private mutating func examine(_ frame: FrameReference, _ picture: VideoPicture?, _ loader: any PayloadLoader) {
        examined.frames += 1
        // An eighth has as many codes to decode as the whole, and is refused for the same damage.
        if let image = loader.image(of: frame, picture, &diagnostics),
            frame.line % imageStep != 0 || loader.decode(image, of: frame, fullSize: false, &diagnostics) != nil
        {
            examined.images += 1
        }
        examineDepth(frame, loader)
        if loader.relativeDepth(of: frame, &diagnostics) != nil { examined.relativeDepthMaps += 1 }
        guard hasPayloads, !frame.hasImage, frame.depthSize == nil, frame.relativeDepthSize == nil else { return }
        diagnostics.record(
            names.problem(
                .emptyFrame,
                frame,
                expected: "an image or depth of frame \(frame.index)",
                found: "neither"
            )
        )
    }

    private mutating func check(_ depth: DepthMap, of frame: FrameReference, file: String) {
        let camera = frame.intrinsics
        if depth.width != depth.height, camera.width != camera.height,
            (depth.width > depth.height) != (camera.width > camera.height)
        {
            diagnostics.record(
                names.problem(
                    .depthTurned,
                    frame,
                    \.depthSize,
                    expected: "a grid over the camera's image of \(camera.width)x\(camera.height)",
                    found: "\(depth.width)x\(depth.height)"
                )
            )
        }
        if let share = Self.impossibleShare(depth.metres) {
            diagnostics.record(
                Problem(
                    .depthUnits,
                    file: file,
                    expected: "metres: no value below 0, and few of less than 0.0001 or more than 100000",
                    found: "\(Int((share * 100).rounded())) % of such values"
                )
            )
            return
        }
        guard let median = Self.median(depth.metres) else {
            diagnostics.record(
                Problem(
                    .emptyDepth,
                    file: file,
                    expected: "distances above 0",
                    found: "none among \(depth.metres.count) values"
                )
            )
            return
        }
        guard !Self.metres.contains(median) else { return }
        let guess = Self.metres.contains(median / 1000) ? " (millimetres?)" : ""
        diagnostics.record(
            Problem(
                .depthUnits,
                file: file,
                expected: "metres: a median of \(Self.metres.lowerBound) to \(Self.metres.upperBound)",
                found: "a median of \(median)\(guess)"
            )
        )
    }

    /// Between these lies the median of what a phone's depth camera sees; it measures from 0.2 m to about 5 m.
    private static let metres: ClosedRange<Float> = 0.05...50

    /// The share of values that are no distances, of those that are finite and not 0; `nil` where it is small: noise has most of them.
    private static func impossibleShare(_ metres: [Float]) -> Double? {
        let step = max(1, metres.count / 4096)
        let values = stride(from: 0, to: metres.count, by: step).map { metres[$0] }.filter { $0 != 0 && $0.isFinite }
        let impossible = values.count { !(0.0001...100_000).contains($0) }
        guard impossible * 5 > values.count, impossible < values.count else { return nil }
        return Double(impossible) / Double(values.count)
    }

    /// Returns the median of the valid values; `nil` where there are none.
    private static func median(_ metres: [Float]) -> Float? {
        let step = max(1, metres.count / 4096)
        var valid = stride(from: 0, to: metres.count, by: step).map { metres[$0] }.filter { $0 > 0 && $0.isFinite }
        if valid.isEmpty, step > 1 { valid = metres.filter { $0 > 0 && $0.isFinite } }
        return valid.median()
    }
}
