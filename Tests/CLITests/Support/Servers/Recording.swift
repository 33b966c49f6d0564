import Foundation

/// A `record` of a test.
struct Recording {
    let process: ChildProcess
    let port: Int
    let bag: String
    private let folder: String

    static func start(_ folder: Scratch, _ options: [String] = []) async throws -> Recording {
        let bag = folder("recorded-\(UUID().uuidString)")
        let process = try Binary.start(["record", "-o", bag, "--port", "0"] + options)
        let line = try await process.waitForError("listening on ws")
        let digits = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw CocoaError(.coderInvalidValue) }
        return Recording(process: process, port: port, bag: bag, folder: folder.path)
    }

    /// A frame of a client.
    enum Frame: Encodable, Sendable, ExpressibleByStringLiteral {
        case text(String)
        case binary(String)

        init(stringLiteral text: String) { self = .text(text) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(["text": text])
            case .binary(let text): try container.encode(["binary": text])
            }
        }
    }

    /// What the recorder answers.
    struct Answer: Decodable {
        var op: String
        var id: String?
        var level: String?
        var msg: String?
        var result: Bool?
    }

    /// Sends frames as one client and returns the answers, without that to the last call.
    func send(_ frames: [Frame]) async throws -> [Answer] {
        let path = "\(folder)/frames-\(UUID().uuidString).json"
        try JSONEncoder().encode(frames).write(to: URL(fileURLWithPath: path))
        let answers: [Answer] = try await Peer.json("record_client.py", ["\(port)", path])
        return answers.dropLast()
    }

    /// Ends it as a user does.
    func stop() async throws -> Outcome {
        await process.signal(SIGINT)
        return try await process.finish()
    }
}
