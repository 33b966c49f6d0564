/// Why bytes could not be read or written as one of these.
package struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Codec: String, Hashable, Sendable {
        case numPy = "NumPy"
        case jpeg = "JPEG"
        case png = "PNG"
        case tiff = "TIFF"
        case zip = "ZIP"
        case tar = "TAR"
        case gtx = "GTX"
        case lzfse = "LZFSE"
        case exr = "EXR"
        case raw = "raw array"
    }

    package var codec: Codec
    /// Where in the input the problem is; `nil` where the place is not known.
    package var byteOffset: Int?
    /// The expected data and the data that was found.
    package var reason: String

    package init(_ codec: Codec, at byteOffset: Int? = nil, _ reason: String) {
        self.codec = codec
        self.byteOffset = byteOffset
        self.reason = reason
    }

    package var description: String {
        guard let byteOffset else { return "\(codec.rawValue): \(reason)" }
        return "\(codec.rawValue): byte \(byteOffset): \(reason)"
    }
}
