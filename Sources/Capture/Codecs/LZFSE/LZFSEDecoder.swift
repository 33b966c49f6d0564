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
