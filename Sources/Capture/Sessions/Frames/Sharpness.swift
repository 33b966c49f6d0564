package import Recording

/// How sharp a picture is, as the phone app measures it.
package enum Sharpness {
    /// What the phone app asks of a frame that it keeps.
    package static let appMinimum = 80.0

    /// The variance of the Laplacian of four neighbours, on each fourth pixel of each fourth row of the brightness.
    ///
    /// Nothing is smoothed before; the border, which has no Laplacian, counts as 0. `nil` for less than three pixels a side.
    package static func variance(of image: GrayImage) -> Double? {
        let (width, height) = ((image.width + 3) / 4, (image.height + 3) / 4)
        guard width >= 3, height >= 3, image.pixels.count == image.width * image.height else { return nil }
        var (sum, squares) = (0, 0)
        image.pixels.withUnsafeBufferPointer { pixels in
            func value(_ x: Int, _ y: Int) -> Int { Int(pixels[4 * y * image.width + 4 * x]) }
            for y in 1..<height - 1 {
                for x in 1..<width - 1 {
                    let across = value(x - 1, y) + value(x + 1, y)
                    let laplacian = across + value(x, y - 1) + value(x, y + 1) - 4 * value(x, y)
                    sum += laplacian
                    squares += laplacian * laplacian
                }
            }
        }
        let count = Double(width * height)
        let mean = Double(sum) / count
        return Double(squares) / count - mean * mean
    }
}
