import Recording

/// What CoreMotion would report on the trajectory, in the device's axes and with its signs.
struct PhoneMotion {
    /// The reference frame's x axis is arbitrary: this far from the world's, in radians about the vertical.
    static let referenceYawRadians = 0.7

    /// x to the right edge, y to the top edge, z out of the screen, from the camera's axes: (y, -x, z).
    static let deviceFromCamera = Quaternion(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))

    let trajectory: Trajectory

    func sample(atSeconds time: Double, nanoseconds: Int64) -> MotionSample {
        let worldFromCamera = trajectory.worldFromCamera(atSeconds: time).rotation
        let deviceFromWorld = PhoneMotion.deviceFromCamera * worldFromCamera.inverse
        let acceleration = deviceFromWorld.rotating(trajectory.acceleration(atSeconds: time))
        return MotionSample(
            time: Timestamp(nanoseconds: nanoseconds),
            userAcceleration: acceleration / -MotionSample.standardGravity,
            rotationRate: PhoneMotion.deviceFromCamera.rotating(trajectory.angularVelocity(atSeconds: time)),
            gravity: deviceFromWorld.rotating(Vector3(0, -1, 0)),
            attitude: (PhoneMotion.referenceFromWorld * deviceFromWorld.inverse).normalized,
            magneticField: .zero
        )
    }

    /// From y up to z up, then the arbitrary turn.
    private static var referenceFromWorld: Quaternion {
        Quaternion(angleRadians: referenceYawRadians, axis: Vector3(0, 0, 1))
            * Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0))
    }

    /// Roll, pitch and yaw in radians: rotations about y, x and z, applied in the order roll, pitch, yaw.
    static func eulerAngles(_ attitude: Quaternion) -> [Double] {
        let (c0, c1, c2) = attitude.columns
        return [arcTangent(-c0.z, c2.z), arcSine(c1.z), arcTangent(-c1.x, c1.y)]
    }
}
