import Foundation
import Glibc
import Sessions
import SystemPackage
import TestSupport
import Testing

/// What cannot be read at all: the error names the path, what was looked for, and what was found.
@Suite struct SessionErrorTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// - Parameter named: The path that the error has to name, if it is another one.
    private func error(_ path: String, named: String? = nil) throws -> SessionError {
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: path) }
        #expect("\(error)".hasPrefix("session: \(named ?? path): "), "\(error)")
        #expect("\(error)".contains("expected") && "\(error)".contains("found"), "\(error)")
        return error
    }

    @Test func nothingThere() throws {
        let path = directory.appending("nothing").string
        guard case .notFound = try error(path) else { throw Unexpected() }
        guard case .notFound = try error("\(path)/frames.jsonl") else { throw Unexpected() }
    }

    @Test func emptyFolderAndFolderOfOtherThings() throws {
        let empty = try error(directory.path.string)
        #expect("\(empty)".contains("an empty folder"))
        for name in ["b.txt", "a.jpg", "metadata.json"] {
            try Data([1]).write(to: URL(fileURLWithPath: directory.appending(name).string))
        }
        let other = try error(directory.path.string)
        guard case .notASession = other else { throw Unexpected() }
        #expect("\(other)".contains("a folder of a.jpg, b.txt, metadata.json"))
    }

    @Test(arguments: ["", "\n\n", "\0\0\0\0", "garbage\n", "{}\n{}\n"])
    func noUsableFrame(text: String) throws {
        var builder = try SessionBuilder()
        builder.files["frames.jsonl"] = Array(text.utf8)
        let path = try builder.write(into: directory.path).string
        guard case .noUsableFrame(_, _, let lines, let first) = try error(path) else { throw Unexpected() }
        #expect(lines == (text.hasPrefix("g") ? 1 : text.hasPrefix("{") ? 2 : 0))
        #expect((first != nil) == (lines > 0))
    }

    @Test func parentNamesItsSessions() throws {
        let builder = try SessionBuilder(frameCount: 1)
        try builder.write(into: directory.path, as: "second")
        let one = try error(directory.path.string)
        guard case .ambiguous(_, ["second"]) = one else { throw Unexpected() }
        #expect("\(one)".contains("a folder that holds one: second"))
        try builder.write(into: directory.path, as: "first")
        try Data([1]).write(to: URL(fileURLWithPath: directory.appending("note").string))
        guard case .ambiguous(_, ["first", "second"]) = try error(directory.path.string) else { throw Unexpected() }
    }

    @Test func pathToTheFrames() throws {
        let root = try SessionBuilder().write(into: directory.path)
        for name in ["frames.jsonl", "metadata.json"] {
            let session = try SessionFormats.open(path: root.appending(name).string)
            #expect(session.summary.frameCount == 4 && session.summary.name == SessionBuilder.name)
        }
        #expect(try SessionFormats.open(path: root.string + "/").summary.name == SessionBuilder.name)
        #expect(try SessionFormats.open(path: root.string + "/.").summary.name == SessionBuilder.name)
        #expect(try SessionFormats.open(path: root.string + "/rgb/..").summary.name == SessionBuilder.name)
    }

    @Test func whatIsNoFolderAndNoArchive() throws {
        for (name, bytes) in [("a.zip", Array("hello".utf8)), ("b.tar", [UInt8](repeating: 0, count: 4096)), ("c", [])]
        {
            let path = directory.appending(name).string
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            guard case .notASession = try error(path) else { throw Unexpected() }
            #expect(SessionFormats.likeness(of: path) == .nothing)
        }
        let gzip = directory.appending("d.tar.gz").string
        try Data([0x1F, 0x8B, 8, 0]).write(to: URL(fileURLWithPath: gzip))
        #expect("\(try error(gzip))".contains("gzip"))
        let pipe = directory.appending("pipe").string
        #expect(mkfifo(pipe, 0o600) == 0)
        guard case .notASession = try error(pipe) else { throw Unexpected() }
        guard case .notASession = try error("/dev/null") else { throw Unexpected() }
    }

    @Test func framesThatArePipesOrFolders() throws {
        let root = directory.path
        let frames = root.appending("frames.jsonl").string
        #expect(mkfifo(frames, 0o600) == 0)
        guard case .unreadable(_, "a named pipe") = try error(root.string, named: frames) else { throw Unexpected() }
        guard case .notASession = try error(frames) else { throw Unexpected() }
    }

    /// Frames that open but fail to read name their file.
    @Test func unreadableFrames() throws {
        #expect(symlink("/proc/self/mem", directory.appending("frames.jsonl").string) == 0)
        let error = try #require(throws: Problem.self) { try SessionFormats.open(path: directory.path.string) }
        #expect(error.kind == .unreadableFile && error.file == "frames.jsonl")
    }

    @Test func looksLikeASession() throws {
        let root = try SessionBuilder().write(into: directory.path)
        #expect(SessionFormats.likeness(of: root.string) == .session)
        #expect(SessionFormats.likeness(of: directory.path.string) == .several)
        #expect(SessionFormats.likeness(of: root.string + "x") == .nothing)
    }

    struct Unexpected: Error {}
}
