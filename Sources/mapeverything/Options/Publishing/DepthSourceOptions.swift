import ArgumentParser
import Perception
import Sessions

/// Which depth is used, and what is made of the recorded one.
struct DepthSourceOptions: ParsableArguments {
    @Option(
        help: .rare(
            "Depth of clouds, maps and exports: lidar, dense (as fine as the image) or relative (a model's, in metres by LiDAR). Default: lidar.",
            "kind"
        )
    )
    var depth: DepthKind?

    @Option(
        help: .rare(
            "Make depth as fine as the image, by its colours: WIDTHxHEIGHT, WIDTH or off. Default: off; alone, or with --depth dense, 960.",
            "size"
        )
    )
    var dense: String?

    @Option(
        help: .rare("Run this depth network (ONNX) on the images: relative depth, as of Depth Anything V2.", "file"),
        completion: .file()
    )
    var depthModel: String?

    @Option(
        help: .rare(
            "Output of --depth-model: inverse (larger is nearer), metric, depth, or auto, as the model says. Default: auto.",
            "kind"
        )
    )
    var depthModelKind: DepthNetworkKind?

    @Option(
        help: .rare("The library of ONNX Runtime, or the folder of its Python package. Default: search.", "path"),
        completion: .file()
    )
    var onnxruntime: String?

    enum Use {
        /// Topics, of which dense depth has its own.
        case topics
        /// A page, which shows all kinds.
        case page
        /// One surface, or pictures of depth.
        case surface
        case recording
        /// Tables, in which only the calibration is.
        case tables
    }

    /// What is asked for, with its model loaded.
    ///
    /// - Throws: a ``UsageError`` for what means nothing for the use, and why the model cannot be loaded.
    func plan(_ use: Use) throws -> DepthPlan {
        var plan = DepthPlan()
        plan.dense = try grid()
        let isDense = use == .topics || use == .tables ? false : plan.dense != nil
        plan.kind = depth ?? (isDense ? .dense : .lidar)
        if plan.kind == .dense {
            try UsageError.require(dense != "off", "--dense", "a size, as --depth is dense", "off")
            plan.dense = plan.dense ?? .standard
        }
        let needsNoDense = use == .surface || use == .recording
        try UsageError.require(
            plan.dense == nil || plan.kind == .dense || !needsNoDense,
            "--dense",
            "--depth dense beside it",
            "--depth \(plan.kind.rawValue)"
        )
        let isTable = use == .tables
        try UsageError.require(!isTable || plan.dense == nil, "--dense", "a format with depth", "a table")
        try UsageError.require(
            depthModel == nil || use != .surface || plan.kind == .relative,
            "--depth-model",
            "--depth relative beside it",
            plan.kind == .lidar ? "none" : "--depth \(plan.kind.rawValue)"
        )
        plan.network = try network()
        return plan
    }

    static func session(_ session: any Session, _ plan: DepthPlan) throws -> any Session {
        guard !plan.isRecorded else { return session }
        let summary = session.summary
        let option =
            plan.kind != .lidar ? "--depth \(plan.kind.rawValue)" : plan.dense != nil ? "--dense" : "--depth-model"
        func missing(_ found: String) -> UsageError {
            let needed =
                option == "--depth-model"
                ? "images" : plan.kind == .relative ? "relative depth and LiDAR depth" : "images and LiDAR depth"
            return UsageError(option, expected: "a recording with \(needed)", found: found)
        }
        if let refusal = summary.depthRefusal {
            throw missing("depth that contradicts the poses (--trust-depth): \(refusal)")
        }
        guard summary.hasDepth || plan.kind == .lidar && plan.dense == nil else { throw missing("no LiDAR depth") }
        if plan.dense != nil || plan.network != nil, !summary.hasImages { throw missing("no images") }
        if plan.kind == .relative, plan.network == nil, !summary.hasRelativeDepth { throw missing("no relative depth") }
        return DepthSession(session, plan)
    }

    private func network() throws -> DepthNetwork? {
        guard let depthModel else {
            try UsageError.require(depthModelKind == nil, "--depth-model-kind", "--depth-model beside it", "none")
            try UsageError.require(onnxruntime == nil, "--onnxruntime", "--depth-model beside it", "none")
            return nil
        }
        var options = DepthNetworkOptions(modelPath: depthModel)
        (options.runtimePath, options.kind) = (onnxruntime, depthModelKind ?? .auto)
        return try DepthNetwork(options)
    }

    /// True if dense depth is asked for as topics.
    var isDenseGiven: Bool { dense != nil && dense != "off" }

    private func grid() throws -> DepthPlan.DenseGrid? {
        guard let dense, dense != "off" else { return nil }
        let sides = dense.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        let limits = 16...DepthPlan.DenseGrid.mostPixels
        guard (1...2).contains(sides.count), sides.allSatisfy({ limits.contains($0) }) else {
            let expected = "WIDTHxHEIGHT or WIDTH, 16 to \(limits.upperBound) pixels, or off"
            throw UsageError("--dense", expected: expected, found: dense)
        }
        return DepthPlan.DenseGrid(width: sides[0], height: sides.count == 2 ? sides[1] : nil)
    }
}

extension DepthKind: Choice {}
extension DepthNetworkKind: Choice {}
