import Recording

/// What of a model's inputs, outputs and metadata makes it a depth network.
struct DepthInterface: Sendable {
    /// The patch of the vision transformers, in pixels.
    static let patch = 14
    private static let sideLimit = 1 << 14
    private static let keys = ["depth_kind", "normalization", "mean", "std"]

    var inputName: String
    var outputName: String
    /// Nil where the model takes any.
    var fixedWidth: Int?
    var fixedHeight: Int?
    /// The longer side where it is not fixed, a multiple of ``patch``.
    var longestSide: Int
    var normalisation = ColourNormalisation.imageNet
    var kind: DepthNetworkKind

    init(_ session: ModelSession, _ options: DepthNetworkOptions) throws(DepthNetworkError) {
        let path = options.modelPath
        let ports: (inputs: ModelPorts, outputs: ModelPorts)
        let metadata: [String: String]
        do throws(RuntimeFailure) {
            ports = try session.ports()
            metadata = try session.metadata(Self.keys)
        } catch {
            throw .run(path: path, message: error.message)
        }
        guard ports.inputs.count == 1, let input = ports.inputs.first.first, Self.isImage(input) else {
            throw .interface(
                path: path,
                expected: "one input N x 3 x H x W of float32",
                found: ports.inputs.description
            )
        }
        let outputs = ports.outputs.first.filter { Self.isDepth($0, isOnly: ports.outputs.count == 1) }
        guard outputs.count == 1, let output = outputs.first else {
            throw .interface(
                path: path,
                expected: "one output N x H x W, N x 1 x H x W or H x W of float32",
                found: ports.outputs.description
            )
        }
        inputName = input.name
        outputName = output.name
        fixedHeight = input.dimensions[2] > 0 ? Int(exactly: input.dimensions[2]) : nil
        fixedWidth = input.dimensions[3] > 0 ? Int(exactly: input.dimensions[3]) : nil
        longestSide = options.longestSide / Self.patch * Self.patch
        kind = options.kind
        try read(metadata, path: path)
    }

    private static func isImage(_ port: ModelPort) -> Bool {
        guard port.isFloatTensor, port.dimensions.count == 4 else { return false }
        let sides = port.dimensions[2...]
        return port.dimensions[0] < 0 || port.dimensions[0] == 1
            ? (port.dimensions[1] < 0 || port.dimensions[1] == 3)
                && sides.allSatisfy { $0 < 0 || (1...Int64(sideLimit)).contains($0) }
            : false
    }

    /// - Parameter isOnly: Then it may be one of which the model declares no dimensions.
    private static func isDepth(_ port: ModelPort, isOnly: Bool) -> Bool {
        guard port.isFloatTensor else { return false }
        if port.dimensions.isEmpty { return isOnly }
        guard (2...4).contains(port.dimensions.count) else { return false }
        return port.dimensions.dropLast(2).allSatisfy { $0 < 0 || $0 == 1 }
            && port.dimensions.suffix(2).allSatisfy { $0 != 0 }
    }

    /// Takes over what the model itself says about its colours and its depth.
    private mutating func read(_ metadata: [String: String], path: String) throws(DepthNetworkError) {
        if let text = metadata["normalization"] {
            let known: [String: ColourNormalisation] = [
                "imagenet": .imageNet, "none": .unit, "zero_one": .unit, "minus_one_one": .symmetric,
            ]
            guard let named = known[text.lowercased()] else {
                throw Self.invalid("normalization", text, path, "imagenet, zero_one or minus_one_one")
            }
            normalisation = named
        }
        if let text = metadata["mean"] {
            guard let mean = Self.numbers(text) else { throw Self.invalid("mean", text, path, "three numbers 0 to 1") }
            normalisation.mean = mean
        }
        if let text = metadata["std"] {
            guard let deviation = Self.numbers(text), deviation.min() >= 0.001 else {
                throw Self.invalid("std", text, path, "three numbers 0.001 to 1")
            }
            normalisation.deviation = deviation
        }
        guard kind == .auto else { return }
        kind = .inverse
        if let text = metadata["depth_kind"] {
            let known: [String: DepthNetworkKind] = [
                "inverse": .inverse, "inverse_depth": .inverse, "disparity": .inverse, "relative": .inverse,
                "metric": .metric, "metric_depth": .metric, "depth": .depth,
            ]
            guard let named = known[text.lowercased()] else {
                throw Self.invalid("depth_kind", text, path, "inverse, metric or depth")
            }
            kind = named
        }
    }

    private static func invalid(
        _ key: String,
        _ text: String,
        _ path: String,
        _ expected: String
    ) -> DepthNetworkError {
        .interface(path: path, expected: "metadata \"\(key)\" of \(expected)", found: "\"\(shown(text, atMost: 60))\"")
    }

    /// Three numbers from 0 to 1, with commas or spaces between them and brackets around them or not.
    private static func numbers(_ text: String) -> SIMD3<Float>? {
        let parts = text.split { " ,;[]()".contains($0) }.map { Float($0) ?? .nan }
        guard parts.count == 3, parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
        return SIMD3(parts[0], parts[1], parts[2])
    }

    /// The size at which an image of a size enters the network.
    ///
    /// Sides that the model does not fix are multiples of 14: the longer is ``longestSide``, and the other is next to
    /// what keeps the aspect.
    ///
    /// - Precondition: The size is positive.
    func inputSize(_ image: GridSize) -> GridSize {
        let (width, height) = (Double(image.width), Double(image.height))
        if let fixedWidth, let fixedHeight { return GridSize(width: fixedWidth, height: fixedHeight) }
        if let fixedWidth { return GridSize(width: fixedWidth, height: snapped(Double(fixedWidth) * height / width)) }
        if let fixedHeight {
            return GridSize(width: snapped(Double(fixedHeight) * width / height), height: fixedHeight)
        }
        let scale = Double(longestSide) / max(width, height)
        return GridSize(width: snapped(width * scale), height: snapped(height * scale))
    }

    private func snapped(_ side: Double) -> Int {
        let patches = (side / Double(Self.patch)).rounded()
        // Compared as numbers with fraction: the side may be beyond every whole number.
        let isOpen = fixedWidth == nil && fixedHeight == nil
        let most = (isOpen ? max(longestSide, Self.patch) : Self.sideLimit) / Self.patch
        return Self.patch * Int(min(max(patches, 1), Double(most)))
    }
}
