package import Recording

/// The pinhole camera in ARKit's axes: x right, y up, z back.
extension CameraIntrinsics {
    /// The direction in which a pixel looks, one metre deep.
    package func ray(_ pixel: SIMD2<Double>) -> Vector3 {
        Vector3((pixel.x - cx) / fx, -(pixel.y - cy) / fy, -1)
    }

    /// Where a point is seen; nil behind the camera.
    package func pixel(_ point: Vector3) -> SIMD2<Double>? {
        guard point.z < -1e-6 else { return nil }
        return SIMD2(cx - fx * point.x / point.z, cy + fy * point.y / point.z)
    }
}
