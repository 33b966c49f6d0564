import Foundation
import Sessions
import Testing

/// What a run says of a damaged recording is words, whatever the kind of the damage is called.
@Suite struct WordingTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test("no run tells the names of kinds, which JSON has")
    func kinds() async throws {
        let session = folder("room")
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: session)
        let list = session + "/frames.jsonl"
        var lines = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init)
        lines[2] = "{bad"
        try (lines.joined(separator: "\n") + "\n").write(toFile: list, atomically: true, encoding: .utf8)
        for file in ["rgb/000005.jpg", "depth/000007.bin", "depth/000008.bin"] {
            try FileManager.default.removeItem(atPath: "\(session)/\(file)")
        }
        let runs = [
            ["inspect", session], ["bag", session, "-o", folder("bag")], ["trim", session, "-o", folder("part")],
            ["map", session, "-o", folder("map.ply")], ["export", session, "--to", "tum", "-o", folder("tum.txt")],
            ["repair", session, "-o", folder("sound")],
        ]
        for run in runs {
            let outcome = try await Binary.run(run)
            let text = outcome.output + outcome.errors
            for kind in ProblemKind.allCases {
                #expect(!text.contains(kind.rawValue), "\(run[0]): \(text)")
            }
        }
        let bag = try await Binary.run(["inspect", session])
        #expect(
            bag.output.contains(
                "\nskipped: frame says it has depth, but there is no file (2 times)\n    depth/000007.bin"
            )
        )
        #expect(bag.output.contains("\nskipped: no image file; pose and depth kept\n    rgb/000005.jpg"))
    }
}
