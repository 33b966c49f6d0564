/// A decoded colour image, three bytes a pixel, rows without padding.
package struct RGBImage: Sendable {
    package var width: Int
    package var height: Int
    /// R, G, B for each pixel, row-major: `3 * width * height` bytes.
    package var pixels: [UInt8]

    package init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}
