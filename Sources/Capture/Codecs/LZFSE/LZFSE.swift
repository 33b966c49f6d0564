import Platform

/// Goes through the blocks of a stream.
struct LZFSEDecoder {
    private let input: UnsafeRawBufferPointer
    private let reader: ByteReader
    private var output: LZFSEOutput
    /// Where the next block begins.
    private var offset = 0
    /// Made with the first block that needs it.
    private var workspace: LZFSEWorkspace?

    init(input: UnsafeRawBufferPointer, output: LZFSEOutput) {
        self.input = input
        self.output = output
        reader = ByteReader(input)
    }

    /// Fills the output to its limit, or says why that cannot be.
    mutating func run() throws(CodecError) {
        while true {
            let word = try number(at: offset)
            guard let magic = LZFSEMagic(rawValue: UInt32(truncatingIfNeeded: word)) else {
                throw error("expected a block, found the number \(word)")
            }
            switch magic {
            case .stored: try copyStored()
            case .plainTables, .packedTables: try decodeBlock(hasPackedTables: magic == .packedTables)
            case .lzvn: try decodeLZVN()
            case .end:
                guard output.room == 0 else {
                    throw error("expected \(output.limit) bytes in the stream, found \(output.count)")
                }
                return
            }
        }
    }

    private mutating func copyStored() throws(CodecError) {
        let content = try payload(after: 8, byteCount: number(at: offset + 4))
        try checkRoom(content.count)
        output.appendExactly(UnsafeRawBufferPointer(rebasing: input[content]))
        offset = content.upperBound
    }

    private mutating func decodeLZVN() throws(CodecError) {
        let rawByteCount = try number(at: offset + 4)
        let content = try payload(after: 12, byteCount: number(at: offset + 8))
        try checkRoom(rawByteCount)
        var block = LZVNBlock(input: input, content: content)
        try block.decode(rawByteCount, into: &output)
        offset = content.upperBound
    }

    private mutating func decodeBlock(hasPackedTables: Bool) throws(CodecError) {
        let header =
            hasPackedTables
            ? try LZFSEHeader(packed: reader, at: offset) : try LZFSEHeader(plain: reader, at: offset)
        try header.check(at: offset)
        try checkRoom(header.rawByteCount)
        let literals = try payload(after: header.byteCount, byteCount: header.literals.byteCount)
        let matches = try payload(after: literals.upperBound - offset, byteCount: header.matches.byteCount)
        let workspace = workspace ?? LZFSEWorkspace()
        self.workspace = workspace
        let block = LZFSEBlock(header: header, workspace: workspace, offset: offset)
        try block.makeTables()
        try block.decodeLiterals(BackwardBits(input, literals, spareBits: header.literals.spareBits))
        try block.decodeMatches(BackwardBits(input, matches, spareBits: header.matches.spareBits), into: &output)
        offset = matches.upperBound
    }

    private func number(at place: Int) throws(CodecError) -> Int {
        guard let number = reader.uint32(at: place) else {
            throw CodecError(.lzfse, at: place, "expected a number of 4 bytes, found the end of the stream")
        }
        return number
    }

    /// The part of the input that a header claims, counted from the beginning of the block.
    private func payload(after headerByteCount: Int, byteCount: Int) throws(CodecError) -> Range<Int> {
        let start = offset + headerByteCount
        guard start <= input.count, byteCount <= input.count - start else {
            throw error(
                "expected \(byteCount) bytes behind a header of \(headerByteCount), found the end of the stream"
            )
        }
        return start..<start + byteCount
    }

    private func checkRoom(_ byteCount: Int) throws(CodecError) {
        guard byteCount <= output.room else {
            throw error("expected \(output.limit) bytes in the stream, found \(output.count) and \(byteCount) more")
        }
    }

    private func error(_ reason: String) -> CodecError { CodecError(.lzfse, at: offset, reason) }
}

/// Apple's LZFSE: Lempel-Ziv whose lengths, distances and literals are packed by finite-state entropy.
///
/// A stream is blocks of five kinds, each behind four bytes of magic, the last one `bvx$`. The format is that of Apple's
/// reference implementation; all numbers are little-endian. How much a stream holds is known to who reads it: no number
/// of the stream makes memory be taken.
package enum LZFSE {
    /// Returns the content of the stream, which is exactly `byteCount` bytes; data after its end mark is ignored.
    package static func decode(_ bytes: [UInt8], byteCount: Int) throws(CodecError) -> [UInt8] {
        try decode(bytes[...], byteCount: byteCount)
    }

    /// The same for a part of an array; offsets in errors count from the part's first byte.
    package static func decode(_ bytes: ArraySlice<UInt8>, byteCount: Int) throws(CodecError) -> [UInt8] {
        guard byteCount >= 0 else { throw CodecError(.lzfse, "expected a size, found \(byteCount)") }
        // A typed error does not pass through either closure.
        var problem: CodecError?
        let output = [UInt8](unsafeUninitializedCapacity: byteCount + LZFSEOutput.slack) { buffer, count in
            bytes.withUnsafeBytes { input in
                let output = LZFSEOutput(UnsafeMutableRawBufferPointer(buffer), limit: byteCount)
                var decoder = LZFSEDecoder(input: input, output: output)
                do throws(CodecError) { try decoder.run() } catch { problem = error }
                count = problem == nil ? byteCount : 0
            }
        }
        if let problem { throw problem }
        return output
    }

    /// A stream that holds the bytes as they are, for readers of the format: `bvx-` blocks, then `bvx$`.
    package static func encodeStored(_ bytes: [UInt8]) -> [UInt8] {
        let blockBytes = 1 << 30
        var stream: [UInt8] = []
        stream.reserveCapacity(bytes.count + 12)
        for start in stride(from: 0, to: bytes.count, by: blockBytes) {
            let block = bytes[start..<min(bytes.count, start + blockBytes)]
            stream += LZFSEMagic.stored.bytes
            stream += (0..<4).map { UInt8(truncatingIfNeeded: block.count >> (8 * $0)) }
            stream += block
        }
        return stream + LZFSEMagic.end.bytes
    }
}

/// The first four bytes of a block.
enum LZFSEMagic: UInt32 {
    /// `bvx-`: the bytes themselves.
    case stored = 0x2D78_7662
    /// `bvx1`: LZFSE behind a header with plain tables.
    case plainTables = 0x3178_7662
    /// `bvx2`: LZFSE behind a header with packed tables.
    case packedTables = 0x3278_7662
    /// `bvxn`: LZVN.
    case lzvn = 0x6E78_7662
    /// `bvx$`: the end.
    case end = 0x2478_7662

    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) } }
}
