import Glibc

// Speed against peers, in one run: ours and theirs take turns, medians are compared. On a shared machine only the ratios
// mean something; pin the whole command to one processor.

do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    if arguments.subcommand == "answering-sink" {
        guard let port = Int(try arguments.operand(0, "a port")) else { throw BenchError("expected a port") }
        try AnsweringSink.run(port: port)
        exit(0)
    }
    let report =
        switch arguments.subcommand {
        case "cloud": try benchClouds(arguments)
        case "map": try await benchMap(arguments)
        case "jpeg": try benchJPEG(arguments)
        case "calibration": try benchCalibration(arguments)
        case "encode": try benchEncoding(arguments)
        case "sqlite": try await benchBag(arguments)
        case "bag": try benchWholeProcess(arguments, sink: .bag)
        case "rosbridge": try benchWholeProcess(arguments, sink: .server)
        case "convert": try benchConversion(arguments)
        case "record": try await benchRecord(arguments)
        case "websocket": try await benchWebSocket(arguments)
        case "pace": try await benchPace(arguments)
        case "start": try benchStart(arguments)
        default: throw BenchError(usage)
        }
    print(arguments.has("--json") ? report.json : report.table)
} catch {
    let message = Array("bench: \(error)\n".utf8)
    _ = write(2, message, message.count)
    exit(64)
}
