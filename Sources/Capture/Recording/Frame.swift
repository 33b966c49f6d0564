/// How well ARKit knew where it was when the frame was taken.
package enum TrackingState: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case normal
    case limitedMotion = "limited_motion"
    case limitedFeatures = "limited_features"
    case initializing
    case relocalizing
    case limited
    case notAvailable = "not_available"
    /// The session did not say.
    case unknown

    /// Whether a pose with this state may be trusted.
    package var isNormal: Bool { self == .normal || self == .unknown }
}

/// One camera frame: everything about it that is small.
///
/// Its payloads stay in the session until they are loaded.
package struct FrameReference: Sendable, BitwiseCopyable {
    /// The number in the names of the frame's files.
    package var index: Int
    /// The line or place in the file of frames, from 1.
    package var line: Int
    package var time: Timestamp
    /// Camera axes: x right, y up, z backward, in the sensor's landscape grid; world axes: y up.
    package var worldFromCamera: Transform
    /// For the sensor's landscape grid.
    package var intrinsics: CameraIntrinsics
    package var tracking: TrackingState
    /// How the stored image is turned, as the session says; checked against the image when that is loaded.
    package var declaredOrientation: ImageOrientation?
    /// Whether the frame's image file is there.
    package var hasImage: Bool
    /// The place of the frame's picture in a video, from 0, as the recording numbers it; `nil` where it is in none.
    package var videoRow: Int?
    /// The size of the depth grid; `nil` where the frame has no depth.
    package var depthSize: GridSize?
    /// The size of the relative depth grid; `nil` where the frame has none.
    package var relativeDepthSize: GridSize?
    package var exposureSeconds: Double?
    package var sharpness: Double?

    package init(
        index: Int,
        line: Int,
        time: Timestamp,
        worldFromCamera: Transform,
        intrinsics: CameraIntrinsics,
        tracking: TrackingState,
        declaredOrientation: ImageOrientation? = nil,
        hasImage: Bool = true,
        videoRow: Int? = nil,
        depthSize: GridSize? = nil,
        relativeDepthSize: GridSize? = nil,
        exposureSeconds: Double? = nil,
        sharpness: Double? = nil
    ) {
        self.index = index
        self.line = line
        self.time = time
        self.worldFromCamera = worldFromCamera
        self.intrinsics = intrinsics
        self.tracking = tracking
        self.declaredOrientation = declaredOrientation
        self.hasImage = hasImage
        self.videoRow = videoRow
        self.depthSize = depthSize
        self.relativeDepthSize = relativeDepthSize
        self.exposureSeconds = exposureSeconds
        self.sharpness = sharpness
    }
}

/// The number of columns and rows of a grid.
package struct GridSize: Hashable, Sendable, BitwiseCopyable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var count: Int { width * height }
}
