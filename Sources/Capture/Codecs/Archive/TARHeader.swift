/// One header block of a tar file (POSIX.1-2017, pax, ustar interchange format).
struct TARHeader {
    enum Kind: Hashable {
        case regular
        case hardLink
        case paxHeader
        case globalHeader
        case longName
        case longLink
        /// Directories, symbolic links, devices, queues, volume labels.
        case other
    }

    let kind: Kind
    let name: [UInt8]
    let linkName: [UInt8]
    let size: Int
    /// Seconds since 1970 of the last modification.
    let modifiedSeconds: Int?
    /// True if `size` bytes follow the header.
    let hasContent: Bool

    init(_ block: [UInt8], at offset: Int) throws(CodecError) {
        try TARHeader.checkSum(block, at: offset)
        let type = block[156]
        guard type != UInt8(ascii: "S"), type != UInt8(ascii: "M") else {
            throw CodecError(.tar, at: offset, "sparse and multi-volume members are not supported")
        }
        linkName = TARHeader.text(block[157..<257])
        var name = TARHeader.text(block[0..<100])
        // Only POSIX ustar has a prefix; GNU's own format keeps times there.
        let prefix = TARHeader.text(block[345..<500])
        if block[257..<263].elementsEqual([0x75, 0x73, 0x74, 0x61, 0x72, 0]), !prefix.isEmpty {
            name = prefix + [UInt8(ascii: "/")] + name
        }
        self.name = name
        guard let size = TARHeader.number(block[124..<136]) else {
            throw CodecError(.tar, at: offset + 124, "expected an octal size")
        }
        self.size = size
        modifiedSeconds = TARHeader.number(block[136..<148])
        kind =
            switch type {
            case 0, UInt8(ascii: "0"), UInt8(ascii: "7"):
                // Before ustar a directory was a regular file whose name ends with a slash.
                name.last == UInt8(ascii: "/") ? .other : .regular
            case UInt8(ascii: "1"): .hardLink
            case UInt8(ascii: "x"): .paxHeader
            case UInt8(ascii: "g"): .globalHeader
            case UInt8(ascii: "L"): .longName
            case UInt8(ascii: "K"): .longLink
            default: .other
            }
        // Links, devices, directories and queues have none, whatever their size field says.
        hasContent = !(UInt8(ascii: "1")...UInt8(ascii: "6")).contains(type)
    }

    /// The sum of all bytes with the checksum field taken as spaces; old writers summed signed bytes.
    private static func checkSum(_ block: [UInt8], at offset: Int) throws(CodecError) {
        var unsigned = 8 * 32
        var signed = 8 * 32
        for (place, byte) in block.enumerated() where !(148..<156).contains(place) {
            unsigned += Int(byte)
            signed += Int(Int8(bitPattern: byte))
        }
        guard let stored = number(block[148..<156]), stored == unsigned || stored == signed else {
            throw CodecError(.tar, at: offset, "expected a tar header, found a block whose checksum does not agree")
        }
    }

    private static func text(_ field: ArraySlice<UInt8>) -> [UInt8] {
        Array(field.prefix { $0 != 0 })
    }

    /// Octal digits, ended by a space or NUL, or GNU's base 256 with the top bit set.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        guard let first = field.first else { return nil }
        var value = 0
        if first & 0x80 != 0 {
            guard first == 0x80 else { return nil }
            for byte in field.dropFirst() {
                guard value < 1 << 54 else { return nil }
                value = value << 8 | Int(byte)
            }
            return value
        }
        for byte in field.drop(while: { $0 == 0x20 }) {
            if byte == 0 || byte == 0x20 { break }
            guard (0x30...0x37).contains(byte), value < 1 << 54 else { return nil }
            value = value << 3 | Int(byte & 7)
        }
        return value
    }
}

/// The attributes that a pax extended header gives the member after it: records of "length key=value\n".
struct PaxAttributes {
    private(set) var path: [UInt8]?
    private(set) var linkPath: [UInt8]?
    private(set) var size: Int?
    private(set) var isSparse = false

    init() {}

    init(_ bytes: [UInt8], at offset: Int) throws(CodecError) {
        var rest = bytes[...]
        while let first = rest.first, first != 0 {
            let place = offset + rest.startIndex
            guard let space = rest.firstIndex(of: 0x20),
                let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
                length > space + 1 - rest.startIndex, length <= rest.count,
                rest[rest.startIndex + length - 1] == 0x0A
            else { throw CodecError(.tar, at: place, "expected a pax record") }
            let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
                throw CodecError(.tar, at: place, "expected key=value in a pax record")
            }
            let key = String(decoding: record[..<equals], as: UTF8.self)
            try take(key, Array(record[(equals + 1)...]), at: place)
            rest = rest[(rest.startIndex + length)...]
        }
    }

    private mutating func take(_ key: String, _ value: [UInt8], at offset: Int) throws(CodecError) {
        switch key {
        case "path":
            path = value
        case "linkpath":
            linkPath = value
        case "size":
            guard let number = Int(String(decoding: value, as: UTF8.self)), number >= 0 else {
                throw CodecError(.tar, at: offset, "expected a size in a pax record")
            }
            size = number
        default:
            if key.hasPrefix("GNU.sparse.") { isSparse = true }
        }
    }
}
