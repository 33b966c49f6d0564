import Glibc

// Speed against peers, in one run: ours and theirs take turns, medians are compared. On a shared machine only the ratios
// mean something; pin the whole command to one processor.

do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    switch arguments.subcommand {
    case "answering-sink":
        guard let port = Int(try arguments.operand(0, "a port")) else { throw BenchError("expected a port") }
        try AnsweringSink.run(port: port)
    case "all":
        if try benchAll(arguments) > 0 { exit(1) }
    default:
        guard let bench = Bench.list.first(where: { $0.name == arguments.subcommand }) else { throw BenchError(usage) }
        let report = try await bench.run(arguments)
        print(arguments.has("--json") ? report.json : report.table)
    }
} catch {
    let message = Array("bench: \(error)\n".utf8)
    _ = write(2, message, message.count)
    exit(64)
}
