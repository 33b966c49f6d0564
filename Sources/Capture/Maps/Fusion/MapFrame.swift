package import PointClouds
package import Recording

/// A depth map that is ready to be fused: any task can make it, and workers share it.
package final class MapFrame: Sendable {
    /// For the depth grid, whose pixels are at whole numbers.
    let camera: CameraIntrinsics
    /// Camera axes: x right, y up, z backward.
    let worldFromCamera: Transform
    /// Metres along the optical axis, `invalid` where nothing was measured.
    ///
    /// The lowest bit tells high confidence.
    let depth: [Float]
    /// 0x00RRGGBB of each pixel; `nil` without an image.
    let colours: [UInt32]?

    /// So far behind the camera that no voxel is near it.
    static let invalid: Float = -1e9
    /// More pixels have no exact number in a Float while they are computed.
    static let maximumPixels = 1 << 22

    private init(_ frame: MapFrame, worldFromCamera: Transform) {
        (camera, depth, colours) = (frame.camera, frame.depth, frame.colours)
        self.worldFromCamera = worldFromCamera
    }

    /// The same seen from elsewhere.
    func moved(by way: Vector3) -> MapFrame {
        let pose = worldFromCamera
        return MapFrame(self, worldFromCamera: Transform(rotation: pose.rotation, translation: pose.translation + way))
    }

    /// `nil` where the grid has too many pixels.
    package init?(_ samples: DepthSamples, worldFromCamera: Transform) {
        guard samples.metres.count <= Self.maximumPixels else { return nil }
        camera = samples.camera
        self.worldFromCamera = worldFromCamera
        colours = samples.colours
        depth = zip(samples.metres, samples.confidence).map { metres, confidence in
            guard metres > 0 else { return Self.invalid }
            return Float(bitPattern: metres.bitPattern & ~1 | (confidence >= 2 ? 1 : 0))
        }
    }
}
