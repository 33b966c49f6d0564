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
}

/// What a monocular model gave for one image: depth up to a per-image normalisation.
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
