/// A block of LZVN, which is what small pieces are packed with: whole bytes, no entropy coding.
///
/// Each instruction is one to three bytes: how many literals follow it, and then how many bytes are repeated from where.
struct LZVNBlock {
    private struct Instruction {
        var byteCount: Int
        var literalCount = 0
        var repeatCount = 0
        /// Nil for the distance before.
        var distance: Int?
    }

    private let input: UnsafeRawBufferPointer
    private let end: Int
    private var offset: Int
    private var distance = 0

    /// - Parameter content: a part of the input.
    init(input: UnsafeRawBufferPointer, content: Range<Int>) {
        self.input = input
        offset = content.lowerBound
        end = content.upperBound
    }

    /// Appends what the block holds, which is `byteCount` bytes and fits.
    mutating func decode(_ byteCount: Int, into output: inout LZFSEOutput) throws(CodecError) {
        let start = output.count
        while let instruction = try next() {
            offset += instruction.byteCount
            guard instruction.literalCount <= end - offset,
                instruction.literalCount + instruction.repeatCount <= byteCount - (output.count - start)
            else { throw CodecError(.lzfse, at: offset, "more bytes than the block holds") }
            output.appendExactly(UnsafeRawBufferPointer(rebasing: input[offset..<offset + instruction.literalCount]))
            offset += instruction.literalCount
            distance = instruction.distance ?? distance
            guard instruction.repeatCount > 0, let source = input.baseAddress else { continue }
            guard output.append(source, 0, repeating: instruction.repeatCount, from: distance) else {
                throw CodecError(.lzfse, at: offset, "expected a distance up to \(output.count), found \(distance)")
            }
        }
        guard output.count - start == byteCount, offset == end else {
            let found = "\(output.count - start), and \(end - offset) bytes that are left"
            throw CodecError(.lzfse, at: offset, "expected \(byteCount) bytes in the block, found \(found)")
        }
    }

    /// Nil at the end mark, which is one byte and seven zeros.
    private mutating func next() throws(CodecError) -> Instruction? {
        while true {
            let code = try byte(0)
            switch code {
            case 0x0E, 0x16: offset += 1
            case 0x06:
                for place in 1..<8 where try byte(place) != 0 {
                    throw CodecError(.lzfse, at: offset + place, "expected the end of the block, found another byte")
                }
                offset += 8
                return nil
            default: return try instruction(code)
            }
        }
    }

    private func instruction(_ code: Int) throws(CodecError) -> Instruction {
        let literalCount = code >> 6
        let repeatCount = (code >> 3 & 7) + 3
        switch code {
        case 0xE0: return Instruction(byteCount: 2, literalCount: try byte(1) + 16)
        case 0xE1...0xEF: return Instruction(byteCount: 1, literalCount: code & 15)
        case 0xF0: return Instruction(byteCount: 2, repeatCount: try byte(1) + 16)
        case 0xF1...0xFF: return Instruction(byteCount: 1, repeatCount: code & 15)
        case 0xA0...0xBF:
            let word = try byte(1) | byte(2) << 8
            return Instruction(
                byteCount: 3,
                literalCount: code >> 3 & 3,
                repeatCount: (code << 2 & 28 | word & 3) + 3,
                distance: word >> 2
            )
        case 0x70...0x7F, 0xD0...0xDF: throw unknown(code)
        default: break
        }
        switch code & 7 {
        case 7:
            let distance = try byte(1) | byte(2) << 8
            return Instruction(
                byteCount: 3,
                literalCount: literalCount,
                repeatCount: repeatCount,
                distance: distance
            )
        case 6:
            guard literalCount > 0 else { throw unknown(code) }
            return Instruction(byteCount: 1, literalCount: literalCount, repeatCount: repeatCount)
        case let upper:
            let distance = try upper << 8 | byte(1)
            return Instruction(
                byteCount: 2,
                literalCount: literalCount,
                repeatCount: repeatCount,
                distance: distance
            )
        }
    }

    private func byte(_ place: Int) throws(CodecError) -> Int {
        guard offset + place < end else { throw CodecError(.lzfse, at: offset, "the block ends inside an instruction") }
        return Int(input[offset + place])
    }

    private func unknown(_ code: Int) -> CodecError {
        CodecError(.lzfse, at: offset, "unknown instruction \(code) in a block of LZVN")
    }
}
