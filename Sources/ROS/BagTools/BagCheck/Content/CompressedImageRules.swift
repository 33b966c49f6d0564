import Messages

/// Image files inside of messages: what the format names, and decodable.
enum CompressedImageRules {
    /// In front of the file in a compressedDepth message: a format number and two quantisation parameters.
    static let depthHeaderBytes = 12
    /// Streams of pictures that depend on each other, and depth codes of their own: nothing to decode one by one.
    private static let streams = ["h264", "h265", "hevc", "av1", "vp8", "vp9", "theora", "rvl", "draco"]

    static func problems(of image: CompressedImage, _ options: BagCheckOptions) -> [ContentProblem] {
        let format = image.format.lowercased()
        guard !streams.contains(where: format.contains) else {
            return image.data.isEmpty ? [undecodable("a picture", "no bytes")] : []
        }
        guard let file = imageFile(in: image) else {
            let expected = "a header of \(depthHeaderBytes) bytes and a PNG"
            return [undecodable(expected, "\(image.data.count) bytes")]
        }
        guard let codec = ImageFileHeader.codec(of: file) else {
            return [undecodable("an image file", "\(file.count) bytes of something else")]
        }
        var problems: [ContentProblem] = []
        if !format.replacing("jpg", with: "jpeg").contains(codec.rawValue), !isDepth(image) {
            problems.append(
                ContentProblem(
                    .warning,
                    .imageFormat,
                    expected: "data as the format \"\(image.format)\" says",
                    found: codec.rawValue
                )
            )
        }
        if codec == .jpeg || codec == .png {
            if ImageFileHeader.size(of: file) == nil {
                problems.append(undecodable("the head of a \(codec.rawValue) file", "none that says a size"))
            } else if let problem = options.imageProblem?(Array(file), codec.rawValue) {
                problems.append(undecodable("a \(codec.rawValue) file that decodes", problem))
            }
        }
        return problems
    }

    /// The image file without what image_transport puts in front of it; nil where that is cut.
    static func imageFile(in image: CompressedImage) -> ArraySlice<UInt8>? {
        guard isDepth(image) else { return image.data[...] }
        return image.data.count > depthHeaderBytes ? image.data[depthHeaderBytes...] : nil
    }

    private static func isDepth(_ image: CompressedImage) -> Bool {
        image.format.lowercased().contains("compresseddepth")
    }

    private static func undecodable(_ expected: String, _ found: String) -> ContentProblem {
        ContentProblem(.error, .imageUndecodable, expected: expected, found: found)
    }
}
