import Foundation

/// The peak memory of a run of the command.
struct Measured: Decodable {
    var status: Int32
    var peak_kilobytes: Int

    static func run(_ arguments: [String]) async throws -> (Measured, Outcome) {
        let outcome = try await Peer.start("measure.py", [Binary.path] + arguments).finish(seconds: 180)
        guard let line = outcome.errors.split(separator: "\n").last else { throw CocoaError(.coderValueNotFound) }
        return (try JSONDecoder().decode(Measured.self, from: Data(line.utf8)), outcome)
    }
}
