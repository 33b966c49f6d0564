import Exports
import Platform

/// The options that the user gave, by their names.
struct GivenOptions: Sendable {
    static var onCommandLine: GivenOptions { GivenOptions(Invocation.current.arguments) }

    /// True if nothing is told unless something is wrong.
    static var isQuiet: Bool { onCommandLine.contains("--quiet") }

    /// True if tables have all their columns, however wide they are.
    static var isVerbose: Bool { onCommandLine.contains("--verbose") }

    private static let aliases = [
        "--jobs": "-j", "--image-size": "--size", "--min-motion": "--min-distance", "--start-offset": "--start",
        "-q": "--quiet",
        "-v": "--verbose",
        "-s": "--storage",
    ]
    private let names: Set<String>

    init(_ arguments: [String]) {
        let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }.flatMap { argument in
            if argument.hasPrefix("--") { return [String(argument.prefix { $0 != "=" })] }
            if argument.hasPrefix("-j") { return ["-j"] }
            // Flags of one letter may stand together.
            return argument.dropFirst().prefix { $0 != "=" }.map { "-\($0)" }
        }
        names = Set(options.map { Self.aliases[$0] ?? $0 })
    }

    /// True for an option that was given, and for one that was switched off by `--no-`.
    func contains(_ option: String) -> Bool {
        names.contains(option) || names.contains("--no-" + option.dropFirst(2))
    }

    /// The options that were given and are not in a list, in the order of their names.
    func others(than list: String) -> [String] {
        names.subtracting(list.split(separator: " ").map { String($0) }).sorted()
    }

    /// The options of a list, separated by spaces, that were given.
    func among(_ list: String) -> [String] {
        list.split(separator: " ").map { String($0) }.filter { contains($0) }
    }
}

/// A command with its input and format: each option that was given acts on them, or is refused.
struct OptionUse {
    let command: String
    var kind = InputKind.bag
    var format: ExportFormat?
    /// The form of a map for robots; nil for a surface.
    var robotMap: RobotMapFile.Form?
    /// The thing that is there in place of the one that an option needs.
    let found: String
    let given = GivenOptions.onCommandLine

    init(_ command: String, found: String) { (self.command, self.found) = (command, found) }

    init(_ command: String, _ kind: InputKind, _ path: String, format: ExportFormat? = nil) {
        (self.command, self.kind, self.format) = (command, kind, format)
        found = (format.map { "--to \($0.name) of " } ?? "") + "the \(kind) \(path)"
    }

    /// Refuses what was given and means nothing here, rather than ignoring it silently.
    func refuseUnused() throws(UsageError) {
        let meanings = Self.meanings.filter { $0.commands.split(separator: " ").contains(command[...]) }
        let refused = meanings.filter { !$0.fits(self) && !given.among($0.options).isEmpty }
        guard let first = refused.first else { return }
        let needs = refused.filter { $0.found == first.found }
            .map { "\(given.among($0.options).joined(separator: ", ")): expected \($0.needs)" }
        throw UsageError("\(needs.joined(separator: "; ")), found \(first.found ?? found)")
    }

    // MARK: - What fits

    private var isOfFloor: Bool { robotMap?.isOfFloor ?? false }
    private var isNav2: Bool { robotMap == .yaml }
    private var isMesh: Bool { robotMap == nil }
    private var isSession: Bool { kind == .session }
    private var isBag: Bool { kind == .bag }
    private var isNever: Bool { false }
    private var isEchoed: Bool { isSession || given.contains("--echo") }
    private var hasMessageType: Bool { given.contains("--msg") }
    private var isListening: Bool { given.contains("--arvos-listen") }
    private var isConnecting: Bool { !isListening }
    private var isSentAsArvos: Bool { isListening || given.contains("--arvos") }
    private var isSentToRosbridge: Bool { !isSentAsArvos }
    private var isConfirmed: Bool { !given.contains("--no-confirm") }
    private var isReceivedAsArvos: Bool { !given.among("--arvos --arvos-url --arvos-http").isEmpty }

