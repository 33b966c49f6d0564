import Codecs
import SystemPackage
import TestSupport
import Testing

@Suite struct ZIPArchiveTests {
    private func open(_ zip: HandmadeZIP) throws -> ZIPArchive {
        try open(zip.bytes)
    }

    private func open(_ bytes: [UInt8]) throws -> ZIPArchive {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.zip")
        try write(bytes, to: path)
        return try ZIPArchive(path: path.string)
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["stored", "deflated", "zip64", "streamed", "prefixed"]
    )
    func pythonWritesWhatWeRead(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.zip")
        let script = """
            import sys, zipfile, random
            path, kind = sys.argv[1:]
            class Pipe:
                def __init__(self, f): self.f = f
                def write(self, b): return self.f.write(b)
                def flush(self): self.f.flush()
            f = open(path, 'wb')
            if kind == 'prefixed': f.write(b'#!/bin/sh\\n' * 7); f.flush()
            z = zipfile.ZipFile(Pipe(f) if kind == 'streamed' else f, 'w', 0 if kind == 'stored' else 8)
            random.seed(1)
            for name, data in [('s/frames.jsonl', b'{"frame_index": 0}\\n' * 9000), ('s/rgb/0.jpg', random.randbytes(200001)),
                               ('s/empty', b''), ('s/caf\\u00e9 \\u6df1.bin', b'x'), ('__MACOSX/s/._frames.jsonl', b'm'),
                               ('s/.DS_Store', b'd'), ('s/dir/', b'')]:
                with z.open(name, 'w', force_zip64=kind == 'zip64') as e: e.write(data)
            z.comment = b'a comment'
            z.close(); f.close()
            """
        _ = try PeerPython.output(of: script, [path.string, kind])
        let archive = try ZIPArchive(path: path.string)
        #expect(
            archive.entries.map(\.name) == ["s/frames.jsonl", "s/rgb/0.jpg", "s/empty", "s/caf\u{e9} \u{6df1}.bin"]
        )
        #expect(archive.size(of: "s/rgb/0.jpg") == 200_001 && archive.size(of: "nothing") == nil)
        let line = Array("{\"frame_index\": 0}\n".utf8)
        let frames = try archive.read("s/frames.jsonl", maximumBytes: 1 << 20)
        #expect(frames == Array(repeatElement(line, count: 9000).joined()))
        for pieceSize in [1000, 65_536, 1 << 20] {
            #expect(try streamed(archive, "s/frames.jsonl", pieceSize: pieceSize) == frames)
        }
        #expect(try archive.read("s/empty", maximumBytes: 0) == [])
        #expect(try streamed(archive, "s/empty", pieceSize: 8) == [])
        let image = try archive.read("s/rgb/0.jpg", maximumBytes: 1 << 20)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let again = try archive.read("s/rgb/0.jpg", maximumBytes: 1 << 20)
                    let lines = try archive.read("s/frames.jsonl", maximumBytes: 1 << 20)
                    return again == image && lines == frames
                }
            }
            for try await isEqual in group { #expect(isEqual) }
        }
    }

    @Test func storageIsUsedAgain() throws {
        let archive = try open(HandmadeZIP([.init("a", [1, 2, 3, 4]), .init("b", [5]), .init("c", [6, 7, 8])]))
        var bytes: [UInt8] = []
        try archive.read("a", into: &bytes, maximumBytes: 1 << 30)
        #expect(bytes == [1, 2, 3, 4])
        try archive.read("b", into: &bytes, maximumBytes: 1 << 30)
        #expect(bytes == [5])
        try archive.read("c", into: &bytes, maximumBytes: 1 << 30)
        #expect(bytes == [6, 7, 8])
        #expect(throws: CodecError.self) { try archive.read("c", maximumBytes: 2) }
        #expect(throws: CodecError.self) { try archive.read("d", maximumBytes: 2) }
    }

    @Test(arguments: [
        "/etc/passwd", "../x", "a/../../x", "a\\b", "C:/x", "a\0b", "", "..", "a/..",
    ])
    func namesThatLeadOutAreRefused(name: String) throws {
        #expect(throws: CodecError.self) { try open(HandmadeZIP([.init("good", [1]), .init(name, [2])])) }
    }

    @Test(arguments: ["./a", "a//b", "..a/b..", "a:b"])
    func harmlessNamesAreKept(name: String) throws {
        #expect(try open(HandmadeZIP([.init(name, [2])])).entries.count == 1)
    }

    @Test func duplicateNamesAreRefused() throws {
        let error = #expect(throws: CodecError.self) {
            try open(HandmadeZIP([.init("a/b", [1]), .init("./a//b", [2])]))
        }
        #expect(error?.reason.contains("second") == true)
    }

    @Test func sizesThatLieAreRefused() throws {
        let content = [UInt8](repeating: 7, count: 100)
        var longer = HandmadeZIP.Entry("a", content)
        longer.declaredSize = 101
        #expect(throws: CodecError.self) { try open(HandmadeZIP([longer])).read("a", maximumBytes: 1000) }
        // A deflate stored block of 5 bytes, declared as 4, 6, and as gigabytes.
        for (declared, offset) in [(5, 0), (4, 1), (6, 2), (1 << 31, 3)] {
            var entry = HandmadeZIP.Entry("a", [1, 5, 0, 0xFA, 0xFF, 1, 2, 3, 4, 5])
            entry.method = 8
            entry.declaredSize = declared
            entry.checksum = HandmadeZIP.crc32(declared == 4 ? [1, 2, 3, 4] : [1, 2, 3, 4, 5])
            let archive = try open(HandmadeZIP([entry]))
            if offset == 0 {
                #expect(try archive.read("a", maximumBytes: 10) == [1, 2, 3, 4, 5])
            } else {
                #expect(throws: CodecError.self) { try archive.read("a", maximumBytes: .max) }
                #expect(throws: CodecError.self) { try streamed(archive, "a", pieceSize: 3) }
            }
        }
    }

    @Test func damageIsFoundByTheChecksum() throws {
        var entry = HandmadeZIP.Entry("a", [1, 2, 3])
        entry.checksum ^= 1
        let archive = try open(HandmadeZIP([entry]))
        let error = #expect(throws: CodecError.self) { try archive.read("a", maximumBytes: 10) }
        #expect(error?.reason.contains("CRC-32") == true)
        #expect(throws: CodecError.self) { try streamed(archive, "a", pieceSize: 2) }
    }

    @Test func encryptedAndUnknownMethodsAreRefused() throws {
        var encrypted = HandmadeZIP.Entry("a", [1, 2, 3])
        encrypted.flags = 1
        var packed = HandmadeZIP.Entry("b", [1, 2, 3])
        packed.method = 12
        let archive = try open(HandmadeZIP([encrypted, packed, .init("c", [9])]))
        #expect(throws: CodecError.self) { try archive.read("a", maximumBytes: 10) }
        #expect(throws: CodecError.self) { try archive.read("b", maximumBytes: 10) }
        #expect(try archive.read("c", maximumBytes: 10) == [9])
    }

    @Test func entriesThatShareBytesAreRefused() throws {
        var second = HandmadeZIP.Entry("b", [4, 5, 6])
        second.declaredOffset = 0
        #expect(throws: CodecError.self) { try open(HandmadeZIP([.init("a", [1, 2, 3]), second])) }
        var outside = HandmadeZIP.Entry("b", [4, 5, 6])
        outside.declaredOffset = 0x7FFF_FFFF
        #expect(throws: CodecError.self) { try open(HandmadeZIP([outside])) }
        var greedy = HandmadeZIP.Entry("a", [1, 2, 3])
        greedy.declaredStoredSize = 60
        greedy.declaredSize = 60
        #expect(throws: CodecError.self) { try open(HandmadeZIP([greedy, .init("b", [4])])) }
    }

    @Test func directoriesThatLieAreRefused() throws {
        var zip = HandmadeZIP([.init("a", [1])])
        zip.declaredCount = 60_000
        #expect(throws: CodecError.self) { try open(zip) }
        zip.declaredCount = nil
        zip.declaredDirectoryOffset = 0x7FFF_0000
        #expect(throws: CodecError.self) { try open(zip) }
    }

    @Test func aCommentThatLooksLikeTheEndDoesNotMislead() throws {
        var zip = HandmadeZIP([.init("a", [1])])
        zip.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 30)
        #expect(try open(zip).entries.map(\.name) == ["a"])
    }

    @Test func aBombStopsAtTheBound() throws {
        // One deflate block of a fixed code: a zero byte and then matches of length 258, distance 1, ten million bytes.
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<40_000 { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }
        bits += [0, 0, 0, 0, 0, 0, 0]
        while bits.count % 8 != 0 { bits.append(0) }
        let packed = stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << $1 }
        }
        var entry = HandmadeZIP.Entry("bomb", packed)
        entry.method = 8
        entry.declaredSize = 1000
        entry.checksum = HandmadeZIP.crc32([UInt8](repeating: 0, count: 1000))
        let small = try open(HandmadeZIP([entry]))
        let error = #expect(throws: CodecError.self) { try small.read("bomb", maximumBytes: .max) }
        #expect(error?.reason.contains("more data") == true)
        entry.declaredSize = 1 + 258 * 40_000
        let honest = try open(HandmadeZIP([entry]))
        #expect(throws: CodecError.self) { try honest.read("bomb", maximumBytes: 1 << 20) }
    }

    @Test func cutsAndMutationsAreTypedErrors() throws {
        let zip = HandmadeZIP([.init("a/b", [1, 2, 3]), .init("c", Array(0...200)), .init("d/", [])])
        let original = zip.bytes
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.zip")
        for length in 0..<original.count {
            try write(Array(original[..<length]), to: path)
            #expect(throws: CodecError.self) { try ZIPArchive(path: path.string) }
        }
        var generator = SeededRandomNumbers(seed: 5)
        var opened = 0
        for _ in 0..<1500 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            try write(bytes, to: path)
            guard let archive = try? ZIPArchive(path: path.string) else { continue }
            opened += 1
            for result in readEverything(archive) {
                if case .success(let count) = result { #expect(count <= original.count) }
            }
        }
        #expect(opened > 100)
    }

    @Test func whatIsNoArchiveIsRefused() throws {
        #expect(throws: CodecError.self) { try ZIPArchive(path: "/nonexistent.zip") }
        #expect(throws: CodecError.self) { try ZIPArchive(path: "/tmp") }
        #expect(throws: CodecError.self) { try open([]) }
    }
}
