import ArgumentParser
import Rosbridge
import WebSocket

/// The echo client that the Autobahn test suite examines: whatever comes goes back as it came.
@main
struct AutobahnClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "autobahn",
        abstract: "Be examined by a fuzzing server of the Autobahn test suite."
    )

    @Argument(help: "The fuzzing server, such as ws://127.0.0.1:9001.")
    var url: String

    @Option(help: "The name under which the server reports.")
    var agent = "mapeverything"

    func run() async throws {
        guard agent.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isLetter }) else {
            throw ValidationError("--agent: expected letters and hyphens, found \(agent)")
        }
        let server = try RosbridgeURL(url)
        let count = try await caseCount(server)
        for number in 1...max(1, count) { try await echo(server, "/runCase?case=\(number)&agent=\(agent)") }
        try await echo(server, "/updateReports?agent=\(agent)")
        print("\(count) cases")
    }

    private func caseCount(_ server: RosbridgeURL) async throws -> Int {
        let transport = try await connect(server, "/getCaseCount")
        for try await batch in transport.batches {
            guard let count = batch.first.flatMap({ Int(String(decoding: $0.payload, as: UTF8.self)) }) else { break }
            await transport.close()
            return count
        }
        throw ValidationError("URL: expected a fuzzing server that counts its cases, found another")
    }

    /// Sends back what comes until the connection ends, in whatever way: that is for the server to judge.
    private func echo(_ server: RosbridgeURL, _ target: String) async throws {
        let transport = try await connect(server, target)
        do {
            for try await batch in transport.batches {
                for message in batch { try await transport.send(message) }
                transport.receiveMore()
            }
        } catch is RosbridgeError {
            return
        }
    }

    private func connect(_ server: RosbridgeURL, _ target: String) async throws -> WebSocketTransport {
        var url = server
        url.target = target
        var compression = DeflateOptions.zlib()
        compression.minimumLength = 0
        // The largest message of the suite has 16 MiB.
        let limits = ConnectionLimits(bytes: 32 << 20)
        let options = TransportOptions {
            $0.pingInterval = nil
            $0.limits = limits
            $0.compression = compression
        }
        return try await WebSocketTransport.connect(to: url, options: options)
    }
}
