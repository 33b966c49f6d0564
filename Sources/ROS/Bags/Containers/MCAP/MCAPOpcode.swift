/// The kinds of records of an MCAP file (MCAP specification, "Records").
package enum MCAPOpcode: UInt8, Sendable, CaseIterable {
    case header = 0x01
    case footer = 0x02
    case schema = 0x03
    case channel = 0x04
    case message = 0x05
    case chunk = 0x06
    case messageIndex = 0x07
    case chunkIndex = 0x08
    case attachment = 0x09
    case attachmentIndex = 0x0A
    case statistics = 0x0B
    case metadata = 0x0C
    case metadataIndex = 0x0D
    case summaryOffset = 0x0E
    case dataEnd = 0x0F

    /// The specification's name of a record kind, or its number.
    package static func name(_ opcode: UInt8) -> String {
        guard let known = MCAPOpcode(rawValue: opcode) else {
            return "record 0x" + (opcode < 16 ? "0" : "") + String(opcode, radix: 16, uppercase: true)
        }
        let name = "\(known)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}

/// The constants of the MCAP format.
package enum MCAPFormat {
    /// The first and the last bytes of a file: 0x89 "MCAP" "0" CR LF.
    package static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
    /// The size of opcode and length, which precede each record's body.
    package static let recordHeaderBytes = 9
    /// The size of a Message's fields before its data.
    package static let messageHeaderBytes = 22
    /// The size of a Footer with its record header.
    package static let footerBytes = 29
    /// The size of a DataEnd with its record header.
    package static let dataEndBytes = 13
}

/// How the records of a chunk are compressed.
package enum MCAPCompression: String, Sendable, CaseIterable {
    case none
    case lz4
    case zstd

    /// The text of `Chunk.compression`.
    package var fieldText: String { self == .none ? "" : rawValue }

    /// The compression that the text of `Chunk.compression` names.
    package init?(fieldText: String) {
        switch fieldText {
        case "": self = .none
        case "lz4": self = .lz4
        case "zstd": self = .zstd
        default: return nil
        }
    }
}
