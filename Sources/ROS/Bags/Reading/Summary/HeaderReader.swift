import DynamicMessages
import JSONText
import Messages

/// The stamps and frames of one message, read from its first bytes where they suffice.
struct MessageHeader {
    var stampNanoseconds: Int64
    var frameID: String
    /// Of a message with transforms.
    var transforms: [TransformStamped] = []
}

/// Reads the headers of the messages of one topic.
struct HeaderReader {
    private enum Encoding {
        case cdr
        case rosbridgeJSON
    }

    /// What a message says about itself.
    enum Result {
        case header(MessageHeader)
        /// A sequence without elements.
        case empty
        case unreadable
    }

    private let shape: HeaderShape
    private let encoding: Encoding
    /// Those of a message in JSON.
    private let keys: [String]

    /// Nil for topics whose messages have no header that can be found.
    init?(_ topic: BagTopic, _ types: TypeResolver) {
        guard let type = try? types.resolve(TypeClaim(topic)) else { return nil }
        shape = HeaderShape(of: type)
        keys = type.jsonKeys
        switch topic.serializationFormat {
        case BagOptions.Serialization.cdr.rawValue: encoding = .cdr
        case BagOptions.Serialization.rosbridgeJSON.rawValue: encoding = .rosbridgeJSON
        default: return nil
        }
        if shape == .none { return nil }
    }

    /// How many of the first bytes of a message `read` needs.
    var wantedBytes: Int {
        // A frame name of more than a thousand letters is taken for damage.
        encoding == .cdr && shape != .transforms ? 1024 : .max
    }

    func read(_ bytes: [UInt8]) -> Result {
        switch encoding {
        case .cdr: shape == .transforms ? transforms(try? TFMessage.decoding(cdr: bytes)) : cdrHeader(bytes)
        case .rosbridgeJSON: bytes.withUnsafeBytes { (try? jsonHeader($0)) ?? .unreadable }
        }
    }

    private func transforms(_ message: TFMessage?) -> Result {
        guard let message else { return .unreadable }
        guard let first = message.transforms.first else { return .empty }
        return .header(
            MessageHeader(
                stampNanoseconds: first.header.stamp.nanosecondsSinceEpoch,
                frameID: first.header.frameID,
                transforms: message.transforms
            )
        )
    }

    /// The encapsulation, the count of a sequence, then seconds, nanoseconds and the name of the frame.
    private func cdrHeader(_ bytes: [UInt8]) -> Result {
        guard bytes.count >= 4, bytes[0] == 0, bytes[1] <= 1 else { return .unreadable }
        var fields = CDRFields(bytes: bytes, isLittleEndian: bytes[1] == 1)
        if case .inElements = shape {
            guard let count = fields.next() else { return .unreadable }
            if count == 0 { return .empty }
        }
        guard let seconds = fields.next(), let nanoseconds = fields.next(), let frame = fields.string() else {
            return .unreadable
        }
        let stamp = Int64(Int32(bitPattern: seconds)) * 1_000_000_000 + Int64(nanoseconds)
        return .header(MessageHeader(stampNanoseconds: stamp, frameID: frame))
    }

    /// The header in the message of a row.
    private func jsonHeader(_ bytes: UnsafeRawBufferPointer) throws -> Result {
        try RosbridgeRow.read(bytes, keys: keys) { scanner in
            if shape == .transforms {
                var unknown = UnknownFields()
                return transforms(try TFMessage.decoding(json: &scanner, unknown: &unknown))
            }
            var message = scanner
            try scanner.skipValue()
            return try headerOfObject(&message, shape)
        }
        .0
    }

    /// What a message does not have is at its default, as for everyone who decodes it.
    private func headerOfObject(_ scanner: inout JSONScanner, _ shape: HeaderShape) throws -> Result {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch shape {
            case .first(let field) where key.string == field:
                var unknown = UnknownFields()
                let header = try Header.decoding(json: &scanner, unknown: &unknown)
                return .header(
                    MessageHeader(stampNanoseconds: header.stamp.nanosecondsSinceEpoch, frameID: header.frameID)
                )
            case .inElements(of: let field, header: let header) where key.string == field:
                try scanner.beginArray()
                guard try scanner.nextElement() else { return .empty }
                return try headerOfObject(&scanner, .first(header))
            default: try scanner.skipValue()
            }
        }
        guard case .first = shape else { return .empty }
        return .header(MessageHeader(stampNanoseconds: 0, frameID: ""))
    }
}

/// Numbers of four bytes and strings, one after the other from byte 4 on.
private struct CDRFields {
    let bytes: [UInt8]
    let isLittleEndian: Bool
    var offset = 4

    mutating func next() -> UInt32? {
        offset = (offset + 3) & ~3
        guard offset + 4 <= bytes.count else { return nil }
        let value = bytes[offset..<offset + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        offset += 4
        return isLittleEndian ? value : value.byteSwapped
    }

    mutating func string() -> String? {
        guard let length = next(), length >= 1, Int(length) <= bytes.count - offset else { return nil }
        let text = bytes[offset..<offset + Int(length) - 1]
        offset += Int(length)
        return String(validating: text, as: UTF8.self)
    }
}
