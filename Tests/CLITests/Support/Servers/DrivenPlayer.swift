import Foundation

/// A replay that was steered while it played, and what its server saw of it.
struct DrivenPlayer: Decodable {
    struct Arrival: Decodable {
        var topic: String
        var stamp: Int64?

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            topic = try values.decode(String.self)
            stamp = try values.decodeIfPresent(Int64.self)
        }
    }

    var status: Int32
    var came: [Arrival]
    /// How many messages came in each time that should have been quiet.
    var quiet: [Int]
    var errors: String
    /// Whether the terminal is as it was.
    var restored: Bool

    /// Stamps of the poses, in milliseconds after the first frame of the sample sessions.
    var poses: [Int64] {
        came.filter { $0.topic == "/mapping/pose" }.map { (($0.stamp ?? 0) - 1_767_268_800_050_000_000) / 1_000_000 }
    }

    /// What came directly after the pose of this number, from 0.
    func next(afterPose number: Int) -> [String] {
        var count = 0
        for (index, arrival) in came.enumerated() where arrival.topic == "/mapping/pose" {
            if count == number { return came[(index + 1)...].map(\.topic) }
            count += 1
        }
        return []
    }

    enum Step {
        case wait(poses: Int)
        case send(String)
        case quiet(seconds: Double)
        case close

        fileprivate var json: [String: Any] {
            switch self {
            case .wait(let poses): ["wait": poses]
            case .send(let text): ["send": text]
            case .quiet(let seconds): ["quiet": seconds]
            case .close: ["close": true]
            }
        }
    }

    /// Replays with keys on a terminal, or with lines of JSON on a pipe.
    static func run(
        _ form: String,
        _ recording: String,
        _ options: [String],
        _ steps: [Step]
    ) async throws -> DrivenPlayer {
        let script = String(decoding: try JSONSerialization.data(withJSONObject: steps.map(\.json)), as: UTF8.self)
        let command = [Binary.path, "replay", recording, "--url", "{url}", "--settle", "0", "--resend", "0"] + options
        let process = try Peer.start("drive_player.py", [form, script] + command)
        let outcome = try await process.finish()
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "drive_player.py", outcome: outcome) }
        return try JSONDecoder().decode(DrivenPlayer.self, from: Data(outcome.output.utf8))
    }
}
