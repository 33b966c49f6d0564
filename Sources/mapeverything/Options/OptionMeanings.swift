import Exports

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
    var product: Product?
    /// The thing that is there in place of the one that an option needs.
    let found: String
    let given = GivenOptions.onCommandLine

    init(_ command: String, found: String) { (self.command, self.found) = (command, found) }

    init(_ command: String, _ kind: InputKind, _ path: String, _ product: Product? = nil) {
        (self.command, self.kind, self.product) = (command, kind, product)
        found = (product.map { "--to \($0.name) of " } ?? "") + "the \(kind) \(path)"
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

    private var space: SpaceFile? {
        if case .space(let file) = product?.making { file } else { nil }
    }

    private var isOfFloor: Bool { space?.isOfFloor ?? false }
    private var isNav2: Bool { space?.hasModes ?? false }
    private var isMesh: Bool { space == nil }
    private var isOnEarth: Bool { product?.options.contains(.heights) ?? false }
    private var isSession: Bool { kind == .session }
    private var isBag: Bool { kind == .bag }
    private var isNever: Bool { false }
    private var isEchoed: Bool { isSession || given.contains("--echo") }
    private var hasMessageType: Bool { given.contains("--msg") }
    private var isListening: Bool { given.contains("--arvos-listen") }
    private var isConnecting: Bool { !isListening }
    private var isSentAsArvos: Bool { isListening || given.contains("--arvos") }
    private var isSentToROS2: Bool { given.contains("--ros2") }
    private var isNotSentToROS2: Bool { !isSentToROS2 }
    private var isSentToRosbridge: Bool { !isSentAsArvos }
    private var isConfirmed: Bool { !given.contains("--no-confirm") }
    private var isReceivedAsArvos: Bool { !given.among("--arvos --arvos-url --arvos-http").isEmpty }

    /// One that takes bags as sessions.
    private var takesMany: Bool {
        if case .episodes = product?.making { true } else { false }
    }

    private var takesTypes: Bool { isBag && !takesMany }

    private func understands(_ options: ProductOptions) -> Bool {
        (isSession || takesMany) && product?.options.isSuperset(of: options) ?? false
    }

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
            ("map", "--geoid", "a map on the Earth (-o NAME.las or NAME.tif)", \.isOnEarth, nil),
            ("map", "--cloud --min-component", "a surface, such as -o NAME.ply", \.isMesh, nil),
        ]
    }

    private static var exports: [Meaning] {
        func export(_ options: String, _ needs: String, _ fits: @escaping (OptionUse) -> Bool) -> Meaning {
            ("export", options, needs, fits, nil)
        }
        let ranged = Product.exports.filter {
            $0.options.contains(.maximumDepth) && !$0.options.contains(.depthPixels)
        }
        let depth = "a session and a format with depth"
        // Nil where the products are named that understand it.
        let ofProducts: [(String, ProductOptions, needs: String?)] = [
            ("--share-intrinsics --binary", .cameraModel, nil),
            ("--centre-principal-point", .centredPrincipalPoint, nil), ("--kalibr --slow-imu", .motion, nil),
            ("--size", .oneSize, nil), ("--task --action --no-depth-video --leave-out", .learning, nil),
            ("--world", .freeAxes, "a session and a format of frames whose axes are free"),
            (
                "--every --min-distance --min-angle --min-sharpness", .frameChoice,
                "a session and a format of frames"
            ),
            (forClock, .times, "a session and a format with times"), ("--trust-depth \(forDepth)", .depthSource, depth),
            ("--min-confidence --min-depth --edge-filter", .depthPixels, depth),
            ("--max-depth", .maximumDepth, "\(depth), or \(ranged.map(\.name).listed)"),
            ("--voxel-size", .points, "a session and a format with points"),
            ("-j", .workers, "a session and another format than a track"), ("--geoid", .heights, nil),
        ]
        return ofProducts.map { options, use, needs in
            let names = Product.names(with: use)
            let formats = names.count > 5 ? "a format that --help names beside it" : "--to \(names.listed)"
            return export(options, needs ?? "a session and \(formats)") { $0.understands(use) }
        } + [
            export("--keep-limited-tracking \(forPoses)", "a session", \.isSession),
            export("--topic \(forTypes)", "a bag, and another format than lerobot", \.takesTypes),
        ]
    }

    private static var connections: [Meaning] {
        let rosbridge = "--url --compress --no-fragments --fit --no-confirm --wait-for-recorder --max-message-size"
        let arvos = "--preset --arvos-time --ros-axes --allow-commands"
        let admission = "--token --token-file --allow-origin"
        let beside = "--arvos or --arvos-listen beside it"
        let ros2 =
            "--domain --node-name --wait-for-readers --reader-timeout --keep-all-for-late-joiners --max-memory --stay"
        let others =
            "--arvos --arvos-listen --header --on-full --queue-mb --reconnect \(rosbridge) \(forConfirming) \(forTLS)"
        return [
            ("connect", ros2, "--ros2 beside it", \.isSentToROS2, "none"),
            ("connect", others, "no --ros2 beside it", \.isNotSentToROS2, "--ros2"),
            ("connect", admission, "--arvos-listen beside it", \.isListening, "none"),
            ("connect", arvos, beside, \.isSentAsArvos, "neither"),
            // What is sent as Arvos is neither confirmed nor cut into pieces.
            ("connect", "\(rosbridge) \(forConfirming)", "a rosbridge server (--url)", \.isSentToRosbridge, "--arvos"),
            ("connect", "--header \(forTLS)", "--arvos", \.isConnecting, "--arvos-listen"),
            ("connect", forConfirming, "confirmations", \.isConfirmed, "--no-confirm"),
            ("connect-plain", forTLS, "a wss:// URL", \.isNever, nil),
            (
                "record-ros2",
                "--arvos --arvos-url --arvos-http --port --address --lan --view --max-clients --max-message-size",
                "no --ros2 beside it", \.isNotSentToROS2, nil
            ),
            ("record-ros2", "--domain --node-name", "--ros2 beside it", \.isSentToROS2, nil),
            ("record", "--arvos-topics", "--arvos, --arvos-url or --arvos-http", \.isReceivedAsArvos, "none"),
        ]
    }
}

extension [String] {
    /// The words as a sentence lists them: a, b or c.
    var listed: String {
        guard let last, count > 1 else { return joined() }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
