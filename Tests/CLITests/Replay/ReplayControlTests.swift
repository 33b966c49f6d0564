import Foundation
import Testing

/// A replay under the hands of a person at a terminal, or of a program.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ReplayControlTests {
    private let poses = ["--topics", "/mapping/pose", "/tf_static", "--rate", "20"]

    @Test func programsPauseStepSeekAndChangeTheRate() async throws {
        let session = try await Samples.plain.value
        let played = try await DrivenPlayer.run(
            "lines",
            session,
            poses + ["--control", "stdin", "--start-paused"],
            [
                .quiet(seconds: 0.2),
                .send("{\"command\":\"step\"}\n"), .wait(poses: 1), .quiet(seconds: 0.2),
                .send("{\"command\":\"step\",\"frames\":3}\n"), .wait(poses: 4), .quiet(seconds: 0.2),
                .send("{\"command\":\"step\",\"frames\":-1}\n"), .wait(poses: 5), .quiet(seconds: 0.2),
                .send("{\"command\":\"seek\",\"to\":3}\n"), .wait(poses: 6), .quiet(seconds: 0.2),
                .send("{\"command\":\"seek\",\"to\":\"frame:10\"}\n"), .wait(poses: 7), .quiet(seconds: 0.2),
                .send("{\"command\":\"rate\",\"rate\":100}\n{\"command\":\"resume\"}\n"),
            ]
        )
        #expect(played.status == 0, "\(played.errors)")
        #expect(played.quiet == [0, 0, 0, 0, 0, 0])
        let ways: [Int64] = [0, 100, 200, 300, 200, 3000, 1000]
        #expect(Array(played.poses.prefix(7)) == ways)
        let rest = (10..<40).map { (number: Int64) -> Int64 in number * 100 }
        #expect(Array(played.poses.dropFirst(6)) == rest)
        // After each way elsewhere what is latched comes first.
        for number in [3, 4, 5] { #expect(played.next(afterPose: number).first == "/tf_static", "\(number)") }
        #expect(played.came.count { $0.topic == "/tf_static" } == 4)
        let answers = played.errors.split(separator: "\n").map(String.init)
        #expect(answers.count == 7 && answers.allSatisfy { $0.contains("\"control\":\"done\"") }, "\(answers)")
    }

    @Test func linesThatAreNoCommandsAreAnsweredAndChangeNothing() async throws {
        let session = try await Samples.plain.value
        let lines = [
            "not json", "[1,2]", "{}", "{\"command\":\"fly\"}", "{\"command\":\"seek\"}",
            "{\"command\":\"seek\",\"to\":-1}", "{\"command\":\"rate\",\"rate\":0}",
            "{\"command\":\"step\",\"frames\":0}", "{\"step\":false}", "{\"seek\":1,\"rate\":2}", "{\"pause\":false}",
            "{\"quit\":false}", "{\"resume\":0}", "{\"toggle\":null}",
            String(repeating: "x", count: 70_000),
        ]
        let played = try await DrivenPlayer.run(
            "lines",
            session,
            poses + ["--control", "stdin", "--start-paused"],
            [.send(lines.joined(separator: "\n") + "\n"), .quiet(seconds: 0.5), .close]
        )
        #expect(played.quiet == [0])
        // No command to resume can come any more, so it goes on.
        #expect(played.status == 0 && played.poses.count == 40, "\(played.errors)")
        let answers = played.errors.split(separator: "\n")
        #expect(answers.count == lines.count, "\(played.errors)")
        #expect(answers.allSatisfy { $0.contains("\"control\":\"refused\"") && $0.contains("expected") })
    }

    /// A frame that there is not is named with those that there are, and nothing ends.
    @Test func seeksToFramesThatAreNotThereAreRefused() async throws {
        let played = try await DrivenPlayer.run(
            "lines",
            try await Samples.plain.value,
            poses + ["--control", "stdin", "--start-paused"],
            [.send("{\"seek\":\"frame:99999\"}\n"), .quiet(seconds: 0.3), .send("{\"resume\":true}\n")]
        )
        #expect(played.quiet == [0] && played.status == 0 && played.poses.count == 40, "\(played.errors)")
        let answers = played.errors.split(separator: "\n")
        #expect(answers.count == 2 && answers[0].contains("\"control\":\"refused\""), "\(played.errors)")
        #expect(answers.first?.contains("(0 to 39), found 99999") == true)
    }

    @Test func keysPauseStepChangeTheRateAndEnd() async throws {
        let session = try await Samples.plain.value
        let played = try await DrivenPlayer.run(
            "keys",
            session,
            poses + ["--start-paused"],
            [
                .quiet(seconds: 0.2), .send("\u{1B}[C"), .wait(poses: 1), .send("\u{1B}[C"), .wait(poses: 2),
                .send("\u{1B}[C"), .wait(poses: 3), .quiet(seconds: 0.2), .send("\u{1B}[D"), .wait(poses: 4),
                .quiet(seconds: 1.2), .send("\u{1B}[A"), .send("\u{1B}[B"), .send(" "), .wait(poses: 10), .send("q"),
            ]
        )
        #expect(played.status == 0, "\(played.errors)")
        #expect(Array(played.poses.prefix(5)) == [0, 100, 200, 100, 200])
        #expect(played.quiet == [0, 0, 0])
        #expect(played.poses.count < 40)
        #expect(played.errors.contains("paused"))
        #expect(played.restored)
    }

    @Test func interruptsPutTheTerminalBack() async throws {
        let session = try await Samples.plain.value
        let played = try await DrivenPlayer.run(
            "keys",
            session,
            poses + ["--start-paused"],
            [.send(" "), .wait(poses: 3), .send("\u{3}")]
        )
        #expect(played.status == 130 && played.restored, "\(played.errors)")
    }

    @Test func pausedWithoutAnybodyWhoCouldGoOnIsRefused() async throws {
        let session = try await Samples.plain.value
        let outcome = try await Binary.run(["replay", session, "--url", "127.0.0.1:9", "--start-paused"])
        outcome.expectError(2, naming: "--start-paused", "--control stdin")
    }

    @Test func gapsAreSkipped() async throws {
        let session = try await Samples.plain.value
        let outcome = try await Binary.run(["replay", session, "--url", "127.0.0.1:9", "--skip-gaps", "0"])
        outcome.expectError(2, naming: "--skip-gaps")
    }
}
