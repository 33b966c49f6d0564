import Foundation
import TestSupport
import Testing

/// `serve` shows the files that `map` makes, and says of others why not.
@Suite(.serialized) struct ServeModelTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Found: Decodable {
        struct State: Decodable {
            var points: Int
            var triangles: Int
            var plans: Int
            var status: String
            var hint: String
        }

        var state: State
        /// The share of the map that is covered, and how many colours it has.
        var covers: Double
        var colours: Int
        var gl_error: Int
        var log: [String]
        var exceptions: [String]
    }

    private func shown(_ name: String) async throws -> Found {
        let serving = try await Serving.start(folder(name))
        let found: Found = try await Peer.json("look_at_live.py", ["model", "http://127.0.0.1:\(serving.port)/"])
        let outcome = try await serving.stop()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(found.log.isEmpty && found.exceptions.isEmpty && found.gl_error == 0, "\(name): \(found)")
        #expect(found.state.status == "Connected" && found.state.hint.isEmpty, "\(name)")
        #expect(found.covers > 0.05 && found.covers < 0.95 && found.colours > 3, "\(name): \(found)")
        return found
    }

    @Test(
        "a mesh is drawn as triangles, a cloud as points, a plan as a floor",
        .enabled(if: ReportTests.hasBrowser, "needs chromium and the Python peers, which tools/test installs")
    )
    func files() async throws {
        let session = try await Samples.plain.value
        for name in ["a.ply", "a.glb", "a.las", "a.yaml"] {
            try await Command.succeed(["map", session, "-o", folder(name), "--voxel-size", "0.05"])
        }
        let (mesh, scene) = (try await shown("a.ply"), try await shown("a.glb"))
        #expect(mesh.state.triangles > 5_000 && mesh.state.points == 0)
        // The same surface, from the same side.
        #expect(scene.state.triangles == mesh.state.triangles && abs(scene.covers - mesh.covers) < 0.02)
        let cloud = try await shown("a.las")
        #expect(cloud.state.points > 3_000 && cloud.state.triangles == 0)
        #expect(try await shown("a.yaml").state.plans == 1)
    }

    @Test("what is damaged, and what does not fit a file, is told before anything is served")
    func refusals() async throws {
        func write(_ text: String, _ name: String) throws -> String {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder(name)))
            return folder(name)
        }
        let cut = try write("ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n", "cut.ply")
        let damaged = try await Command.run(["serve", cut, "--port", "0"])
        damaged.expectError(65, naming: "cut.ply: expected 9 x vertex, found 0 bytes for them")
        let plan = try write("image: none.pgm\nresolution: 0.05\norigin: [0, 0, 0]\n", "plan.yaml")
        let imageless = try await Command.run(["serve", plan, "--port", "0"])
        imageless.expectError(65, naming: "none.pgm: expected a file that can be read")
        let whole = try write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a.obj")
        let played = try await Command.run(["serve", whole, "--port", "0", "--play", "--loop"])
        played.expectError(2, naming: "--loop, --play: expected a session or a bag", "a.obj")
        let checked = try await Command.run(["check", whole])
        checked.expectError(65, naming: "a.obj")
        #expect(checked.errors.contains("`mapeverything serve \(whole)` shows it."), "\(checked)")
        let glance = try await Command.succeed([whole])
        #expect(glance.contains("a mesh of 1 triangles, 3 points") && glance.contains("mapeverything serve \(whole)"))
    }

    @Test("map --open serves what it made, and refuses what no page shows")
    func mapOpens() async throws {
        let session = try await Samples.plain.value
        try FileManager.default.createDirectory(atPath: folder("bin"), withIntermediateDirectories: false)
        let seen = folder("seen")
        try await Scratch.program(folder("bin/xdg-open"), "printf '%s' \"$1\" >'\(seen)'")
        let environment = ["PATH": folder("bin") + ":/usr/bin:/bin"]
        let map = ["map", session, "--voxel-size", "0.05", "--open", "-o"]
        let process = try Binary.start(map + [folder("a.ply")], environment: environment)
        let line = try await process.waitForError("serving ")
        #expect(line.contains("a.ply"))
        _ = try await process.waitForError("open to this machine only")
        for _ in 0..<50 where !FileManager.default.fileExists(atPath: seen) {
            try await Task.sleep(for: .milliseconds(100))
        }
        await process.signal(SIGINT)
        #expect(try await process.finish().status == 0)
        #expect(try String(contentsOfFile: seen, encoding: .utf8).hasPrefix("http://localhost:"))
        let refused = try await Binary.run(map + [folder("a.bt")], seconds: 20)
        refused.expectError(2, naming: "--open: expected a file that the page shows (.ply", "a.bt")
        #expect(!FileManager.default.fileExists(atPath: folder("a.bt")))
    }
}
