import Messages
import Text

/// A type whose messages are read no further than their first header.
///
/// A message of it is a `Header`, a `TFMessage`, or an `EmptyMessage` where a sequence has no element.
struct LeadingHeader: MessageType {
    private enum Place {
        /// The first field, of that name.
        case first(String)
        /// The first field is a sequence of messages that begin with it; the names of both.
        case inElements(of: String, header: String)
        /// tf2_msgs/TFMessage, which is read as a whole.
        case transforms
    }

    private let place: Place
    private let type: ResolvedType

    /// Nil for a type without a header that can be found.
    init?(_ type: ResolvedType) {
        self.type = type
        if type.compiled is TFMessage.Type {
            place = .transforms
        } else if let header = LeadingHeader.name(in: type.schema.layout) {
            place = .first(header)
        } else if let field = type.schema.layout.fields.first, case .message(let element) = field.element,
            case .sequence = field.shape, let header = LeadingHeader.name(in: element)
        {
            place = .inElements(of: field.name, header: header)
        } else {
            return nil
        }
    }

    /// The name of the first field, where that is a header.
    private static func name(in layout: MessageLayout) -> String? {
        guard let field = layout.fields.first, case .single = field.shape, case .message(let type) = field.element
        else { return nil }
        return type.typeName == Header.typeName ? field.name : nil
    }

    var typeName: String { type.typeName }
    var typeHash: String { type.typeHash }
    var definitionText: String { type.definitionText }
    var jsonKeys: [String] { type.jsonKeys }

    /// How many of the first bytes of a message in CDR are read.
    var prefixBytes: Int {
        // A frame name of more than a thousand letters is taken for damage.
        if case .transforms = place { .max } else { 1024 }
    }

    func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        if case .transforms = place { return try TFMessage.decoding(cdr: bytes) }
        var decoder = try CDRDecoder(bytes)
        if case .inElements = place, try UInt32.decode(from: &decoder) == 0 { return EmptyMessage() }
        return try Header(from: &decoder)
    }

    func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage {
        if case .transforms = place { return try TFMessage.decoding(json: &scanner, unknown: &unknown) }
        var message = scanner
        let isThere: Bool?
        do throws(JSONError) {
            try scanner.skipValue()
            isThere = try goToHeader(&message)
        } catch { throw JSONMismatch(error) }
        guard let isThere else { return EmptyMessage() }
        // A field that a message does not have is at its default, as when it is decoded.
        return isThere ? try Header.decoding(json: &message, unknown: &unknown) : Header()
    }

    /// Goes to the value of the first header and says whether it is there; nil where a sequence has no element.
    private func goToHeader(_ scanner: inout JSONScanner) throws(JSONError) -> Bool? {
        switch place {
        case .first(let header): return try goTo(header, &scanner)
        case .inElements(of: let field, header: let header):
            guard try goTo(field, &scanner) else { return nil }
            try scanner.beginArray()
            return try scanner.nextElement() ? goTo(header, &scanner) : nil
        case .transforms: return nil
        }
    }

    /// Goes to the value of a key of the object that comes next.
    private func goTo(_ name: String, _ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            if key.string == name { return true }
            try scanner.skipValue()
        }
        return false
    }
}

extension RowDecoder {
    /// Reads the headers of the messages of a topic and no more; nil where there are none that can be found.
    init?(headersOf topic: BagTopic, _ types: TypeResolver) {
        guard let type = try? types.resolve(TypeClaim(topic)), let header = LeadingHeader(type) else { return nil }
        self.init(header, format: topic.serializationFormat)
        if serialization == nil { return nil }
    }

    /// How many of the first bytes of a row are read.
    var wantedBytes: Int {
        serialization == .cdr ? (type as? LeadingHeader)?.prefixBytes ?? .max : .max
    }
}
