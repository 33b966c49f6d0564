/// How the axes of the phone's motion sensors and of its camera are related.
package enum DeviceAxes {
    /// CoreMotion device axes (portrait: x right, y to the top, z out of the screen) to the ARKit camera:
    /// x_c = -y_d, y_c = x_d, z_c = z_d.
    package static let cameraFromDevice = Transform(
        rotation: Quaternion(columns: Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
    )

    /// The angle in degrees between gravity as the IMU has it and as the camera's pose has it, 0 to 180.
    ///
    /// `nil` where the sample's gravity is too short, or too long, to be a direction.
    package static func gravityDisagreementDegrees(_ sample: MotionSample, _ worldFromCamera: Transform) -> Double? {
        let measured = cameraFromDevice.rotation.rotating(sample.gravity)
        let length = measured.length
        guard length > 0.5 else { return nil }
        let expected = worldFromCamera.rotation.inverse.rotating(Vector3(0, -1, 0))
        let sine = cross(measured, expected).length / length
        let cosine = dot(measured, expected) / length
        let degrees = arcTangent(sine, cosine) * 180 / .pi
        return degrees.isFinite ? degrees : nil
    }
}
