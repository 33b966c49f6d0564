import Foundation
import Glibc
import TestSupport

/// The fuzzing server of the Autobahn test suite: it plays broken and malicious servers, and judges the client.
struct FuzzingServer {
    /// What the server says of one case.
    struct Verdict: Decodable {
        var behavior: String
        var behaviorClose: String
    }

    private let process: ChildProcess
    private let folder: String
    let url: String

    /// The launcher, which tools/test installs beside the peers' Python.
    private static var launcher: String? {
        PeerPython.interpreter.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/wstest" }
    }

    static var isAvailable: Bool {
        PeerPython.isRequired || launcher.map { FileManager.default.isExecutableFile(atPath: $0) } ?? false
    }
    static let absence = "needs the Autobahn test suite, which tools/test installs"

    /// Starts a server with the cases of the given patterns, such as `7.*`, and waits until it listens.
    static func start(_ folder: String, cases: [String]) async throws -> FuzzingServer {
        guard let launcher else { throw CocoaError(.fileNoSuchFile) }
        let port = try freePort()
        let url = "ws://127.0.0.1:\(port)"
        let specification: [String: Any] = [
            "url": url, "outdir": "\(folder)/reports", "cases": cases, "exclude-cases": [String](),
            "exclude-agent-cases": [String: String](),
        ]
        let path = "\(folder)/cases.json"
        try JSONSerialization.data(withJSONObject: specification).write(to: URL(fileURLWithPath: path))
        // Python holds its output back when it is not a terminal's.
        let process = try ChildProcess(
            launcher,
            ["-m", "fuzzingserver", "-s", path, "-u", "0"],
            environment: ["PYTHONUNBUFFERED": "1"]
        )
        _ = try await process.waitForOutput("Ok, will run")
        // It says so just before it listens.
        try await waitUntilListening(port)
        return FuzzingServer(process: process, folder: folder, url: url)
    }

    /// Ends the server, and reads what it wrote when the client asked for it.
    func verdicts(on agent: String) async throws -> [String: Verdict] {
        await process.signal(SIGKILL)
        _ = try await process.finish(seconds: 30)
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/reports/index.json"))
        return try JSONDecoder().decode([String: [String: Verdict]].self, from: data)[agent] ?? [:]
    }

    /// A port that nothing listens on.
    private static func freePort() throws -> UInt16 {
        try withSocket { descriptor in
            var address = address(port: 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isBound else { throw POSIXError(.EADDRINUSE) }
            return UInt16(bigEndian: address.sin_port)
        }
    }

    private static func waitUntilListening(_ port: UInt16) async throws {
        for _ in 0..<500 {
            let isListening = try withSocket { descriptor in
                var address = address(port: port)
                return withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
            }
            if isListening { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw POSIXError(.ECONNREFUSED)
    }

    private static func withSocket<Result>(_ work: (Int32) throws -> Result) throws -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        defer { close(descriptor) }
        return try work(descriptor)
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return address
    }
}
