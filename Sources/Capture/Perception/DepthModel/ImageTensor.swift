import Recording

/// How a network wants its colours: `(value / 255 - mean) / deviation` for red, green and blue.
struct ColourNormalisation: Hashable {
    var mean: SIMD3<Float>
    var deviation: SIMD3<Float>

    /// The statistics of ImageNet, which Depth Anything and most others have.
    static let imageNet = ColourNormalisation(
        mean: SIMD3(0.485, 0.456, 0.406),
        deviation: SIMD3(0.229, 0.224, 0.225)
    )
    /// From 0 to 1.
    static let unit = ColourNormalisation(mean: .zero, deviation: .one)
    /// From -1 to 1.
    static let symmetric = ColourNormalisation(mean: SIMD3(repeating: 0.5), deviation: SIMD3(repeating: 0.5))
}

/// An image as the input of a network.
enum ImageTensor {
    /// The image resampled and normalised: all red values, then all green, then all blue, each row-major.
    ///
    /// Both images cover the same view. Along an axis on which the image shrinks, a value is the mean over the area of
    /// its pixel; on one on which it grows, values are interpolated between the centres of pixels.
    ///
    /// - Precondition: `image` has its `3 * width * height` bytes and at least one pixel, and so has `size`.
    static func planes(_ image: RGBImage, _ size: GridSize, _ normalisation: ColourNormalisation) -> [Float] {
        let across = ResamplingTaps(from: image.width, to: size.width)
        let down = ResamplingTaps(from: image.height, to: size.height)
        let scale = 1 / (255 * normalisation.deviation)
        let offset = -normalisation.mean / normalisation.deviation
        let rowLength = 3 * image.width
        return [Float](unsafeUninitializedCapacity: 3 * size.count) { planes, filled in
            // Rows first: a sum of whole rows of bytes is the fastest part.
            withUnsafeTemporaryAllocation(of: Float.self, capacity: rowLength) { row in
                image.pixels.withUnsafeBufferPointer { pixels in
                    for y in 0..<size.height {
                        row.update(repeating: 0)
                        for (index, weight) in down.taps(y) {
                            let start = index * rowLength
                            for place in 0..<rowLength { row[place] += weight * Float(pixels[start &+ place]) }
                        }
                        for x in 0..<size.width {
                            var colour = SIMD3<Float>.zero
                            for (index, weight) in across.taps(x) {
                                colour += weight * SIMD3(row[3 * index], row[3 * index + 1], row[3 * index + 2])
                            }
                            colour = colour * scale + offset
                            let place = y * size.width + x
                            for channel in 0..<3 { planes[channel * size.count + place] = colour[channel] }
                        }
                    }
                }
            }
            filled = 3 * size.count
        }
    }
}

/// Which values along one axis make a value of the resampled axis, and with what weights, which sum to 1.
struct ResamplingTaps {
    private var firsts: [Int] = []
    /// Where the weights of each value begin; one more than there are values.
    private var starts: [Int] = [0]
    private var weights: [Float] = []

    init(from source: Int, to target: Int) {
        let scale = Double(source) / Double(target)
        for index in 0..<target {
            if source > target {
                let (begin, end) = (Double(index) * scale, Double(index + 1) * scale)
                let first = min(source - 1, Int(begin))
                let last = min(source - 1, max(first, Int(end.rounded(.up)) - 1))
                firsts.append(first)
                for place in first...last {
                    weights.append(Float((min(end, Double(place + 1)) - max(begin, Double(place))) / scale))
                }
            } else {
                let centre = min(max(0, (Double(index) + 0.5) * scale - 0.5), Double(source - 1))
                let first = Int(centre)
                let share = Float(centre - Double(first))
                firsts.append(first)
                weights += share > 0 && first + 1 < source ? [1 - share, share] : [1]
            }
            starts.append(weights.count)
        }
    }

    /// The places on the source's axis with their weights.
    func taps(_ index: Int) -> some Sequence<(Int, Float)> {
        let start = starts[index]
        let first = firsts[index]
        return (start..<starts[index + 1]).lazy.map { (first + $0 - start, weights[$0]) }
    }
}