    private func frames(_ fits: (FrameFormat) -> Bool) -> Bool {
        isSession && format?.frameFormat.map(fits) ?? false
    }

    private var isFrames: Bool { frames { _ in true } }
    private var isModel: Bool { frames { $0.options.contains(.cameraModel) } }
    private var centresPoint: Bool { frames { $0.options.contains(.centredPrincipalPoint) } }
    private var hasMotion: Bool { frames { $0.options.contains(.motion) } }
    private var hasOneSize: Bool { isDataset || frames(\.hasOneSize) }
    private var hasFreeAxes: Bool { frames { $0.world == nil } }
    private var hasTimes: Bool { isFrames || isTable || isTrack || isDataset }
    private var hasPoints: Bool { isSurface || frames(\.hasPoints) }
    private var isParallel: Bool { isFrames || isSurface || isTable || isDataset }
    private var takesHeights: Bool { isTrack || isTable || isModel || isSurface && format == .surface(.las) }

    /// True if depth pixels, or what is made of them, are written.
    private var hasDepth: Bool { isSurface || isDataset || frames { $0.hasPoints || $0.hasDepth } }
    private var takesDepth: Bool { hasDepth || isTable }
    private var takesRange: Bool { hasDepth || frames { $0.options.contains(.maximumDepth) } }

    private var isSurface: Bool {
        if case .surface = format { isSession } else { false }
    }

    private var isTable: Bool {
        if case .table = format { isSession } else { false }
    }

    private var takesTypes: Bool { isBag && !isDataset }

    private var isDataset: Bool {
        if case .dataset = format { true } else { false }
    }

    private var isTrack: Bool {
        if case .track = format { isSession } else { false }
    }

    // MARK: - The table

    /// Some options of some commands, what they need, whether it is there, and what is there in its place.
    private typealias Meaning = (
        commands: String, options: String, needs: String, fits: (OptionUse) -> Bool, found: String?
    )

    private static let forClock = "--epoch --timezone --fps"
    private static let forPoses = "--refine --poses"
    private static let forDepth = "--depth --dense --depth-model --depth-model-kind --onnxruntime"
    private static let forTypes = "--type --skip-unknown --msg-path --max-unpacked"
    private static let forPixels = "--min-confidence --min-depth --max-depth --edge-filter"
    private static let forTLS = "--ca --cert --key --insecure"
    private static let forConfirming = "--window-mb --resend"

    /// The options that place the map on the Earth, which takes a fix.
    static let forFixes = "--heading --geoid --georeference"

    private static var meanings: [Meaning] { inputs + maps + exports + connections }

    private static var inputs: [Meaning] {
        let messages =
            "--profile --max-hz --frames \(forClock) --trust-depth --keep-limited-tracking --calibration -j --tag-map --tag-family "
            + "\(forPoses) \(forDepth) "
            + forFixes
        let clouds =
            "\(forPixels) --voxel-size --voxel-point --outlier --outlier-voxel --outlier-neighbours --colour"
        let published =
            "--topics --exclude-topics --regex --exclude-regex --remap --namespace --start --end --duration --stamp "
            + "--strict --accept-damage"
        let converted = "--start --end --remap --type --skip-unknown --drop-duplicates"
        let players = "inspect serve replay"
        return [
            ("inspect", "--echo -n --full --msg-path --max-unpacked", "a bag, which has messages", \.isBag, nil),
            ("inspect", "-n --full", "--echo TOPIC beside it", \.isEchoed, nil),
            ("check repair report serve replay", forTypes, "a bag", \.isBag, nil),
            (players, messages, "a session to make messages of", \.isSession, nil),
            (players, clouds, "a session to make clouds of", \.isSession, nil),
            ("inspect", published, "a session, of which it shows what would be published", \.isSession, nil),
            ("inspect", "--exact", "a session to prepare", \.isSession, nil),
            (
                "report", "-j --accept-damage \(forClock) --trust-depth \(forPoses) \(forDepth)", "a session",
                \.isSession, nil
            ),
            // A recording of Arvos is a bag only once convert has made one of it.
            ("convert-arvos", converted, "a bag", \.isNever, nil),
            ("topics", "--msg-path", "--msg TYPE beside it", \.hasMessageType, "none"),
        ]
    }

