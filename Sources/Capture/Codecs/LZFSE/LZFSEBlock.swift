/// Memory for the tables and the literals of one block at a time.
final class LZFSEWorkspace {
    let lengths: EntropyTable
    let matches: EntropyTable
    let distances: EntropyTable
    let literalTable: EntropyTable
    /// As many as a block may have, and a little more: four are written at a time, and copies take 16.
    let literals: UnsafeMutablePointer<UInt8>
    private let entries: UnsafeMutablePointer<EntropyTable.Entry>

    init() {
        let states = LZFSEHeader.stateCounts
        let count = states.lengths + states.matches + states.distances + states.literals
        entries = .allocate(capacity: count)
        entries.initialize(repeating: 0, count: count)
        var start = entries
        func table(_ stateCount: Int) -> EntropyTable {
            defer { start += stateCount }
            return EntropyTable(start, stateCount: stateCount)
        }
        lengths = table(states.lengths)
        matches = table(states.matches)
        distances = table(states.distances)
        literalTable = table(states.literals)
        let room = LZFSEHeader.literalLimit + LZFSEOutput.slack
        literals = .allocate(capacity: room)
        literals.initialize(repeating: 0, count: room)
    }

    deinit {
        entries.deallocate()
        literals.deallocate()
    }
}

/// A block of LZFSE, whose header is checked: literals in one stream, what is done with them in the other.
struct LZFSEBlock {
    let header: LZFSEHeader
    let workspace: LZFSEWorkspace
    /// Where the block begins, for errors.
    let offset: Int

    func makeTables() throws(CodecError) {
        let areLiteralsSound = workspace.literalTable.fill(header.literalFrequencies, EntropyAlphabet.literals)
        let areMatchesSound = [
            workspace.lengths.fill(header.lengthFrequencies, EntropyAlphabet.literalLengths),
            workspace.matches.fill(header.matchFrequencies, EntropyAlphabet.matchLengths),
            workspace.distances.fill(header.distanceFrequencies, EntropyAlphabet.distances),
        ]
        guard areLiteralsSound || header.literals.count == 0,
            areMatchesSound == [true, true, true] || header.matches.count == 0
        else { throw error("frequencies that do not add up to the size of their table") }
    }

    /// Four states take turns.
    func decodeLiterals(_ stream: BackwardBits) throws(CodecError) {
        var bits = stream
        let (table, literals) = (workspace.literalTable, workspace.literals)
        let states = header.literalStates
        var (first, second, third, fourth) = (states[0], states[1], states[2], states[3])
        for place in stride(from: 0, to: header.literals.count, by: 4) {
            // Four times ten bits at most.
            bits.refill()
            literals[place] = table.nextLiteral(&first, &bits)
            literals[place &+ 1] = table.nextLiteral(&second, &bits)
            literals[place &+ 2] = table.nextLiteral(&third, &bits)
            literals[place &+ 3] = table.nextLiteral(&fourth, &bits)
        }
        guard bits.isSound else { throw error("its literals take more bits than it has") }
    }

    func decodeMatches(_ stream: BackwardBits, into output: inout LZFSEOutput) throws(CodecError) {
        var bits = stream
        var target = output
        let (lengths, matches, distances) = (workspace.lengths, workspace.matches, workspace.distances)
        let literals = UnsafeRawPointer(workspace.literals)
        var (length, match, far) = (header.lengthState, header.matchState, header.distanceState)
        var used = 0
        var distance = 0
        for _ in 0..<header.matches.count {
            // 14, 17 and 23 bits at most.
            bits.refill()
            let literalCount = lengths.next(&length, &bits)
            let repeatCount = matches.next(&match, &bits)
            let newDistance = distances.next(&far, &bits)
            if newDistance != 0 { distance = newDistance }
            guard literalCount <= header.literals.count &- used,
                target.append(literals + used, literalCount, repeating: repeatCount, from: distance)
            else { throw error("a match beyond what there is") }
            used &+= literalCount
        }
        guard bits.isSound else { throw error("its matches take more bits than it has") }
        guard target.count - output.count == header.rawByteCount else {
            throw error("expected \(header.rawByteCount) bytes in it, found \(target.count - output.count)")
        }
        output = target
    }

    private func error(_ reason: String) -> CodecError { CodecError(.lzfse, at: offset, "the block here: \(reason)") }
}
