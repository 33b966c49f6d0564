import Recording

/// Decides which payloads a frame has, by the sizes of its files: what a line claims is not enough.
struct PayloadResolver: Sendable {
    let files: any SessionFiles
    let summary: SessionSummary

    func resolve(_ parsed: ParsedFrame, _ diagnostics: inout Diagnostics) -> FrameReference {
        var frame = parsed.frame
        let names = PayloadNames(index: frame.index)
        frame.hasImage = parsed.hasImage != false && hasImage(names.image, line: frame.line, &diagnostics)
        if parsed.hasDepth != false, summary.hasDepth || parsed.hasDepth == true {
            frame.depthSize = grid(
                names.depth,
                declared: parsed.depthResolution ?? summary.depthSize,
                isClaimed: parsed.hasDepth == true,
                (.missingDepth, .wrongDepthSize),
                line: frame.line,
                &diagnostics
            )
        }
        if summary.hasRelativeDepth || parsed.relativeDepthResolution != nil {
            frame.relativeDepthSize = grid(
                names.relativeDepth,
                declared: parsed.relativeDepthResolution ?? summary.relativeDepthSize,
                isClaimed: parsed.relativeDepthResolution != nil,
                (.missingRelativeDepth, .wrongRelativeDepthSize),
                line: frame.line,
                &diagnostics
            )
        }
        return frame
    }

    /// Whether there is a file of the picture with something in it; otherwise why not.
    private func hasImage(_ file: String, line: Int, _ diagnostics: inout Diagnostics) -> Bool {
        let bytes = files.size(of: file)
        if bytes ?? 0 > 0 { return true }
        let found = files.irregular(file) ?? (bytes == nil ? "no file" : "an empty file")
        diagnostics.record(Problem(.missingImage, file: file, expected: "the image of line \(line)", found: found))
        return false
    }

    /// The size of a Float32 grid whose file is exactly as long as that; otherwise `nil`, and why.
    private func grid(
        _ file: String,
        declared: GridSize?,
        isClaimed: Bool,
        _ kinds: (missing: ProblemKind, wrongSize: ProblemKind),
        line: Int,
        _ diagnostics: inout Diagnostics
    ) -> GridSize? {
        guard let bytes = files.size(of: file) else {
            let irregular = files.irregular(file)
            if isClaimed || irregular != nil {
                let found = irregular ?? "no file"
                diagnostics.record(
                    Problem(kinds.missing, file: file, expected: "the depth of line \(line)", found: found)
                )
            }
            return nil
        }
        // Where no size is declared, the one that phones deliver.
        let size = declared ?? GridSize(width: 256, height: 192)
        guard bytes == size.count * 4 else {
            let expected = "\(size.count * 4) bytes for \(size.width)x\(size.height) Float32"
            diagnostics.record(Problem(kinds.wrongSize, file: file, expected: expected, found: "\(bytes) bytes"))
            return nil
        }
        return size
    }
}

/// Where a frame's payloads are, relative to the session.
struct PayloadNames {
    let image: String
    let depth: String
    let confidence: String
    let relativeDepth: String

    init(index: Int) {
        let digits = String(index)
        let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        image = "rgb/\(number).jpg"
        depth = "depth/\(number).bin"
        confidence = "confidence/\(number).bin"
        relativeDepth = "relative_depth/\(number).bin"
    }
}
