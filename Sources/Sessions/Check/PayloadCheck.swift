import Capture

/// What is wrong with the images and depth of some frames: everything is read, and images are decoded as a whole.
struct PayloadCheck: Sendable {
    private(set) var diagnostics = Diagnostics()
    private(set) var examined = ExaminedSession()

    init(_ frames: [FrameReference], of session: LoggerSession) {
        let loader = session.makeLoader()
        for frame in frames { examine(frame, loader) }
    }

    private mutating func examine(_ frame: FrameReference, _ loader: PayloadLoader) {
        examined.frames += 1
        if let image = loader.image(of: frame, &diagnostics),
            loader.decode(image, of: frame, fullSize: true, &diagnostics) != nil
        {
            examined.images += 1
        }
        if let depth = loader.depth(of: frame, &diagnostics) {
            examined.depthMaps += 1
            if depth.confidence != nil { examined.confidenceMaps += 1 }
            check(depth, of: frame)
        }
        if loader.relativeDepth(of: frame, &diagnostics) != nil { examined.relativeDepthMaps += 1 }
        guard !frame.hasImage, frame.depthSize == nil, frame.relativeDepthSize == nil else { return }
        diagnostics.record(
            Problem(
                .emptyFrame,
                file: FrameFields.file,
                line: frame.line,
                expected: "an image or depth of frame \(frame.index)",
                found: "neither"
            )
        )
    }

    private mutating func check(_ depth: DepthMap, of frame: FrameReference) {
        guard !depth.metres.contains(where: { $0 > 0 && $0.isFinite }) else { return }
        diagnostics.record(
            Problem(
                .emptyDepth,
                file: PayloadNames(index: frame.index).depth,
                expected: "distances above 0",
                found: "none among \(depth.metres.count) values"
            )
        )
    }
}