    private static var maps: [Meaning] {
        [
            ("map", "--min-height --max-height", "a map of the floor (-o NAME.yaml or NAME.tif)", \.isOfFloor, nil),
            ("map", "--map-mode", "a map of nav2 (-o NAME.yaml)", \.isNav2, nil),
            ("map", "--cloud --min-component", "a surface (-o NAME.ply, .glb, .pcd or .las)", \.isMesh, nil),
        ]
    }

    private static var exports: [Meaning] {
        func export(_ options: String, _ needs: String, _ fits: @escaping (OptionUse) -> Bool) -> Meaning {
            ("export", options, needs, fits, nil)
        }
        func session(_ formats: [String]) -> String {
            let first = formats.dropLast().joined(separator: ", ")
            return "a session and --to " + (first.isEmpty ? "" : "\(first) or ") + (formats.last ?? "")
        }
        let models = FrameFormat.names(with: .cameraModel)
        let geo = session(["gpx", "geojson", "kml", "las", "csv", "parquet"] + models)
        let choice = "--every --min-distance --min-angle --min-sharpness"
        let depth = "a session and a format with depth"
        let ranged = FrameFormat.names(with: .maximumDepth).joined(separator: " or ")
        return [
            export("--share-intrinsics --binary", session(models), \.isModel),
            export(
                "--centre-principal-point",
                session(FrameFormat.names(with: .centredPrincipalPoint)),
                \.centresPoint
            ),
            export("--kalibr --slow-imu", session(FrameFormat.names(with: .motion)), \.hasMotion),
            export("--size", session(FrameFormat.names(\.hasOneSize) + ["lerobot"]), \.hasOneSize),
            export("--task --action --no-depth-video", session(["lerobot"]), \.isDataset),
            export("--world", "a session and a format of frames whose axes are free", \.hasFreeAxes),
            export(choice, "a session and a format of frames", \.isFrames),
            export(forClock, "a session and a format with times", \.hasTimes),
            export("--keep-limited-tracking \(forPoses)", "a session", \.isSession),
            export("--trust-depth \(forDepth)", depth, \.takesDepth),
            export("--min-confidence --min-depth --edge-filter", depth, \.hasDepth),
            export("--max-depth", depth + ", or " + ranged, \.takesRange),
            export("--voxel-size", "a session and a format with points", \.hasPoints),
            export("-j", "a session and another format than a track", \.isParallel),
            export("--geoid", geo, \.takesHeights),
            export("--topic \(forTypes)", "a bag, and another format than lerobot", \.takesTypes),
        ]
    }

    private static var connections: [Meaning] {
        let rosbridge = "--url --compress --no-fragments --fit --no-confirm --wait-for-recorder --max-message-size"
        let arvos = "--preset --arvos-time --ros-axes --allow-commands"
        let admission = "--token --token-file --allow-origin"
        let beside = "--arvos or --arvos-listen beside it"
        return [
            ("connect", admission, "--arvos-listen beside it", \.isListening, "none"),
            ("connect", arvos, beside, \.isSentAsArvos, "neither"),
            // What is sent as Arvos is neither confirmed nor cut into pieces.
            ("connect", "\(rosbridge) \(forConfirming)", "a rosbridge server (--url)", \.isSentToRosbridge, "--arvos"),
            ("connect", "--header \(forTLS)", "--arvos", \.isConnecting, "--arvos-listen"),
            ("connect", forConfirming, "confirmations", \.isConfirmed, "--no-confirm"),
            ("connect-plain", forTLS, "a wss:// URL", \.isNever, nil),
            ("record", "--arvos-topics", "--arvos, --arvos-url or --arvos-http", \.isReceivedAsArvos, "none"),
        ]
    }
}
