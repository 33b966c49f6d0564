import Foundation
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Recordings below folders: each is found once, and what is passed over is counted.
@Suite struct RecordingSearchTests {
    private let directory: TemporaryDirectory
    private let native: SessionBuilder

    init() throws {
        directory = try TemporaryDirectory()
        native = try SessionBuilder(frameCount: 2)
    }

    private func path(_ name: String) -> FilePath { FilePath("\(directory.path)/\(name)") }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name).string, withIntermediateDirectories: true)
    }

    private func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name).string, withDestinationPath: destination)
    }

    /// What is found below the directory: the path below it, and the format.
    private func found(below root: FilePath? = nil) throws -> (RecordingFindings, [String]) {
        let findings = try RecordingSearch().run([(root ?? directory.path).string])
        return (
            findings,
            findings.recordings.map { "\($0.path.dropFirst(directory.path.string.count + 1)): \($0.format ?? "?")" }
        )
    }

    @Test func everyFormatIsFoundInFoldersAndArchivesInTheOrderOfThePaths() async throws {
        for (index, format) in RelaidFormat.allCases.enumerated() {
            let relaid = try await format.laid
            try relaid.write(to: path("z/\(index)/walk"))
            // Wrapped, as an app's export is.
            try relaid.write(to: path("outer \(index)"), under: "A title/All_Data/")
        }
        try native.write(into: path("a/b/c"), as: "session")
        let entries = HandmadeArchives.entries(native.contents, under: "session/")
        try SessionBuilder.write(HandmadeArchives.zip(entries), to: path("a/b/packed.ZIP"))
        try SessionBuilder.write(HandmadeArchives.tar(entries), to: path("a/packed.tar"))
        // What lies inside of a recording, is hidden, or left by macOS is none of its own.
        try native.write(into: path("a/b/c/session"), as: "inside")
        try native.write(into: path("a/.trash"), as: "hidden")
        try native.write(into: path("__MACOSX"), as: "left")

        let (findings, names) = try found()
        let formats = RelaidFormat.allCases.map(\.name)
        let expected =
            ["a/b/c/session: native", "a/b/packed.ZIP: native", "a/packed.tar: native"]
            + formats.enumerated().map { "outer \($0)/A title/All_Data: \($1)" }
            + formats.enumerated().map { "z/\($0)/walk: \($1)" }
        #expect(names == expected)
        #expect(findings.unreadable.isEmpty && findings.otherArchiveCount == 0)
        #expect(try found().0.recordings == findings.recordings)
    }

    @Test func linksLeadToARecordingOnceAndNeverBack() throws {
        let session = try native.write(into: path("in/b"), as: "session")
        try native.write(into: path("out"), as: "elsewhere")
        try link("in/a", to: session.string)
        try link("in/b/up", to: "..")
        try link("in/b/self", to: "self")
        try link("in/gone", to: "nowhere")
        try link("in/there", to: path("out").string)
        let (findings, names) = try found(below: path("in"))
        // The folder itself, not the link that comes before it.
        #expect(names == ["in/b/session: native", "in/there/elsewhere: native"])
        #expect(findings.unreadable.map { $0.path } == ["in/b/self", "in/gone"].map { path($0).string })
        #expect(findings.unreadable.allSatisfy { !$0.reason.isEmpty })
    }

    @Test func whatLiesTooDeepIsNamed() throws {
        let folders = (1...RecordingSearch.maximumDepth).map { "\($0)" }
        try native.write(into: path(folders.dropLast().joined(separator: "/")), as: "session")
        try native.write(into: path(folders.joined(separator: "/")), as: "session")
        try makeFolder((folders + ["more"]).joined(separator: "/"))
        let (findings, names) = try found()
        #expect(names == [folders.dropLast().joined(separator: "/") + "/session: native"])
        #expect(findings.unreadable.map(\.path) == [path(folders.joined(separator: "/")).string])
        #expect(findings.unreadable[0].reason.contains("\(RecordingSearch.maximumDepth) folders deep"))
    }

    /// What else is wanted is named beside the recordings, and nothing is looked for inside of it.
    @Test func othersAreFoundByTheirOwnRule() throws {
        try native.write(into: path("a"), as: "session")
        try native.write(into: path("a/other"), as: "hidden")
        try SessionBuilder.write([1], to: path("a/x.other"))
        try SessionBuilder.write([1], to: path("a/x.txt"))
        let search = RecordingSearch { $0.hasSuffix("other") }
        let findings = try search.run([directory.path.string])
        #expect(findings.recordings.map(\.path) == [path("a/session").string])
        #expect(findings.others == ["a/other", "a/x.other"].map { path($0).string })
        #expect(try found().0.others == [] && found().0.recordings.count == 2)
    }

    @Test func emptyFoldersHoldNothing() throws {
        try makeFolder("a/b")
        let (findings, names) = try found()
        #expect(names.isEmpty && findings.folderCount == 3 && findings.unreadable.isEmpty)
    }

    /// What is meant as a recording is listed, whatever is wrong with it; archives of other things are counted.
    @Test func damageIsListed() throws {
        var headless = native
        headless.files["frames.jsonl"] = []
        let root = try headless.write(into: directory.path, as: "headless")
        try FileManager.default.removeItem(atPath: "\(root)/frames.jsonl")
        var empty = native
        empty.files["frames.jsonl"] = []
        try empty.write(into: directory.path, as: "no frame")
        let whole = HandmadeArchives.zip(HandmadeArchives.entries(native.contents))
        try SessionBuilder.write(Array(whole.prefix(whole.count / 2)), to: path("cut.zip"))
        let two = ["one/", "two/"].flatMap { HandmadeArchives.entries(native.contents, under: $0) }
        try SessionBuilder.write(HandmadeArchives.zip(two), to: path("two.zip"))
        try SessionBuilder.write([], to: path("empty.zip"))
        try SessionBuilder.write([1, 2, 3], to: path("noise.tar"))
        let photograph = HandmadeArchives.Entry(name: "photo.jpg", content: [0xFF, 0xD8])
        try SessionBuilder.write(HandmadeArchives.zip([photograph]), to: path("photos.zip"))
        let (findings, names) = try found()
        #expect(names == ["cut.zip: ?", "headless: ?", "no frame: native", "two.zip: ?"])
        #expect(findings.otherArchiveCount == 3 && findings.unreadable.isEmpty)
        for recording in findings.recordings {
            #expect(throws: (any Error).self) { try SessionFormats.open(path: recording.path) }
        }
    }

    @Test func whatIsNamedIsLookedAtWhateverItIs() throws {
        let session = try native.write(into: directory.path, as: "session")
        try SessionBuilder.write([1, 2, 3], to: path("notes.txt"))
        let roots = [session.string + "/", session.string, path("notes.txt").string, "\(session)/frames.jsonl"]
        let findings = try RecordingSearch().run(roots)
        #expect(
            findings.recordings.map(\.path)
                == [path("notes.txt").string, session.string, "\(session)/frames.jsonl"]
        )
        #expect(throws: SessionError.self) { try RecordingSearch().run([path("nothing").string]) }
    }

    @Test func sizesAreThoseOfTheFiles() throws {
        let session = try native.write(into: directory.path, as: "session")
        try link("session/linked", to: "/usr")
        let zip = HandmadeArchives.zip(HandmadeArchives.entries(native.contents))
        try SessionBuilder.write(zip, to: path("session.zip"))
        let sum = native.contents.values.reduce(0) { $0 + $1.count }
        #expect(try found().0.recordings.map { $0.byteCount() } == [sum, zip.count])
        #expect(session.string.hasSuffix("session"))
    }
}
