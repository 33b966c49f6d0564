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
