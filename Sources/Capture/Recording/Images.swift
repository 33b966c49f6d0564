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
                    let r = 19_595 * UInt32(colour[3 * place])
                    let g = 38_470 * UInt32(colour[3 * place + 1])
                    let b = 7_471 * UInt32(colour[3 * place + 2])
                    gray[place] = UInt8((r + g + b + 32_768) >> 16)
                }
            }
            filled = count
        }
        self.init(width: image.width, height: image.height, pixels: pixels)
    }
}

/// Depth along the optical axis on a grid that covers the same view as the camera image.
package struct DepthMap: Sendable {
    package var width: Int
    package var height: Int
    /// Row-major, `width * height` values in metres; 0, negative, NaN and infinite values are invalid.
    package var metres: [Float]
    /// Row-major confidence, 0 low, 1 medium, 2 high; `nil` where the session has none for this frame.
    package var confidence: [UInt8]?

    package init(width: Int, height: Int, metres: [Float], confidence: [UInt8]? = nil) {
        self.width = width
        self.height = height
        self.metres = metres
        self.confidence = confidence
    }

    package var size: GridSize { GridSize(width: width, height: height) }
}

/// The output of a monocular model for one image: depth up to a per-image normalisation.
package struct RelativeDepthMap: Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Larger is nearer, as Depth Anything gives it.
        case inverseDepth = "inverse_depth"
        /// Larger is farther.
        case depth
    }

    package var width: Int
    package var height: Int
    package var kind: Kind
    /// Row-major, `width * height` values without unit.
    package var values: [Float]

    package init(width: Int, height: Int, kind: Kind, values: [Float]) {
        self.width = width
        self.height = height
        self.kind = kind
        self.values = values
    }
}

/// A depth map with the camera that saw it and where that was.
package struct DepthView: Sendable {
    package var depth: DepthMap
    /// For the sensor's landscape grid.
    package var intrinsics: CameraIntrinsics
    /// Camera axes: x right, y up, z backward.
    package var worldFromCamera: Transform

    package init(depth: DepthMap, intrinsics: CameraIntrinsics, worldFromCamera: Transform) {
        self.depth = depth
        self.intrinsics = intrinsics
        self.worldFromCamera = worldFromCamera
    }
}

/// How well the points of two views lie on one another in the world.
package struct ViewOverlap: Hashable, Sendable {
    /// How many points of the first view were tried.
    package var pointCount: Int
    /// How many of them lie in the field of view of the second camera.
    package var sharedCount: Int
    /// The median distance of those to the nearest point of the second view, in metres.
    package var medianMetres: Double
    /// How far apart neighbouring points of the second view are at the median distance: nothing finer can be seen.
    package var spacingMetres: Double

    package init(pointCount: Int, sharedCount: Int, medianMetres: Double, spacingMetres: Double) {
        self.pointCount = pointCount
        self.sharedCount = sharedCount
        self.medianMetres = medianMetres
        self.spacingMetres = spacingMetres
    }
}
