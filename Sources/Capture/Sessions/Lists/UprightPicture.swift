import Recording

/// Pictures that an app has turned by 90 degrees clockwise, with their cameras: what the sensor's landscape image has instead.
enum UprightPicture {
    /// The axes of the landscape image in those of the upright one: its x points down there, its y to the right.
    static let fromLandscape = Quaternion(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))

    /// The camera of the landscape image, by that of the upright one.
    static func landscape(_ picture: CameraIntrinsics) -> CameraIntrinsics {
        CameraIntrinsics(
            width: picture.height,
            height: picture.width,
            fx: picture.fy,
            fy: picture.fx,
            cx: picture.cy,
            cy: Double(picture.width - 1) - picture.cx
        )
    }
}
