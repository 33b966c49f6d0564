import Messages
import Platform

/// Image files inside of messages: what the format names, and decodable.
enum CompressedImageRules {
    /// In front of the file in a compressedDepth message: a format number and two quantisation parameters.
    static let depthHeaderBytes = 12
    /// Streams of pictures that depend on each other, and depth codes of their own: nothing to decode one by one.
    private static let streams = ["h264", "h265", "hevc", "av1", "vp8", "vp9", "theora", "rvl", "draco"]

    static func check(_ image: CompressedImage, _ options: BagCheckOptions, _ report: ContentRule.Report) {
        func undecodable(_ expected: String, _ found: String) {
            report(.error, .imageUndecodable, expected, found)
        }
        let format = image.format.lowercased()
        guard !streams.contains(where: format.contains) else {
            if image.data.isEmpty { undecodable("a picture", "no bytes") }
            return
        }
        guard let file = imageFile(in: image) else {
            return undecodable("a header of \(depthHeaderBytes) bytes and a PNG", "\(image.data.count) bytes")
        }
        guard let codec = ImageFileHeader.codec(of: file) else {
            return undecodable("an image file", "\(file.count) bytes of something else")
        }
        if !format.replacing("jpg", with: "jpeg").contains(codec.rawValue), !isDepth(image) {
            report(.warning, .imageFormat, "data as the format \"\(image.format)\" says", codec.rawValue)
        }
        guard codec == .jpeg || codec == .png else { return }
        if ImageFileHeader.size(of: file) == nil {
            undecodable("the head of a \(codec.rawValue) file", "none that says a size")
        } else if let problem = options.imageProblem?(Array(file), codec.rawValue) {
            undecodable("a \(codec.rawValue) file that decodes", problem)
        }
    }

    /// The image file without what image_transport puts in front of it; nil where that is cut.
    static func imageFile(in image: CompressedImage) -> ArraySlice<UInt8>? {
        guard isDepth(image) else { return image.data[...] }
        return image.data.count > depthHeaderBytes ? image.data[depthHeaderBytes...] : nil
    }

    private static func isDepth(_ image: CompressedImage) -> Bool {
        image.format.lowercased().contains("compresseddepth")
    }
}

/// Reads kind and size from the first bytes of an image file.
enum ImageFileHeader {
    enum Codec: String {
        case jpeg, png, webp, tiff, bmp, gif
    }

    struct Size: Hashable {
        var width: Int
        var height: Int
    }

    static func codec(of file: ArraySlice<UInt8>) -> Codec? {
        if file.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if file.starts(with: Array("RIFF".utf8)), file.dropFirst(8).starts(with: Array("WEBP".utf8)) { return .webp }
        if file.starts(with: [0x49, 0x49, 0x2A, 0x00]) || file.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
        if file.starts(with: Array("GIF8".utf8)) { return .gif }
        if file.starts(with: Array("BM".utf8)) { return .bmp }
        return nil
    }

    /// In pixels, of a JPEG or PNG file; nil where the file is of another kind or cut before it.
    static func size(of file: ArraySlice<UInt8>) -> Size? {
        switch codec(of: file) {
        case .jpeg: jpegSize(file)
        case .png: pngSize(file)
        default: nil
        }
    }

    /// IHDR is the first chunk: its length and name end at byte 16 (PNG specification, 5.6).
    private static func pngSize(_ file: ArraySlice<UInt8>) -> Size? {
        file.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes, .big)
            guard let width = reader.uint32(at: 16), let height = reader.uint32(at: 20) else { return nil }
            return Size(width: width, height: height)
        }
    }

    /// The frame header after marker SOF0 to SOF15, not counting DHT, JPG and DAC (ITU-T T.81, B.2.2).
    private static func jpegSize(_ file: ArraySlice<UInt8>) -> Size? {
        func number(_ offset: Int) -> Int { Int(file[offset]) << 8 | Int(file[offset + 1]) }
        var offset = file.startIndex + 2
        while offset + 4 <= file.endIndex {
            guard file[offset] == 0xFF else { return nil }
            let marker = file[offset + 1]
            if marker == 0xFF {
                offset += 1
                continue
            }
            if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                offset += 2
                continue
            }
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                guard offset + 9 <= file.endIndex else { return nil }
                return Size(width: number(offset + 7), height: number(offset + 5))
            }
            if marker == 0xD9 || marker == 0xDA { return nil }
            offset += 2 + max(2, number(offset + 2))
        }
        return nil
    }
}
