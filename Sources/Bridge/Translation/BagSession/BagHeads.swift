import Bags
import Messages

/// The beginning of an image: when it was taken, from where, and how large it is.
struct PictureHead {
    var header = Header()
    /// 0 where the message does not say it.
    var width: UInt32 = 0
    var height: UInt32 = 0

    /// Reads it from the first bytes of a message, or, of a message in another form than CDR, from all of it.
    init(_ bytes: [UInt8], _ decoder: RowDecoder) throws {
        if decoder.readsHeads {
            self = try bytes.withUnsafeBytes { bytes in
                var reader = try CDRDecoder(bytes)
                var head = PictureHead()
                try reader.field("header", &head.header)
                guard decoder.type is CompiledKind<Image> else { return head }
                try reader.field("height", &head.height)
                try reader.field("width", &head.width)
                return head
            }
        } else {
            let message = try decoder.decode(bytes)
            if let image = message.compiled(as: Image.self) {
                (header, width, height) = (image.header, image.width, image.height)
            } else if let image = message.compiled(as: CompressedImage.self) {
                header = image.header
            } else {
                throw UnknownDefinition(typeName: decoder.type.typeName)
            }
        }
    }

    private init() {}
}

/// A message of a type whose definition in the bag is another than that of ROS.
struct UnknownDefinition: Error, CustomStringConvertible {
    var typeName: String
    var description: String { "another definition of \(typeName) than ROS has" }
}

extension RowDecoder {
    /// True if the first bytes of a picture are enough for its head.
    var readsHeads: Bool {
        serialization == .cdr && (type is CompiledKind<Image> || type is CompiledKind<CompressedImage>)
    }

    /// The message of a row as a type.
    func message<M: Message>(_ bytes: [UInt8], as type: M.Type) throws -> M {
        guard let message = try decode(bytes).compiled(as: type) else {
            throw UnknownDefinition(typeName: type.typeName)
        }
        return message
    }
}
