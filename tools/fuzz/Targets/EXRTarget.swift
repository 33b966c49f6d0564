import Codecs

extension FuzzTarget {
    /// An OpenEXR image of one channel.
    static let exr = FuzzTarget(
        name: "exr",
        seeds: {
            [(1, 1), (5, 3), (9, 20), (16, 33)].compactMap { width, height in
                let values = (0..<width * height).map { 1 + Float($0 / 3) * 0.25 }
                return try? EXREncoder.encode(width: width, height: height, values: values)
            }
        },
        dictionary: [
            "channels\u{0}chlist\u{0}", "compression\u{0}compression\u{0}", "dataWindow\u{0}box2i\u{0}",
            "lineOrder\u{0}lineOrder\u{0}", "\u{1}\u{0}\u{0}\u{0}", "\u{10}\u{0}\u{0}\u{0}",
        ],
        run: { input in
            guard let image = try? EXRImage(decoding: Array(input)) else { return }
            require(image.width > 0 && image.height > 0, "an image of no size")
            require(image.values.count == image.width * image.height, "an image with other values")
            let encoded = try? EXREncoder.encode(width: image.width, height: image.height, values: image.values)
            guard let encoded, let again = try? EXRImage(decoding: encoded) else {
                return require(false, "what is written is not read")
            }
            // Written as 16 bits: the second time nothing changes.
            let bytes = try? EXREncoder.encode(width: again.width, height: again.height, values: again.values)
            require(bytes == encoded, "what is written again is not the same")
        }
    )
}
