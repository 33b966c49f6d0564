import Foundation
import Testing

/// `--force` of what makes folders: one that the same command made, and nobody has changed since.
@Suite struct ForcedFolderTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static let commands = [
        ["export", "--to", "colmap"], ["export", "--to", "nerfstudio"], ["export", "--to", "csv"], ["trim"],
    ]

    /// What changes from here on is younger than all that is there.
    private func wait() async throws { try await Task.sleep(for: .milliseconds(1200)) }

    @Test("it is replaced as a whole, and told as the way out", arguments: commands)
    func own(_ command: [String]) async throws {
        let session = try await Samples.plain.value
        let run = [command[0], session, "-o", folder("out")] + command.dropFirst()
        // An option that none of both knows before makes another content.
        try await Command.succeed(run + ["--duration", "1"])
        let short = try FileTree.contents(folder("out"))
        let refused = try await Command.run(run)
        refused.expectError(73, naming: folder("out"))
        #expect(refused.errors.contains("--force"), "\(refused)")
        try await Command.succeed(run + ["--force"])
        #expect(!FileTree.differences(try FileTree.contents(folder("out")), short).isEmpty)
        try await Command.succeed(run + ["--force", "--duration", "1"])
        #expect(FileTree.differences(try FileTree.contents(folder("out")), short).isEmpty)
        // Nothing else is left beside it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }

    @Test("what somebody has put into it, or changed in it, is not lost", arguments: commands)
    func changed(_ command: [String]) async throws {
        let session = try await Samples.plain.value
        for (name, change) in Self.changes {
            let path = folder(name)
            let run = [command[0], session, "-o", path, "--duration", "1"] + command.dropFirst()
            try await Command.succeed(run)
            try await wait()
            let files = try FileTree.contents(path).keys.sorted()
            let marks = ["mapeverything.json", "metadata.json"]
            try change(path, try #require(files.last { !marks.contains($0) }))
            let before = try FileTree.contents(path)
            let outcome = try await Command.run(run + ["--force"])
            outcome.expectError(73, naming: path)
            #expect(outcome.errors.contains("untouched"), "\(name): \(outcome)")
            #expect(FileTree.differences(try FileTree.contents(path), before).isEmpty)
        }
    }

    private static let changes: [(String, @Sendable (_ folder: String, _ file: String) throws -> Void)] = [
        (
            "appended",
            { folder, file in
                let handle = try #require(FileHandle(forWritingAtPath: "\(folder)/\(file)"))
                try handle.seekToEnd()
                try handle.write(contentsOf: Data("mine".utf8))
                try handle.close()
            }
        ),
        ("added", { folder, _ in try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/notes.txt")) }),
    ]

    @Test("an export to another format, and a folder that says nothing of us, are not replaced")
    func foreign() async throws {
        let session = try await Samples.plain.value
        let path = folder("out")
        let span = ["--duration", "1", "--force"]
        try await Command.succeed(["export", session, "--to", "csv", "-o", path] + span)
        try await Command.run(["export", session, "--to", "colmap", "-o", path] + span).expectError(73, naming: path)
        try await Command.run(["trim", session, "-o", path] + span).expectError(73, naming: path)
        try FileManager.default.removeItem(atPath: path + "/mapeverything.json")
        try await Command.run(["export", session, "--to", "csv", "-o", path] + span).expectError(73, naming: path)
        // A recording that was not made by trim is none of its own.
        try FileManager.default.copyItem(atPath: session, toPath: folder("room"))
        try await Command.run(["trim", session, "-o", folder("room")] + span).expectError(73, naming: folder("room"))
    }

    @Test("a copy is nobody's leftover: its times do not say what came later")
    func copied() async throws {
        let session = try await Samples.plain.value
        let path = folder("out")
        try await Command.succeed(["trim", session, "-o", path, "--duration", "1"])
        try await wait()
        // As cp -a, chown or chmod leave it: written before, changed now.
        for file in try FileTree.contents(path).keys {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/\(file)")
        }
        try await Command.run(["trim", session, "-o", path, "--force"]).expectError(73, naming: path)
    }
}
