import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Sessions inside .zip and .tar files.
@Suite struct ArchiveTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> FilePath {
        let path = directory.appending(name)
        try SessionBuilder.write(bytes, to: path)
        return path
    }

    private func builder() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 3) { $0 == 1 ? .portrait : .landscapeLeft }
        builder.files["gps.jsonl"] = Array("{\"timestamp\":1000,\"latitude\":1,\"longitude\":2}\n".utf8)
        builder.files["rgb/000009.jpg"] = [1]
        return builder
    }

    @Test(arguments: ["zip", "deflated zip", "tar"], ["", "session_20260327_142233/", "a/b/my walk/"])
    func archiveReadsLikeItsFolder(kind: String, prefix: String) throws {
        let builder = try builder()
        let entries = HandmadeArchives.entries(builder.contents, under: prefix, isDeflated: kind.hasPrefix("deflated"))
        let bytes = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        let path = try write(bytes, "capture.\(kind == "tar" ? "tar" : "zip")")
        let archived = try ReadSession(directory, path: path)
        let folder = try ReadSession(builder)
        #expect(SessionFormats.likeness(of: path.string) == .session)
        #expect(archived.indices == [0, 1, 2] && archived.motion.count == 3 && archived.locations.count == 1)
        #expect(archived.diagnostics.isEmpty)
        let name = prefix.isEmpty ? "capture" : String(prefix.split(separator: "/").last ?? "")
        #expect(archived.summary.name == name)
        for (one, other) in zip(archived.loadAll(), folder.loadAll()) {
            #expect(one.image?.bytes == other.image?.bytes && one.image?.orientation == other.image?.orientation)
            #expect(one.decoded?.pixels == other.decoded?.pixels)
            #expect(one.depth?.metres == other.depth?.metres && one.depth?.confidence == other.depth?.confidence)
        }
        #expect(archived.session.orphans().count(of: .orphanFile) == 1)
    }

    @Test func whatMacsAddIsNoSecondSession() throws {
        let entries =
            try HandmadeArchives.entries(builder().contents, under: "walk/")
            + [.init(name: "__MACOSX/walk/._frames.jsonl", content: [0, 5, 22, 7])]
        #expect(try ReadSession(directory, path: write(HandmadeArchives.zip(entries), "a.zip")).summary.name == "walk")
    }

    @Test(arguments: ["zip", "tar"])
    func severalSessionsAreNamed(kind: String) throws {
        let contents = try builder().contents
        let entries =
            HandmadeArchives.entries(contents, under: "second/") + HandmadeArchives.entries(contents, under: "first/")
        let bytes = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        let path = try write(bytes, "a.\(kind)").string
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: path) }
        guard case .ambiguous(_, let sessions) = error else { throw error }
        #expect(sessions == ["first", "second"])
        #expect("\(error)".contains("\(path)/first, \(path)/second"))
        // What the error names can be opened.
        for name in sessions { #expect(try SessionFormats.open(path: "\(path)/\(name)").summary.frameCount > 0) }
        #expect(SessionFormats.likeness(of: "\(path)/first") == .session)
        let absent = try #require(throws: SessionError.self) { try SessionFormats.open(path: "\(path)/third") }
        guard case .notASession("\(path)/third", _) = absent else { throw absent }
    }

    @Test(arguments: ["zip", "tar"])
    func archivesOfBagsAreCalledSo(kind: String) throws {
        let entries = ["a/bag_0.mcap", "a/metadata.yaml"].map { HandmadeArchives.Entry(name: $0, content: [1]) }
        let bytes = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        let path = try write(bytes, "a.\(kind)").string
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: path) }
        #expect("\(error)".contains("an archive of a bag (a/bag_0.mcap)"), "\(error)")
    }

    @Test(arguments: ["zip", "tar"])
    func archivesOfOtherThings(kind: String) throws {
        let entries = [HandmadeArchives.Entry(name: "notes.txt", content: [1]), .init(name: "a/b.jpg", content: [2])]
        let bytes = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        let path = try write(bytes, "a.\(kind)").string
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: path) }
        guard case .notASession(_, let found) = error else { throw error }
        #expect(found.contains("notes.txt"))
    }

    @Test(
        arguments: ["zip", "tar"],
        ["../frames.jsonl", "/etc/frames.jsonl", "a/../../frames.jsonl", "C:/x", "a\\..\\b", "a/./../../b"]
    )
    func hostileNamesAreRefused(kind: String, name: String) throws {
        let entries = HandmadeArchives.entries(try builder().contents) + [.init(name: name, content: [1])]
        let bytes = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        let path = try write(bytes, "a.\(kind)").string
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: path) }
        guard case .badArchive = error else { throw error }
    }

    /// A size that the data cannot have costs its entry, and nothing is allocated for it.
    @Test(arguments: [1 << 31, 100_000, 10])
    func lyingSizesInZip(size: Int) throws {
        var entries = HandmadeArchives.entries(try builder().contents, isDeflated: true)
        let place = try #require(entries.firstIndex { $0.name == "rgb/000001.jpg" })
        entries[place].declaredSize = size
        let read = try ReadSession(directory, path: write(HandmadeArchives.zip(entries), "a.zip"))
        #expect(read.loadAll().map { $0.image != nil } == [true, false, true])
        let entry = try #require(read.diagnostics.entries.first)
        #expect(read.diagnostics.entries.count == 1 && entry.kind == .unreadableFile)
        #expect(entry.examples[0].file == "rgb/000001.jpg")
    }

    @Test func lyingSizeInTar() throws {
        var entries = HandmadeArchives.entries(try builder().contents)
        let last = entries.count - 1
        entries[last].declaredSize = 0o77777777777
        let path = try write(HandmadeArchives.tar(entries), "a.tar").string
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: path) }
        guard case .badArchive = error else { throw error }
    }

    @Test(arguments: ["zip", "tar"])
    func cutArchivesAreErrorsOrSessions(kind: String) throws {
        let entries = HandmadeArchives.entries(try builder().contents, under: "s/")
        let whole = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        var errors = 0
        for count in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
            let path = try write(Array(whole.prefix(count)), "a.\(kind)")
            do {
                _ = try ReadSession(directory, path: path).loadAll()
            } catch is SessionError {
                errors += 1
            } catch is Problem {
                errors += 1
            }
        }
        #expect(errors > 20)
    }

    /// Links in a tar are not followed, wherever they lead.
    @Test func linksInTarAreNoFiles() throws {
        var entries = HandmadeArchives.entries(try builder().contents)
        let place = try #require(entries.firstIndex { $0.name == "rgb/000001.jpg" })
        entries[place].type = UInt8(ascii: "2")
        entries[place].content = []
        let read = try ReadSession(directory, path: write(HandmadeArchives.tar(entries), "a.tar"))
        #expect(read.loadAll().map { $0.image != nil } == [true, false, true])
        #expect(read.kinds == [.missingImage: 1])
    }

    /// A header of zeros looks like the end: what follows it is read all the same, and the session is not sound.
    @Test func headerOfZerosInTar() throws {
        let entries = HandmadeArchives.entries(try builder().contents)
        let place = try #require(entries.firstIndex { $0.name == "rgb/000001.jpg" })
        var bytes = HandmadeArchives.tar(entries)
        let start = HandmadeArchives.tar(Array(entries[..<place])).count - 1024
        bytes.replaceSubrange(start..<start + 512, with: [UInt8](repeating: 0, count: 512))
        let read = try ReadSession(directory, path: write(bytes, "a.tar"))
        #expect(read.loadAll().map { $0.image != nil } == [true, false, true])
        #expect(read.kinds[.damagedArchive] == 1 && read.kinds[.missingImage] == 1)
        #expect(read.diagnostics.entries.first { $0.kind == .damagedArchive }?.examples[0].file == "a.tar")
    }

    /// A broken checksum of an optional stream costs the stream.
    @Test func brokenStreamInsideAnArchive() throws {
        let bytes = HandmadeArchives.zip(HandmadeArchives.entries(try builder().contents))
        let mark = Array("latitude\":1".utf8)
        var damaged = bytes
        let start = try #require(
            (0..<bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
        )
        damaged[start + mark.count - 1] = UInt8(ascii: "7")
        let read = try ReadSession(directory, path: write(damaged, "a.zip"))
        #expect(read.frames.count == 3)
        #expect(read.kinds[.unreadableFile] ?? 0 >= 1)
        #expect(read.diagnostics.entries.allSatisfy { $0.examples.allSatisfy { $0.file == "gps.jsonl" } })
    }
}
