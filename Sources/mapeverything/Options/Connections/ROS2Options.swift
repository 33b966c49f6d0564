import ArgumentParser
import Bags
import DDS
import Glibc
import Messages

/// Which domain of ROS 2 is joined, and as which node.
struct ROS2NodeOptions: ParsableArguments {
    @Option(help: .value("id", "Domain of ROS 2. Default: $ROS_DOMAIN_ID, else 0.")) var domain: Int?

    @Option(help: .rare("Name of the node, with its namespace: /robot/replay. Default: /mapeverything.", "name"))
    var nodeName: String?

    func environment(_ distribution: BagOptions.Distribution) throws -> DDSEnvironment {
        var variables: [String: String] = [:]
        for name in DDSEnvironment.names { variables[name] = getenv(name).map { String(cString: $0) } }
        if distribution != .any { variables["ROS_DISTRO"] = distribution.rawValue }
        return try DDSEnvironment(variables, domain: domain)
    }

    /// The full name of the node.
    func node() throws -> String {
        let name = nodeName ?? "mapeverything"
        let full = name.hasPrefix("/") ? name : "/" + name
        try UsageError.require(Topic.isValidName(full), "--node-name", "a name of letters, digits and _", name)
        return full
    }

    /// The library, found as the environment says.
    func library() throws -> CycloneLibrary {
        let path = getenv("MAPEVERYTHING_DDSC").map { String(cString: $0) }
        return try CycloneLibrary.load(path.map { ["MAPEVERYTHING_DDSC": $0] } ?? [:])
    }
}

/// How a replay is published to ROS 2 without a bridge.
struct ROS2PublishingOptions: ParsableArguments {
    @Flag(
        name: .customLong("ros2"),
        help: "Publish to ROS 2 itself, by Cyclone DDS; needs no ROS."
    )
    var isGiven = false

    @OptionGroup var graph: ROS2NodeOptions

    @Option(
        help: .rare(
            "Readers to wait for: topics with commas between them, all or none. Default: /tf and one other.",
            "topics"
        )
    )
    var waitForReaders: String?

    @Option(
        help: .rare(
            "Seconds to wait for readers, and for another in place of one that was lost. Default: 30.",
            "seconds"
        ),
        transform: Seconds.option("--reader-timeout")
    )
    var readerTimeout: Double?

    @Flag(help: .rare("Keep every message for readers that come late, such as a recorder that is started again."))
    var keepAllForLateJoiners = false

    @Option(help: .rare("Memory for --keep-all-for-late-joiners: 1GB, 1GiB or bytes.", "size"))
    var maxMemory = ByteSize("1GB")

    @Option(
        help: .rare("Seconds that latched topics stay after the last message. Default: 0.", "seconds"),
        transform: Seconds.option("--stay")
    )
    var stay: Double?

    /// The options of the sink; nil where nothing goes to ROS 2.
    func options(isUnpaced: Bool, distribution: BagOptions.Distribution) throws -> DDSOptions? {
        guard isGiven else { return nil }
        var options = DDSOptions(try graph.environment(distribution))
        options.node = try graph.node()
        switch waitForReaders {
        case nil: options.awaited = .some
        case let word? where word.lowercased() == "all": options.awaited = .all
        case let word? where word.lowercased() == "none": options.awaited = .nobody
        case let names?: options.awaited = .topics(names.split(separator: ",").map { String($0) })
        }
        options.patience = .seconds(readerTimeout ?? 30)
        options.keepsForLateJoiners = keepAllForLateJoiners
        options.maximumBytes = try maxMemory.bytes("--max-memory", in: 1_000_000...(1 << 40))
        options.stay = .seconds(stay ?? 0)
        options.isUnpaced = isUnpaced
        return options
    }
}
