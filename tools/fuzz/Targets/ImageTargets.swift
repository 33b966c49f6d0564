import Codecs
import Recording

extension FuzzTarget {
    /// The decoder at an eighth against libjpeg-turbo: the same pixels, or the same refusal.
    static let jpeg = FuzzTarget(
        name: "jpeg",
        seeds: { jpegSeeds },
        dictionary: [
            "\u{0}\u{10}JFIF", "\u{0}\u{11}\u{8}", "\u{0}\u{C}\u{3}\u{1}", "\u{0}\u{4}\u{0}\u{5}", "\u{0}\u{2}", "Exif",
        ],
        run: { input in
            let bytes = Array(input)
            let info = Result { () throws(CodecError) in try JPEG.inspect(bytes) }
            // Decoders are kept by a session's worker: here they are new, so that an input says all there is to say.
            guard let own = try? JPEGDecoder(limits: limits), let lenient = try? JPEGDecoder(allowTruncated: true),
                let library = try? JPEGDecoder(limits: limits, usesDCOnlyDecoder: false)
            else { return require(false, "no decoder") }
            let image = Result { () throws(CodecError) in try own.decode(bytes, eighths: 1) }
            let expected = Result { () throws(CodecError) in try library.decode(bytes, eighths: 1) }
            switch (image, expected) {
            case (.success(let image), .success(let expected)):
                let isSame = image.width == expected.width && image.height == expected.height
                require(isSame && image.pixels == expected.pixels, "other pixels than libjpeg-turbo's")
            case (.failure(let error), .failure(let expected)):
                require(error == expected, "refused with \(error), by libjpeg-turbo with \(expected)")
            case (.success, .failure(let error)):
                require(false, "libjpeg-turbo alone refuses: \(error)")
            case (.failure(let error), .success):
                require(false, "libjpeg-turbo alone accepts: \(error)")
            }
            if case .success(let image) = image {
                guard case .success(let info) = info else { return require(false, "decoded, but not inspected") }
                let isSize = image.width == (info.width + 7) / 8 && image.height == (info.height + 7) / 8
                require(isSize && image.pixels.count == 3 * image.width * image.height, "an image of another size")
                _ = try? library.decode(bytes)
            }
            if case .success(let info) = info, info.width * info.height < 1 << 18 { _ = try? lenient.decode(bytes) }
        }
    )

    /// A PNG: its header, and its pixels or samples where it is colour or grey.
    static let png = FuzzTarget(
        name: "png",
        seeds: {
            let grey = try? PNG16.encode(width: 3, height: 2, samples: [0, 1, 2, 300, 65_535, 5])
            // Rows that take more than one piece of decompression.
            let tall = try? PNG16.encode(width: 300, height: 150, samples: (0..<45_000).map { UInt16($0 & 0x1FF) })
            let colour = try? PNG.encode(RGBImage(width: 2, height: 2, pixels: Array(0..<12)))
            return [grey, tall, colour].compactMap { $0 }
        },
        dictionary: ["IHDR", "IDAT", "IEND", "\u{0}\u{0}\u{0}\u{D}"],
        run: { input in
            let image = try? PNGImage(decoding: Array(input))
            let grey = try? PNGGrid<UInt8>(decoding: Array(input))
            let deep = try? PNGGrid<UInt16>(decoding: Array(input))
            guard let size = try? PNG.inspect(Array(input)) else {
                return require(image == nil && grey == nil && deep == nil, "decoded without a header")
            }
            require(size.width > 0 && size.height > 0, "an image of no size")
            for count in [grey.map { $0.samples.count }, deep.map { $0.samples.count }].compactMap({ $0 }) {
                require(count == size.count, "\(count) samples for \(size.count)")
            }
            if let deep {
                let again = try? PNG16.encode(width: size.width, height: size.height, samples: deep.samples)
                let read = again.flatMap { try? PNGGrid<UInt16>(decoding: $0) }
                require(read?.samples == deep.samples, "what is written is not read")
            }
            guard let image else { return }
            require(image.width == size.width && image.height == size.height, "an image of another size")
            require(image.pixels.count == size.width * size.height * image.channels, "an image with other pixels")
        }
    )

    /// A TIFF, as tiles of elevations have it: its directory, and its heights where they are plain.
    static let tiff = FuzzTarget(
        name: "tiff",
        seeds: {
            let header: [UInt8] = Array("II*".utf8) + [0, 8, 0, 0, 0, 4, 0]
            let entries: [[UInt8]] = [[0, 1], [1, 1], [17, 1], [23, 1]].map { $0 + [3, 0, 1, 0, 0, 0, 1, 0, 0, 0] }
            let plain: [[UInt8]] = [[2, 1, 32], [83, 1, 3]].map { [$0[0], $0[1], 3, 0, 1, 0, 0, 0, $0[2], 0, 0, 0] }
            let heights: [UInt8] = Array("II*".utf8) + [0, 8, 0, 0, 0, 6, 0]
            let place: [[UInt8]] = [[0, 1, 1], [1, 1, 1], [17, 1, 0], [23, 1, 4]].map {
                [$0[0], $0[1], 3, 0, 1, 0, 0, 0, $0[2], 0, 0, 0]
            }
            return [
                header + entries.joined() + [0, 0, 0, 0, 7],
                heights + (place + plain).joined() + [0, 0, 0, 0, 0, 0, 0, 0],
            ]
        },
        dictionary: ["II*\u{0}", "MM\u{0}*"],
        run: { input in
            let raster = try? ElevationRaster(Array(input), .float32)
            guard let size = try? TIFF.inspect(Array(input)) else {
                return require(raster == nil, "heights of no image")
            }
            require(size.width > 0 && size.height > 0, "an image of no size")
            guard let raster else { return }
            require(raster.size == size, "heights of another size")
            let height = raster.metres(x: Double(size.width) / 2, y: Double(size.height) / 2)
            require(height.map { abs($0) <= 12_000 } ?? true, "a height above all mountains")
        }
    )

    /// Small enough for many images a second, and for libFuzzer's limit of one allocation.
    private static var limits: JPEGDecoder.Limits {
        var limits = JPEGDecoder.Limits()
        limits.maximumSide = 1024
        limits.maximumPixels = 1 << 18
        return limits
    }

    /// Images of odd and even sizes, as the encoder makes them, and one with restart markers.
    private static var jpegSeeds: [[UInt8]] {
        [(16, 16), (17, 23), (40, 33), (64, 48)].flatMap { width, height in
            [20, 90].compactMap { quality in
                let pixels = (0..<3 * width * height).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 4) &* 7) }
                let image = RGBImage(width: width, height: height, pixels: pixels)
                return try? JPEGEncoder().encode(image, quality: quality)
            }
        }
    }
}
