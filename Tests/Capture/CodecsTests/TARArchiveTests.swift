import Codecs
import SystemPackage
import TestSupport
import Testing

@Suite struct TARArchiveTests {
    private func open(_ bytes: [UInt8]) throws -> TARArchive {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.tar")
        try write(bytes, to: path)
        return try TARArchive(path: path.string)
    }

    /// One member by hand; each field may be replaced before the checksum is made.
    private func member(_ name: String, _ content: [UInt8], type: Character = "0", size: String? = nil) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            block.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
        }
        put(name, at: 0)
        put("0000644\0", at: 100)
        put(size ?? octal(content.count), at: 124)
        put("        ", at: 148)
        put(String(type), at: 156)
        put("ustar\u{0}00", at: 257)
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        put(String(repeating: "0", count: 6 - sum.count) + sum + "\0 ", at: 148)
        return block + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    private func octal(_ value: Int) -> String {
        let digits = String(value, radix: 8)
        return String(repeating: "0", count: 11 - digits.count) + digits
    }

    private let end = [UInt8](repeating: 0, count: 1024)

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["USTAR", "GNU", "PAX"]
    )
    func pythonWritesWhatWeRead(format: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.tar")
        let script = """
            import sys, tarfile, io, random
            random.seed(2)
            t = tarfile.open(sys.argv[1], 'w', format=getattr(tarfile, sys.argv[2] + '_FORMAT'))
            def add(name, data=b'', type=tarfile.REGTYPE, link=''):
                i = tarfile.TarInfo(name); i.type = type; i.size = len(data); i.linkname = link
                t.addfile(i, io.BytesIO(data))
            add('./s', type=tarfile.DIRTYPE)
            add('./s/frames.jsonl', b'{"frame_index": 0}\\n' * 9000)
            add('./s/' + 'd' * 60 + '/' + 'e' * 70 + '.jpg', random.randbytes(100001))
            add('./s/hard.jpg', type=tarfile.LNKTYPE, link='./s/frames.jsonl')
            add('./s/soft.jpg', type=tarfile.SYMTYPE, link='/etc/passwd')
            add('./s/fifo', type=tarfile.FIFOTYPE)
            add('./s/._frames.jsonl', b'mac')
            if sys.argv[2] != 'USTAR': add('./s/' + 'n' * 220 + '/caf\\u00e9', b'long')
            add('./s/empty')
            t.close()
            """
        _ = try PeerPython.output(of: script, [path.string, format])
        let archive = try TARArchive(path: path.string)
        let long = format == "USTAR" ? [] : ["s/\(String(repeating: "n", count: 220))/caf\u{e9}"]
        let deep = "s/\(String(repeating: "d", count: 60))/\(String(repeating: "e", count: 70)).jpg"
        #expect(archive.entries.map(\.name) == ["s/frames.jsonl", deep, "s/hard.jpg"] + long + ["s/empty"])
        #expect(archive.size(of: deep) == 100_001)
        let line = Array("{\"frame_index\": 0}\n".utf8)
        let frames = Array(repeatElement(line, count: 9000).joined())
        #expect(try archive.read("s/frames.jsonl", maximumBytes: 1 << 20) == frames)
        #expect(try archive.read("s/hard.jpg", maximumBytes: 1 << 20) == frames)
        #expect(try streamed(archive, "s/frames.jsonl", pieceSize: 777) == frames)
        #expect(try archive.read("s/empty", maximumBytes: 0) == [])
    }

    @Test(arguments: ["/abs", "../x", "a/../b", "a\\b", "C:\\x"])
    func namesThatLeadOutAreRefused(name: String) throws {
        #expect(throws: CodecError.self) { try open(member(name, [1]) + end) }
    }

    @Test func duplicatesAndLinksToNothingAreRefused() throws {
        #expect(throws: CodecError.self) { try open(member("a", [1]) + member("./a", [2]) + end) }
        #expect(throws: CodecError.self) { try open(member("a", [], type: "1") + end) }
    }

    @Test(arguments: ["77777777777", "9", "-1", "zz"])
    func sizesThatLieAreRefused(size: String) throws {
        #expect(throws: CodecError.self) { try open(member("a", [1, 2, 3], size: size) + end) }
    }

    @Test func sparseMembersAreRefused() throws {
        #expect(throws: CodecError.self) { try open(member("a", [1, 2, 3], type: "S") + end) }
    }

    @Test func paxValuesAreBounded() throws {
        func pax(_ record: String) -> [UInt8] { member("pax", Array(record.utf8), type: "x") }
        #expect(try open(pax("9 path=b\n") + member("a", [1]) + end).entries.map(\.name) == ["b"])
        for record in [
            "99 path=b\n", "0 path=b\n", "-9 path=b\n", "9path=bb\n", "26 size=99999999999999999\n", "9 size=-\n",
        ] {
            #expect(throws: CodecError.self) { try open(pax(record) + member("a", [1]) + end) }
        }
        #expect(throws: CodecError.self) { try open(pax("16 path=../../x\n") + member("a", [1]) + end) }
    }

    /// A header of zeros or with a wrong checksum costs its own file, wherever it is, and is named.
    @Test(arguments: [true, false])
    func damagedHeadersCostTheirOwnFile(isZeros: Bool) throws {
        let members = (0..<5).map { number in
            member("f\(number)", [UInt8](repeating: UInt8(number + 1), count: 700 * number))
        }
        for damaged in 1..<members.count {
            var bytes = members.flatMap { $0 } + end
            let place = members[..<damaged].reduce(0) { $0 + $1.count }
            if isZeros {
                bytes.replaceSubrange(place..<place + 512, with: [UInt8](repeating: 0, count: 512))
            } else {
                bytes[place + 1] ^= 0x40
            }
            let archive = try open(bytes)
            #expect(archive.entries.map(\.name) == (0..<5).filter { $0 != damaged }.map { "f\($0)" })
            #expect(archive.damage.count == 1 && archive.damage.first?.byteOffset == place)
            for entry in archive.entries where entry.size > 0 {
                let first = try archive.read(entry.name, maximumBytes: 1 << 20).first
                #expect(first == entry.name.utf8.last.map { $0 - 0x30 + 1 })
            }
        }
    }

    @Test func theEndIsTwoBlocksOfZerosAndTheEndOfTheFile() throws {
        let files = member("a", [1]) + member("b", [2])
        for padding in [0, 512, 10_240] {
            #expect(try open(files + end + [UInt8](repeating: 0, count: padding)).damage.isEmpty)
        }
        for ending in [[], [UInt8](repeating: 0, count: 512), end + [UInt8](repeating: 7, count: 100)] {
            let archive = try open(files + ending)
            #expect(archive.entries.count == 2 && archive.damage.count == 1)
        }
        // A second archive behind the first.
        let both = try open(files + end + member("c", [3]) + end)
        #expect(both.entries.map(\.name) == ["a", "b", "c"] && both.damage.count == 1)
    }

    @Test func cutsAndMutationsAreTypedErrors() throws {
        let original = member("a/b", [1, 2, 3]) + member("c", [UInt8](repeating: 7, count: 700)) + end
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.tar")
        for length in stride(from: 0, to: 2048, by: 7) where length % 512 != 0 {
            try write(Array(original[..<length]), to: path)
            #expect(throws: CodecError.self) { try TARArchive(path: path.string) }
        }
        var generator = SeededRandomNumbers(seed: 9)
        for _ in 0..<1500 {
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            try write(bytes, to: path)
            guard let archive = try? TARArchive(path: path.string) else { continue }
            for result in readEverything(archive) {
                if case .success(let count) = result { #expect(count <= original.count) }
            }
        }
    }
}
