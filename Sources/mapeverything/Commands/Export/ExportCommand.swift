import ArgumentParser
import Exports
import Platform
import Recording
import Sessions

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Write a session or a bag as files of COLMAP, LeRobot and many other tools.",
        discussion: """
            Examples:
              mapeverything export room --to colmap
              mapeverything export room --to tum -o room.txt --every 3
              mapeverything export kitchen hall --to lerobot -o walks
              mapeverything export room_bag --to csv -o room_tables
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A session; tum, kitti, csv, parquet, gpx, geojson, kml, ply: or a bag; lerobot: several, or data sets.",
            valueName: "path"
        ),
        completion: .file()
    ) var paths: [String]

    @Option(
        name: [.customLong("to"), .customLong("format")],
        help: .value("format", "Format. (values: \(Product.exports.map(\.name).joined(separator: ", ")))"),
        completion: .list(Product.exports.map(\.name)),
        transform: product
    )
    var to: Product

    /// The product of a word; the error says what is near.
    @Sendable static func product(_ word: String) throws(UsageError) -> Product {
        if let product = Product.named(word) { return product }
        let expected = "a format that `mapeverything help formats` lists"
        throw UsageError("--to", expected: expected, found: word + Product.hint(word))
    }

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value(
            "path",
            "Folder or file to create; - for standard output of one file. Default: named after the input and the format."
        ),
        completion: .file()
    )
    var givenOutput: String?

    var path: String { paths.first ?? "" }
    var output: String { givenOutput ?? DefaultOutput.name(of: path) + to.outputEnding }

    @OptionGroup var force: ForceOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup(title: "Which frames") var selection: FrameOptions
    @OptionGroup(title: "How") var form: FrameFormOptions
    @OptionGroup(title: "Depth") var pixels: DepthOptions
    @OptionGroup var learning: LearningOptions

    @Option(
        help: .value(
            "metres",
            "Distance between points of the surface, in metres. Default: 0.03; of a surface (ply, las, ...): 0.02."
        )
    )
    var voxelSize: Double?

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var geoid: GeoidOptions
    @OptionGroup(title: "Bag input") var bag: BagExportOptions
    @OptionGroup var reporting: ReportingOptions

    func run() async throws {
        if case .episodes = to.making { return try await exportDataset() }
        try UsageError.require(paths.count == 1, "export", "one input, as only lerobot takes more", paths.count)
        let kind = try kind(of: path)
        try OptionUse("export", kind, path, to).refuseUnused()
        try settleOutput(isOneFile: to.isFile(of: kind))
        switch kind {
        case .bag: try await exportBag()
        case .session: try await runSession()
        }
    }

    /// What the format is made of: the messages of a bag, or the recording that it shows.
    func kind(of path: String) throws(NoInputError) -> InputKind {
        try InputKind(path) == .bag && to.ofBag != nil ? .bag : .session
    }

    /// Refuses standard output for many files, and says where the output will be if it was not told.
    func settleOutput(isOneFile: Bool) throws {
        if StandardOutput.temporary != nil, !isOneFile {
            throw UsageError("--output", expected: "a folder, as \(to.name) is many files", found: "-")
        }
        if givenOutput == nil { try DefaultOutput.announce(output, of: path) }
    }

    private func runSession() async throws {
        switch to.making {
        case .frames(let format): try await export(frames: format)
        case .surface(let file): try await export(surface: file)
        case .track(let file): try await export(track: file)
        case .table(let format): try await export(table: format)
        case .episodes, .space, .command: try await exportDataset()
        }
    }

    /// The mapper of the session's surface.
    func mapper(voxelSize standard: Double) throws -> SurfaceOfSession {
        try SurfaceOfSession(
            voxelSizeMetres: voxelSize ?? standard,
            depth: pixels,
            keepsLimitedTracking: selection.keepLimitedTracking,
            jobs: workers.count()
        )
    }
}

/// Which frames of a session are exported.
struct FrameOptions: ParsableArguments {
    @OptionGroup var span: SpanOptions
    @OptionGroup var recording: RecordingOptions

    @Option(help: ArgumentHelp("Take each N-th frame that is left. Default: 1.", valueName: "n"))
    var every: Int?

    @Option(
        name: [.long, .customLong("min-motion")],
        help: .value(
            "metres",
            "Take a frame this many metres from the last one taken, or after --min-angle. Default: every frame."
        )
    )
    var minDistance: Double?

    @Option(
        help: .rare(
            "Take a frame after a turn of this many degrees, or after --min-distance. Default: every frame.",
            "degrees"
        )
    )
    var minAngle: Double?

    @Option(
        help: .rare(
            "Leave out frames of a known sharpness (variance of the Laplacian) below this. Default: none.",
            "variance"
        )
    )
    var minSharpness: Double?

    @Flag(help: .rare("Also take frames whose tracking was limited or lost. Default: leave them out."))
    var keepLimitedTracking = false

    func apply(to plan: inout ExportPlan) throws {
        plan.span = span.request
        plan.rule = try rule()
    }

    func rule() throws -> FrameRule {
        var rule = FrameRule()
        rule.every = try UsageError.count("--every", every ?? 1, from: 1, to: 1_000_000)
        rule.keyFrames = KeyFrameRule(
            afterMetres: try positive("--min-distance", minDistance, "metres"),
            orRadians: try positive("--min-angle", minAngle, "degrees") * .pi / 180
        )
        rule.minimumSharpness = minSharpness
        rule.keepsLimitedTracking = keepLimitedTracking
        return rule
    }

    private func positive(_ option: String, _ value: Double?, _ unit: String) throws(UsageError) -> Double {
        guard let value else { return 0 }
        try UsageError.require(value > 0 && value < 1000, option, "\(unit) above 0 and below 1000", value)
        return value
    }
}

extension ExportCommand {
    /// A folder that is filled under another name; a file is made in one too.
    func makeFolder(isFile: Bool) throws -> OutputFolder {
        let kind = isFile ? OutputKind.trajectory : .export(to.name)
        return try OutputFolder.new(output, replacing: force.isGiven ? kind : nil)
    }

    /// The one file of the export, which is refused before any work where it cannot be.
    func newFile() throws -> NewFile { try NewFile(claim(of: .session), inputs: [path]) }
}

/// How frames are exported; each option for some formats only.
struct FrameFormOptions: ParsableArguments {
    /// The size of images that have to be alike.
    enum Size: ExpressibleByArgument, Hashable {
        case sensor
        case pixels(GridSize)

        init?(argument: String) {
            if argument.lowercased() == "full" {
                self = .sensor
                return
            }
            let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1], (16...16_384).contains(width),
                (16...16_384).contains(height)
            else { return nil }
            self = .pixels(GridSize(width: width, height: height))
        }
    }

    /// The formats that have some options, as helps list them.
    private static func formats(_ options: ProductOptions) -> String {
        Product.names(with: options).joined(separator: ", ")
    }

    @Option(
        help: .rare("World axes: map (z up, as the bags) or arkit (y up). Default: map; splatam has arkit.", "axes")
    )
    var world: ExportWorld?

    @Flag(help: "\(Self.formats(.cameraModel)): one camera for all images. Default: each image has its own.")
    var shareIntrinsics = false

    @Flag(
        inversion: .prefixedNo,
        help: .rare(
            "\(Self.formats(.cameraModel)): the binary form of the model. Default: above 2000 images; gaussian: on."
        )
    )
    var binary: Bool?

    @Flag(
        help: .rare(
            "\(Self.formats(.centredPrincipalPoint)): cut the images around the principal point, and encode them again."
        )
    )
    var centrePrincipalPoint = false

    @Option(
        name: [.long, .customLong("image-size")],
        help: ArgumentHelp(
            "\(Self.formats(.oneSize)): size of all images, or full. Default: 640x480.",
            valueName: "widthxheight"
        )
    )
    var size: Size?

    @Flag(help: .rare("\(Self.formats(.motion)): also write Kalibr's camera chain.")) var kalibr = false

    @Flag(help: .rare("\(Self.formats(.motion)): accept an IMU below 50 Hz.")) var slowImu = false

    func apply(to plan: inout ExportPlan) {
        plan.world = world ?? .map
        plan.sharesIntrinsics = shareIntrinsics
        plan.isBinary = binary
        plan.centresPrincipalPoint = centrePrincipalPoint
        switch size {
        case .sensor: plan.imageSize = nil
        case .pixels(let size): plan.imageSize = size
        case nil: break
        }
        plan.writesKalibr = kalibr
        plan.acceptsSlowMotion = slowImu
    }
}

extension ExportWorld: Choice {}
