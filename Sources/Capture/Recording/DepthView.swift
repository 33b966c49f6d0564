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
