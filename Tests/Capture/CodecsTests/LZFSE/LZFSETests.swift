import Codecs
import SystemPackage
import TestSupport
import Testing

@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct LZFSEPeerTests {
    @Test func everyKindOfDataComesBack() throws {
        var magics: Set<String> = []
        for made in try LZFSEPeer.cases() {
            let name = "\(made.plain.count) bytes in \(made.stream.count)"
            magics.insert(String(decoding: made.stream.prefix(4), as: UTF8.self))
            #expect(try LZFSE.decode(made.stream, byteCount: made.plain.count) == made.plain, "\(name)")
            for wrong in [made.plain.count - 1, made.plain.count + 1, 0, 1 << 20] where wrong != made.plain.count {
                #expect(throws: CodecError.self, "\(name)") { try LZFSE.decode(made.stream, byteCount: wrong) }
            }
        }
        #expect(magics == ["bvx-", "bvxn", "bvx2"])
    }

    @Test func thePeerReadsStoredBlocks() throws {
        let plain = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let streams = [[7], plain].map { LZFSE.encodeStored($0) }
        #expect(try LZFSEPeer.decode(streams) == [[7], plain])
        for (stream, bytes) in zip(streams, [[7], plain]) {
            #expect(try LZFSE.decode(stream, byteCount: bytes.count) == bytes)
        }
        // Of nothing the peer makes no value.
        #expect(try LZFSE.decode(LZFSE.encodeStored([]), byteCount: 0) == [])
    }

    /// Of each stream that is read as so many bytes the reference says the same; it is asked about no others.
    @Test func whatIsReadOfDamagedStreamsIsWhatThePeerReads() throws {
        var generator = SeededRandomNumbers(seed: 4)
        let cases = try LZFSEPeer.cases().filter { (100...20_000).contains($0.plain.count) }
        var (streams, outputs): ([[UInt8]], [[UInt8]]) = ([], [])
        var refused = 0
        for round in 0..<20_000 {
            let made = cases[round % cases.count]
            let stream = mutated(made.stream, words: ["bvx-", "bvxn", "bvx$", "bvx2"], using: &generator)
            guard let output = try? LZFSE.decode(stream, byteCount: made.plain.count) else {
                refused += 1
                continue
            }
            #expect(output.count == made.plain.count)
            streams.append(stream)
            outputs.append(output)
        }
        #expect(refused > 5000 && streams.count > 500)
        for (output, expected) in zip(outputs, try LZFSEPeer.decode(streams)) where output != expected {
            Issue.record("other bytes than the peer's: \(output.count), \(expected?.count ?? -1)")
        }
    }

    @Test func plainTablesAreRead() throws {
        let cases = try LZFSEPeer.cases().filter { made in
            made.stream.starts(with: "bvx2".utf8) && made.plain.count < 20_000
        }
        let streams = cases.map { HandmadeLZFSE.withPlainTables($0.stream) }
        #expect(cases.count > 20)
        for (made, (stream, peer)) in zip(cases, zip(streams, try LZFSEPeer.decode(streams))) {
            #expect(try peer == made.plain && LZFSE.decode(stream, byteCount: made.plain.count) == made.plain)
        }
    }

    /// Also those that the reference's encoder never writes, and repetitions from earlier blocks.
    @Test func everyInstructionOfLZVNIsRead() throws {
        var generator = SeededRandomNumbers(seed: 6)
        var (streams, plains): ([[UInt8]], [[UInt8]]) = ([], [])
        for _ in 0..<100 {
            var (stream, plain): ([UInt8], [UInt8]) = (HandmadeLZFSE.stored([1, 2, 3]), [1, 2, 3])
            for count in [3, 200] {
                let made = HandmadeLZFSE.randomLZVN(after: plain, count: count, using: &generator)
                stream += HandmadeLZFSE.lzvn(made.instructions, holds: made.plain.count)
                plain += made.plain
            }
            streams.append(stream + HandmadeLZFSE.end)
            plains.append(plain)
        }
        for (plain, (stream, peer)) in zip(plains, zip(streams, try LZFSEPeer.decode(streams))) {
            #expect(try peer == plain && LZFSE.decode(stream, byteCount: plain.count) == plain)
        }
    }

    @Test func everyCutIsNoticed() throws {
        let cases = try LZFSEPeer.cases()
        for made in cases where (1...6000).contains(made.stream.count) && made.plain.count < 30_000 {
            let step = made.stream.count < 400 ? 1 : 97
            for count in stride(from: 0, to: made.stream.count, by: step) {
                #expect(throws: CodecError.self, "\(made.plain.count) bytes, \(count)") {
                    try LZFSE.decode(made.stream[..<count], byteCount: made.plain.count)
                }
            }
        }
    }
}
