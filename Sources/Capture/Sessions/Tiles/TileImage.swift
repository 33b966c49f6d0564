import Codecs
import Recording

/// What the bytes of a map tile are, as far as can be seen without decoding it.
struct TileImage {
    /// `nil` for what is no whole image of the format.
    let size: GridSize?
    /// The size, or what is wrong, in words.
    let text: String

    init(_ bytes: [UInt8], _ format: TileFormat) {
        do throws(CodecError) {
            (size, text) = try Self.inspect(bytes, format)
        } catch {
            size = nil
            let other = Self.name(of: bytes).flatMap { $0 == format.rawValue ? nil : ": it is \($0)" } ?? ""
            text = "\(error)" + other
        }
    }

    private static func inspect(_ bytes: [UInt8], _ format: TileFormat) throws(CodecError) -> (GridSize?, String) {
        let size: GridSize
        switch format {
        case .jpeg:
            let info = try JPEG.inspect(bytes)
            guard info.isComplete else { return (nil, "a JPEG without an end") }
            if let problem = info.structureProblem { return (nil, "\(problem)") }
            size = GridSize(width: info.width, height: info.height)
        case .png: size = try PNG.inspect(bytes)
        case .tiff: size = try TIFF.inspect(bytes)
        }
        return (size, "\(size.width)x\(size.height)")
    }

    static func format(of bytes: [UInt8]) -> TileFormat? { name(of: bytes).flatMap { TileFormat(rawValue: $0) } }

    /// What the first bytes stand for, by the usual signatures; `nil` for none of them.
    static func name(of bytes: [UInt8]) -> String? {
        func begins(_ signature: [UInt8], at place: Int = 0) -> Bool {
            bytes.dropFirst(place).starts(with: signature)
        }
        if begins([0x89, 0x50, 0x4E, 0x47]) { return TileFormat.png.rawValue }
        if begins([0xFF, 0xD8, 0xFF]) { return TileFormat.jpeg.rawValue }
        if begins(Array("II*\0".utf8)) || begins(Array("MM\0*".utf8)) { return TileFormat.tiff.rawValue }
        if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) { return "webp" }
        if begins([0x1F, 0x8B]) { return "gzip, as vector tiles are" }
        return nil
    }
}
