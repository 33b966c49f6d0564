package import Recording

/// The image of a frame as it is stored: the bytes of a JPEG or PNG, checked but not decoded.
package struct StoredImage: Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpeg
        case png

        package var name: String { rawValue.uppercased() }

        package var fileExtension: String { self == .jpeg ? "jpg" : "png" }

        /// The first bytes of such a file.
        var signature: [UInt8] {
            self == .jpeg ? [0xFF, 0xD8, 0xFF] : [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        }
    }

    /// At which part of its size an image gives colours to a depth grid: 8 for an eighth, 1 for all of it.
    ///
    /// An eighth of a phone's photo is about as fine as its depth; an eighth of a small picture mixes what many depth
    /// pixels saw.
    package func colourScale(depthWidth: Int, depthHeight: Int) -> Int {
        max(width, height) < 6 * max(depthWidth, depthHeight) ? 1 : 8
    }

    package var bytes: [UInt8]
    package var format: Format
    package var width: Int
    package var height: Int
    /// How the image is turned against the sensor's grid, decided for this frame.
    package var orientation: ImageOrientation

    package init(
        bytes: [UInt8],
        format: Format = .jpeg,
        width: Int,
        height: Int,
        orientation: ImageOrientation
    ) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
    }
}
