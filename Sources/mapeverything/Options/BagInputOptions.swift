import ArgumentParser
import BagTools
import Bags
import Messages
import SystemPackage

/// Where definitions of message types are looked for.
struct MessagePathOptions: ParsableArguments {
    @Option(
        name: .customLong("msg-path"),
        help: .rare("Folder with .msg files, at any depth, of types that a bag does not define. Repeatable.", "folder"),
        completion: .directory
    )
    var folders: [String] = []

    /// Finds types in the folders, and those that this program knows.
    ///
    /// - Throws: what names a folder that cannot be listed.
    func resolver() throws(UsageError) -> TypeResolver {
        do throws(SchemaError) {
            return TypeResolver(directories: try MessageDirectories(folders.map { FilePath($0) }))
        } catch {
            throw UsageError("--msg-path", expected: error.expected, found: "\(error.source): \(error.found)")
        }
    }
}

/// How large the compressed files of a bag may become.
struct UnpackingOptions: ParsableArguments {
    @Option(
        help: .rare(
            "Largest size to unpack a .zstd file to, such as 1GB. Default: 200 times its size, at least 256MiB.",
            "size"
        )
    )
    var maxUnpacked: ByteSize?

    func limit() throws(UsageError) -> UnpackLimit {
        guard let maxUnpacked else { return UnpackLimit() }
        return UnpackLimit(fileBytes: try maxUnpacked.bytes("--max-unpacked", in: 1...(1 << 50)))
    }
}

/// Options for message types that a bag names wrongly or does not define.
struct UnknownTypeOptions: ParsableArguments {
    @Option(
        name: .customLong("type"),
        help: .rare("Correct the type of a topic: TOPIC=TYPE. May be given several times.", "topic=type")
    )
    var types: [String] = []

    @Flag(
        help: .rare("Leave out topics of unknown types knowingly. Default: they are left out too, and the status is 1.")
    )
    var skipUnknown = false

    @OptionGroup var messagePath: MessagePathOptions

    func typesByTopic() throws -> [String: String] {
        var result: [String: String] = [:]
        for text in types {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1].contains("/") else {
                throw UsageError("--type", expected: "TOPIC=TYPE, such as /scan=sensor_msgs/msg/LaserScan", found: text)
            }
            result[parts[0].hasPrefix("/") ? parts[0] : "/" + parts[0]] = parts[1]
        }
        return result
    }
}

/// Showing the messages of a topic.
struct EchoOptions: ParsableArguments {
    @Option(
        name: .customLong("echo"),
        help: .value(
            "topic",
            "Print the messages of this topic as YAML; with --json, one line of JSON for each message."
        )
    )
    var topic: String?

    @Option(name: .customShort("n"), help: .value("count", "Print only the first N messages. Default: all.")) var count:
        Int?

    @Flag(help: "Print long arrays and strings in full. Default: shortened.") var full = false

    @OptionGroup var messagePath: MessagePathOptions

    func run(_ reader: BagReader, json: Bool) throws {
        if let count { try UsageError.require(count > 0, "-n", "a count of at least 1", count) }
        var echo = try MessageEcho(
            reader,
            topic: topic ?? "",
            form: json ? .jsonLines : .yaml(isFull: full),
            types: messagePath.resolver()
        )
        var printed = 0
        var broken = 0
        while printed < count ?? .max, let outcome = try step(&echo) {
            switch outcome {
            case .success(let text):
                Terminal.write(text)
                printed += 1
            case .failure(let error):
                // One broken message is no reason to hide the others.
                Terminal.printError("mapeverything: \(error)")
                broken += 1
            }
        }
        for problem in echo.problems.prefix(10) { Terminal.printError("mapeverything: \(problem)") }
        broken += echo.problems.count
        if broken > 0 { throw ExitStatus.lossy }
    }

    /// The next message, or what is wrong with it; nil at the end of the bag.
    private func step(_ echo: inout MessageEcho) throws -> Result<[UInt8], BagError>? {
        do {
            return try echo.next().map { .success($0) }
        } catch {
            guard case .message = error else { throw error }
            return .failure(error)
        }
    }
}
