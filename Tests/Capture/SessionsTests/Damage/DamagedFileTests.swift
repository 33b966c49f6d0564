import Glibc
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Images, depth and confidence that are missing, cut, or something else.
@Suite struct DamagedFileTests {
    @Test func missingImageKeepsTheRest() throws {
        var builder = try SessionBuilder()
        builder.files["rgb/000001.jpg"] = nil
        let read = try ReadSession(builder)
        #expect(read.frames.map(\.hasImage) == [true, false, true, true])
        let payloads = read.loadAll()
        #expect(payloads[1].image == nil && payloads[1].depth != nil)
        let problem = try #require(read.only(.missingImage))
        #expect(problem.place == "rgb/000001.jpg" && problem.expected.contains("line 2"))
    }

    @Test func emptyImageIsNoImage() throws {
        var builder = try SessionBuilder()
        builder.files["rgb/000001.jpg"] = []
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.image != nil } == [true, false, true, true])
        #expect(try #require(read.only(.missingImage)).found == "an empty file")
    }

    /// A folder that was forgotten when a session was copied is no less lost than a single file.
    @Test(arguments: [true, false])
    func missingFolderIsMissingFiles(isFolderLeft: Bool) throws {
        var builder = try SessionBuilder()
        for path in builder.files.keys where path.hasPrefix("rgb/") || path.hasPrefix("depth/") {
            builder.files[path] = nil
        }
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        for folder in ["rgb", "depth"] where !isFolderLeft { #expect(rmdir("\(root.string)/\(folder)") == 0) }
        let read = try ReadSession(directory, path: root)
        #expect(!read.summary.hasImages && read.frames.count == 4)
        #expect(read.kinds == [.missingImage: 4, .missingDepth: 4] && read.diagnostics.lostCount == 8)
    }

    /// Without its end marker an image must never be passed on as if it were whole.
    @Test(arguments: [2, 20, 300, 600, -2, -1])
    func truncatedImageIsNotPassedOn(kept: Int) throws {
        var builder = try SessionBuilder(frameCount: 2)
        let whole = try SessionBuilder.jpeg(.landscapeRight)
        builder.files["rgb/000001.jpg"] = Array(whole.prefix(kept > 0 ? kept : whole.count + kept))
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.image != nil } == [true, false])
        let entry = try #require(read.diagnostics.entries.first)
        #expect(read.diagnostics.entries.count == 1 && entry.count == 1)
        #expect([.truncatedImage, .brokenImage].contains(entry.kind))
        #expect(entry.examples[0].place == "rgb/000001.jpg")
        if kept < 0 { #expect(entry.kind == .truncatedImage) }
    }

    @Test func garbageIsNoImage() throws {
        var builder = try SessionBuilder(frameCount: 3)
        var numbers = SeededRandomNumbers(seed: 3)
        builder.files["rgb/000000.jpg"] = (0..<2000).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        builder.files["rgb/000001.jpg"] = Array("<html>404</html>".utf8)
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.image != nil } == [false, false, true])
        #expect(read.kinds == [.brokenImage: 2])
    }

    /// A sound header and end with a destroyed middle: found when it is decoded.
    @Test func imageThatDoesNotDecodeIsCounted() throws {
        var builder = try SessionBuilder(frameCount: 1)
        var image = try SessionBuilder.jpeg(.landscapeRight)
        let scan = try #require((0..<image.count - 1).first { image[$0] == 0xFF && image[$0 + 1] == 0xDA })
        for place in (scan + 14)..<(image.count - 2) { image[place] = 0xFE }
        builder.files["rgb/000000.jpg"] = image
        let read = try ReadSession(builder)
        let payload = read.loadAll()[0]
        #expect(payload.image != nil && payload.decoded == nil)
        #expect(try #require(read.only(.brokenImage)).place == "rgb/000000.jpg")
    }

    @Test func hugeImageHeaderIsRefusedBeforeAnythingIsAllocated() throws {
        var builder = try SessionBuilder(frameCount: 2)
        var image = try SessionBuilder.jpeg(.landscapeRight)
        let header = try #require((0..<image.count - 1).first { image[$0] == 0xFF && image[$0 + 1] == 0xC0 })
        for offset in 5...8 { image[header + offset] = 0xFF }
        builder.files["rgb/000001.jpg"] = image
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.image != nil } == [true, false])
        let problem = try #require(read.only(.imageSizeUnexpected))
        #expect(problem.place == "rgb/000001.jpg" && problem.found.contains("65535x65535"))
    }

    @Test(arguments: [0, 4, 192 * 4 - 1, 192 * 4 - 64, 192 * 4 + 1, 192 * 8])
    func depthOfAnotherLengthIsDropped(count: Int) throws {
        var builder = try SessionBuilder()
        builder.files["depth/000001.bin"] = [UInt8](repeating: 0x3F, count: count)
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.depth != nil } == [true, false, true, true])
        let problem = try #require(read.only(.wrongDepthSize))
        #expect(problem.place == "depth/000001.bin")
        #expect(problem.expected.contains("768 bytes for 16x12") && problem.found == "\(count) bytes")
    }

    @Test func longerDepthIsTakenWhereTheFrameSaysSo() throws {
        var builder = try SessionBuilder()
        builder.lines[1]["depth_resolution"] = "[32,24]"
        builder.files["depth/000001.bin"] = SessionBuilder.depth(metres: [Float](repeating: 2, count: 768))
        builder.files["confidence/000001.bin"] = [UInt8](repeating: 1, count: 768)
        let read = try ReadSession(builder)
        let depth = read.loadAll()[1].depth
        #expect(depth?.width == 32 && depth?.height == 24 && depth?.confidence?.count == 768)
        #expect(read.diagnostics.isEmpty)
    }

    @Test(arguments: ["[0,12]", "[16,1e9]", "\"16x12\"", "[16]", "null", "[-16,12]", "[NaN,12]"])
    func senselessDepthResolutionFallsBack(value: String) throws {
        var builder = try SessionBuilder()
        builder.lines[0]["depth_resolution"] = value
        let read = try ReadSession(builder)
        #expect(read.loadAll().allSatisfy { $0.depth?.width == 16 && $0.depth?.height == 12 })
    }

    @Test func claimedDepthWithoutFile() throws {
        var builder = try SessionBuilder()
        builder.files["depth/000002.bin"] = nil
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.depth != nil } == [true, true, false, true])
        #expect(read.loadAll().allSatisfy { $0.image != nil })
        let problem = try #require(read.only(.missingDepth))
        #expect(problem.place == "depth/000002.bin" && problem.expected.contains("line 3"))
    }

    @Test func frameWithoutDepthIsNoDamage() throws {
        var builder = try SessionBuilder()
        builder.lines[0]["has_depth"] = "false"
        builder.lines[0]["depth_resolution"] = nil
        builder.files["depth/000000.bin"] = nil
        builder.files["confidence/000000.bin"] = nil
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.depth != nil } == [false, true, true, true])
        #expect(read.diagnostics.isEmpty)
    }

    /// Of two frames without a picture, only the one that does not say so has lost it.
    @Test func frameWithoutPictureIsNoDamage() throws {
        var builder = try SessionBuilder()
        builder.lines[0]["has_image"] = "false"
        builder.files["rgb/000000.jpg"] = nil
        builder.lines[1]["has_image"] = "false"
        builder.lines[2]["has_image"] = "true"
        builder.files["rgb/000002.jpg"] = nil
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.image != nil } == [false, false, false, true])
        #expect(read.summary.orientations.values.reduce(0, +) == 2)
        #expect(try #require(read.only(.missingImage)).place == "rgb/000002.jpg")
    }

    @Test func missingConfidenceIsKnownAndNoDamage() throws {
        var builder = try SessionBuilder()
        builder.files["confidence/000001.bin"] = nil
        let read = try ReadSession(builder)
        let loaded = read.loadAll()
        #expect(loaded.map { $0.depth?.confidence != nil } == [true, false, true, true])
        #expect(loaded.allSatisfy { $0.depth != nil } && read.diagnostics.lostCount == 0)
        #expect(try #require(read.only(.noConfidence)).place == "confidence/000001.bin")
        for number in 0..<4 { builder.files["confidence/00000\(number).bin"] = nil }
        #expect(try #require(ReadSession(builder).only(.noConfidence)).found == "none")
    }

    @Test(arguments: [0, 191, 193, 49_152])
    func confidenceOfAnotherLengthIsIgnored(count: Int) throws {
        var builder = try SessionBuilder()
        builder.files["confidence/000001.bin"] = [UInt8](repeating: 1, count: count)
        let read = try ReadSession(builder)
        let payloads = read.loadAll()
        #expect(payloads.map { $0.depth?.confidence != nil } == [true, false, true, true])
        #expect(payloads.allSatisfy { $0.depth != nil })
        let problem = try #require(read.only(.wrongConfidenceSize))
        #expect(problem.place == "confidence/000001.bin" && problem.found == "\(count) bytes")
    }

    @Test func confidenceAboveTwoIsReported() throws {
        var builder = try SessionBuilder()
        builder.files["confidence/000001.bin"]?[17] = 200
        let read = try ReadSession(builder)
        #expect(read.loadAll()[1].depth?.confidence?[17] == 200)
        let problem = try #require(read.only(.confidenceOutOfRange))
        #expect(problem.place == "confidence/000001.bin" && problem.found == "200")
    }

    @Test func orphansAreFoundAndHarmless() throws {
        var builder = try SessionBuilder()
        for path in ["rgb/000004.jpg", "depth/000004.bin", "confidence/000007.bin", "rgb/thumb.jpg", "rgb/notes.txt"] {
            builder.files[path] = [1, 2, 3]
        }
        let read = try ReadSession(builder)
        #expect(read.diagnostics.isEmpty)
        let orphans = read.session.orphans()
        #expect(orphans.count(of: .orphanFile) == 3 && orphans.entries.count == 1)
        #expect(
            orphans.entries[0].examples.map(\.file)
                == ["rgb/000004.jpg", "depth/000004.bin", "confidence/000007.bin"]
        )
    }

    /// Opening a pipe for reading would block.
    @Test(arguments: ["rgb/000000.jpg", "depth/000000.bin", "confidence/000000.bin", "imu.jsonl", "gps.jsonl"])
    func pipesDoNotBlock(file: String) throws {
        var builder = try SessionBuilder()
        builder.files[file] = nil
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        #expect(mkfifo("\(root.string)/\(file)", 0o600) == 0)
        let read = try ReadSession(directory, path: root)
        #expect(read.loadAll().count == 4)
        if file.hasPrefix("rgb") { #expect(read.only(.missingImage)?.place == file) }
        if file.hasPrefix("depth") { #expect(read.only(.missingDepth)?.place == file) }
    }

    @Test func folderInPlaceOfAFile() throws {
        var builder = try SessionBuilder()
        builder.files["rgb/000000.jpg"] = nil
        builder.files["rgb/000000.jpg/inside.txt"] = [1]
        builder.files["metadata.json/inside.txt"] = [1]
        builder.metadata = nil
        let read = try ReadSession(builder)
        // Each of the two folders counts once.
        #expect(read.kinds == [.missingImage: 1, .unreadableFile: 1])
        #expect(read.only(.missingImage)?.place == "rgb/000000.jpg")
        #expect(read.only(.unreadableFile)?.place == "metadata.json")
        #expect(read.loadAll()[1].image != nil)
    }

    /// A process's own memory file opens like a regular file and fails to read, also for the superuser.
    @Test(arguments: ["gps.jsonl", "metadata.json"])
    func unreadableFilesCostOnlyThemselves(file: String) throws {
        var builder = try SessionBuilder()
        builder.metadata = nil
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        #expect(symlink("/proc/self/mem", "\(root.string)/\(file)") == 0)
        let read = try ReadSession(directory, path: root)
        #expect(read.frames.count == 4)
        let entry = try #require(read.diagnostics.entries.first)
        #expect(entry.examples[0].file == file)
        #expect(entry.kind == (file == "metadata.json" ? .metadataUnreadable : .unreadableFile))
    }
}
