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

    /// True if a pose with this state may be trusted.
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
    /// The pose that the phone recorded, where `worldFromCamera` is a better one.
    package var uncorrectedWorldFromCamera: Transform?
    /// For the sensor's landscape grid.
    package var intrinsics: CameraIntrinsics
    package var tracking: TrackingState
    /// How the stored image is turned, as the session says; checked against the image when that is loaded.
    package var declaredOrientation: ImageOrientation?
    /// True if the frame's image file is there.
    package var hasImage: Bool
    /// The place of the frame's picture in a video, from 0, as the recording numbers it; `nil` where it is in none.
    package var videoRow: Int?
    /// The size of the depth grid; `nil` where there is no usable depth.
    package var depthSize: GridSize?
    /// The size of the relative depth grid; `nil` where there is no usable one.
    package var relativeDepthSize: GridSize?
    /// The size of depth as fine as the image; `nil` where none is made.
    package var denseDepthSize: GridSize?
    /// True if the depth that clouds and maps are made of is another than was recorded, and the frame has none of it.
    package var lacksChosenDepth = false
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

    /// True if the frame has the depth that clouds and maps are made of.
    package var hasDepth: Bool { depthSize != nil && !lacksChosenDepth }

    /// The pose that the phone recorded.
    package var recordedWorldFromCamera: Transform { uncorrectedWorldFromCamera ?? worldFromCamera }
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

/// A pinhole camera, and what its lens does to the image, for an image of `width` x `height` pixels.
///
/// Image coordinates count from the centre of the first pixel: whole numbers are centres of pixels, and the image covers
/// [-0.5, width - 0.5) x [-0.5, height - 0.5). ARKit's principal point is in that convention, as are OpenCV's and ROS's;
/// what counts from the image's corner (COLMAP, nerfstudio) takes `cx + 0.5`, `cy + 0.5`.
package struct CameraIntrinsics: Hashable, Sendable, BitwiseCopyable {
    package var width: Int
    package var height: Int
    package var fx: Double
    package var fy: Double
    package var cx: Double
    package var cy: Double
    /// Of the picture; `nil` for that of a pinhole.
    package var distortion: LensDistortion?

    package init(
        width: Int,
        height: Int,
        fx: Double,
        fy: Double,
        cx: Double,
        cy: Double,
        distortion: LensDistortion? = nil
    ) {
        self.width = width
        self.height = height
        self.fx = fx
        self.fy = fy
        self.cx = cx
        self.cy = cy
        self.distortion = distortion
    }

    package init(size: GridSize, fx: Double, fy: Double, cx: Double, cy: Double) {
        self.init(width: size.width, height: size.height, fx: fx, fy: fy, cx: cx, cy: cy)
    }

    package var size: GridSize { GridSize(width: width, height: height) }

    /// The same camera seen by a grid of another size over the same field of view, such as the depth map's.
    ///
    /// The borders of the two grids coincide, the centres of their first pixels do not: a pixel u of a grid whose pixels
    /// are s image pixels wide lies at (u + 0.5) s - 0.5 of the image.
    package func scaled(toWidth newWidth: Int, height newHeight: Int) -> CameraIntrinsics {
        // The numbers stay as they are, to their last digit.
        if newWidth == width, newHeight == height { return self }
        let sx = Double(newWidth) / Double(width)
        let sy = Double(newHeight) / Double(height)
        return CameraIntrinsics(
            width: newWidth,
            height: newHeight,
            fx: fx * sx,
            fy: fy * sy,
            cx: (cx + 0.5) * sx - 0.5,
            cy: (cy + 0.5) * sy - 0.5,
            distortion: distortion
        )
    }
}

/// An instant on the session's own clock: nanoseconds since the device booted.
///
/// The phone has no wall clock in its recordings; `Translation` adds one integer offset to get Unix time. All arithmetic is in
/// integers, so that products of one frame share bit-identical stamps.
package struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Seconds as a floating-point number, for display and for differences; not exact for large values.
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time from `earlier` to this instant, in seconds.
    package func seconds(since earlier: Timestamp) -> Double {
        Double(nanoseconds &- earlier.nanoseconds) / 1e9
    }

    /// This instant moved by a number of nanoseconds, saturating instead of trapping.
    package func advanced(byNanoseconds offset: Int64) -> Timestamp {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(offset)
        return Timestamp(nanoseconds: overflow ? (offset < 0 ? .min : .max) : sum)
    }
}

/// How ARKit chose the axes of its world, as the session says (`ARConfiguration.WorldAlignment`).
package enum WorldAlignment: String, Hashable, Sendable, CaseIterable {
    /// y is up; the heading is that of the phone when the recording began.
    case gravity
    /// y is up, x points east, z south.
    case gravityAndHeading = "gravity_and_heading"
    /// The axes of the camera when the recording began, which are not level.
    case camera
}
