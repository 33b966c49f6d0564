import Recording
import TestSupport

/// Pictures with edges, slopes and noise, made without any codec.
enum TestImages {
    static func textured(width: Int, height: Int, seed: UInt64 = 1, noise: Int = 12) -> RGBImage {
        var generator = SeededRandomNumbers(seed: seed)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                let checker = (x / 24 + y / 18) % 2 == 0 ? 60 : 0
                let random = Int(generator.next() % UInt64(2 * noise + 1)) - noise
                let channels = [
                    40 + 160 * x / width + checker / 2 + random,
                    60 + 120 * y / height + checker + random,
                    200 - 100 * (x + y) / (width + height) - checker + random,
                ]
                pixels += channels.map { UInt8(max(0, min(255, $0))) }
            }
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    /// The mean and the largest absolute difference of two images of one size.
    static func difference(_ a: [UInt8], _ b: [UInt8]) -> (mean: Double, maximum: Int) {
        var sum = 0
        var maximum = 0
        for (x, y) in zip(a, b) {
            let difference = abs(Int(x) - Int(y))
            sum += difference
            maximum = max(maximum, difference)
        }
        return (Double(sum) / Double(max(1, a.count)), maximum)
    }
}
