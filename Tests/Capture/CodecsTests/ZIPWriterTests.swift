import Codecs
import SystemPackage
import TestSupport
import Testing

@Suite struct ZIPWriterTests {
    private static let files: [(name: String, bytes: [UInt8])] = [
        ("s/frames.jsonl", Array(repeatElement(Array("{\"frame_index\": 0}\n".utf8), count: 9000).joined())),
        ("s/rgb/0.jpg", (0..<200_001).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }),
        ("s/empty", []),
        ("s/caf\u{e9} \u{6df1}.bin", [7]),
    ]

    private func write(_ path: FilePath, inPieces: Bool, narrowLimit: Int = 0xFFFF_FFFF) throws {
        let writer = try ZIPWriter(creating: path, narrowLimit: narrowLimit)
        for (name, bytes) in Self.files {
            guard inPieces else {
                try writer.add(name, bytes)
                continue
            }
            try writer.beginEntry(name)
            for start in stride(from: 0, to: bytes.count, by: 70_000) {
                try writer.append(Array(bytes[start..<min(bytes.count, start + 70_000)]))
            }
            try writer.endEntry()
        }
        try writer.finish()
    }

    /// The limit of 1000 makes some sizes and most offsets ones of 64 bits.
    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: [false, true],
        [1000, 0xFFFF_FFFF]
    )
    func pythonReadsWhatWeWrite(inPieces: Bool, narrowLimit: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.zip")
        try write(path, inPieces: inPieces, narrowLimit: narrowLimit)
        let script = """
            import sys, zipfile, zlib
            z = zipfile.ZipFile(sys.argv[1])
            assert z.testzip() is None
            for i in z.infolist():
                assert i.date_time == (1980, 1, 1, 0, 0, 0), i.date_time
                print(i.filename.encode().hex(), i.file_size, zlib.crc32(z.read(i)))
            """
        let printed = try PeerPython.output(of: script, [path.string]).split(separator: "\n").map(String.init)
        #expect(
            printed
                == Self.files.map { name, bytes in
                    let name = name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                    return "\(name) \(bytes.count) \(HandmadeZIP.crc32(bytes))"
                }
        )
    }

    @Test(arguments: [false, true], [1000, 0xFFFF_FFFF])
    func ourReaderReadsIt(inPieces: Bool, narrowLimit: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.zip")
        try write(path, inPieces: inPieces, narrowLimit: narrowLimit)
        let archive = try ZIPArchive(path: path.string)
        #expect(archive.entries.map(\.name) == Self.files.map(\.name))
        for (name, bytes) in Self.files { #expect(try archive.read(name, maximumBytes: 1 << 20) == bytes) }
    }

    /// The plain record at the end counts to 65535 only.
    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func entriesBeyondThePlainCount() throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.zip")
        let writer = try ZIPWriter(creating: path)
        for number in 0..<70_000 { try writer.add("\(number)", []) }
        try writer.finish()
        #expect(try ZIPArchive(path: path.string).entries.count == 70_000)
        let script = "import sys, zipfile; n = zipfile.ZipFile(sys.argv[1]).namelist(); print(len(n), n[69999])"
        #expect(try PeerPython.output(of: script, [path.string]) == "70000 69999")
    }
}
