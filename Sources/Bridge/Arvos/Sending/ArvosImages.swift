import Codecs
import Recording

/// Images that fit into a message.
final class ArvosImages {
    private let decoder = try? JPEGDecoder()
    private let encoder = try? JPEGEncoder()

    struct Fitting {
        var bytes: [UInt8]
        var width: Int
        var height: Int
        var isShrunk = false
    }

    /// The image as it is, or encoded again with less quality and, if need be, half the size; nil for what is no JPEG.
    func fitting(_ bytes: [UInt8], limit: Int) -> Fitting? {
        guard let info = try? JPEG.inspect(bytes) else { return nil }
        guard bytes.count > limit else { return Fitting(bytes: bytes, width: info.width, height: info.height) }
        guard var image = try? decoder?.decode(bytes) else { return nil }
        for _ in 0..<6 {
            for quality in [85, 70, 50] {
                guard let smaller = try? encoder?.encode(image, quality: quality) else { return nil }
                if smaller.count <= limit {
                    return Fitting(bytes: smaller, width: image.width, height: image.height, isShrunk: true)
                }
            }
            guard image.width > 1, image.height > 1 else { return nil }
            image = image.halved
        }
        return nil
    }
}

extension RGBImage {
    /// Each pixel the mean of four; an odd row or column at the end is left out.
    fileprivate var halved: RGBImage {
        var result = RGBImage(width: width / 2, height: height / 2, pixels: [])
        result.pixels.reserveCapacity(3 * result.width * result.height)
        for y in 0..<result.height {
            for x in 0..<result.width {
                for channel in 0..<3 {
                    let place = 3 * (2 * y * width + 2 * x) + channel
                    let sum =
                        Int(pixels[place]) + Int(pixels[place + 3]) + Int(pixels[place + 3 * width])
                        + Int(pixels[place + 3 * width + 3])
                    result.pixels.append(UInt8((sum + 2) / 4))
                }
            }
        }
        return result
    }
}
