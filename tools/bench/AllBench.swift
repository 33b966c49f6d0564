import Glibc

/// What is measured: its name on the command line, what it needs, and how.
struct Bench: Sendable {
    /// A session or bag that `all` makes by itself.
    enum Input: String, Sendable {
        case short, long, everything
        /// A chunk as the phone app writes it, of the long session.
        case app
    }

    var name: String
    var inputs: [Input] = []
    var run: @Sendable (Arguments) async throws -> Report

    static let list = [
        Bench(name: "cloud", inputs: [.short]) { try benchClouds($0) },
        Bench(name: "map", inputs: [.everything]) { try await benchMap($0) },
        Bench(name: "jpeg", inputs: [.short]) { try benchJPEG($0) },
        Bench(name: "calibration", inputs: [.short]) { try benchCalibration($0) },
        Bench(name: "encode") { try benchEncoding($0) },
        Bench(name: "sqlite") { try await benchBag($0) },
        Bench(name: "bag", inputs: [.long, .short]) { try benchWholeProcess($0, sink: .bag) },
        Bench(name: "rosbridge", inputs: [.long, .short]) { try benchWholeProcess($0, sink: .server) },
        Bench(name: "convert", inputs: [.app]) { try benchConversion($0) },
        Bench(name: "session", inputs: [.everything]) { try benchSession($0) },
        Bench(name: "record") { try await benchRecord($0) },
        Bench(name: "dds") { try await benchDDS($0) },
        Bench(name: "websocket") { try await benchWebSocket($0) },
        Bench(name: "pace", inputs: [.long]) { try await benchPace($0) },
        Bench(name: "start", inputs: [.everything]) { try benchStart($0) },
    ]
}

/// Everything, one after the other, on sessions that are made for it; a table is printed as soon as it is there.
///
/// Each runs in a process of its own: what a child's peak memory is begins with that of its parent.
///
/// - Returns: how many could not be measured; each has said why.
func benchAll(_ arguments: Arguments) throws -> Int {
    guard let binary = arguments.string("--binary") else { throw BenchError("--binary: expected the command") }
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    func make(_ input: Bench.Input) throws -> String {
        let path = scratch(input.rawValue)
        guard access(path, F_OK) != 0 else { return path }
        let words =
            switch input {
            case .short: ["sample", "-o", path, "--duration", "2", "--noise", "--relative-depth"]
            case .long: ["sample", "-o", path, "--duration", "20", "--noise", "--images", "60"]
            case .everything: ["sample", "-o", path, "--duration", "20", "--everything"]
            case .app: ["bag", try make(.long), "-o", path, "--profile", "app", "--serialization", "rosbridge_json"]
            }
        guard try run([binary] + words).status == 0 else { throw BenchError("\(path): could not be made") }
        return path
    }
    var failed = 0
    for bench in Bench.list {
        let result = try run(["/proc/self/exe", bench.name] + bench.inputs.map(make) + arguments.given)
        print(result.status == 0 ? result.output : "\(bench.name): not measured\n")
        fflush(nil)
        if result.status != 0 { failed += 1 }
    }
    return failed
}
