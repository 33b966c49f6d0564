/// A decoded image of brightness alone, a byte a pixel, rows without padding.
package struct GrayImage: Sendable {
    package var width: Int
    package var height: Int
    /// Row-major, `width * height` bytes.
    package var pixels: [UInt8]

    package init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// The brightness of a colour image (ITU-R BT.601, as JPEG has it).
    package init(_ image: RGBImage) {
        let count = image.pixels.count / 3
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { gray, filled in
            image.pixels.withUnsafeBufferPointer { colour in
                for place in 0..<count {
                    let (r, g, b) = (
                        UInt32(colour[3 * place]), UInt32(colour[3 * place + 1]), UInt32(colour[3 * place + 2])
                    )
                    gray[place] = UInt8((19_595 * r + 38_470 * g + 7_471 * b + 32_768) >> 16)
                }
            }
            filled = count
        }
        self.init(width: image.width, height: image.height, pixels: pixels)
    }
}
