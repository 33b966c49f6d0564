import ArgumentParser
import BagConversion
import Bags

/// Showing the messages of a topic.
struct EchoOptions: ParsableArguments {
    @Option(
        name: .customLong("echo"),
        help: "Print the messages of this topic as YAML; with --json, one line of JSON for each message."
    )
    var topic: String?

    @Option(name: .customShort("n"), help: "Print only the first N messages. Default: all.")
    var count: Int?

    @Flag(help: "Print long arrays and strings in full. Default: shortened.")
    var full = false

    @OptionGroup
    var messagePath: MessagePathOptions

    func run(_ reader: BagReader, json: Bool) throws {
        if let count, count < 1 { throw UsageError("-n", expected: "a count of at least 1", found: "\(count)") }
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
