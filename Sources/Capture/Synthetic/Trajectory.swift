package import Recording

/// A smooth walk, known at every instant: sums of sines, so that all derivatives exist.
package struct Trajectory: Sendable {
    private let walk: SampleWalk
    /// How the phone is turned about the optical axis.
    private let hold: Quaternion
    /// How the path is walked.
    private let pace: Pace

    /// How far along the path the camera is at a time.
    package enum Pace: Hashable, Sendable {
        /// One second of path a second.
        case steady
        /// Forth and back over a part of the path, with a smooth turn at both ends.
        case swinging(halfPeriodSeconds: Double)
    }

    /// - Parameter orientation: In the portrait orientations the phone is held so that the stored image is upright.
    package init(_ walk: SampleWalk = .room, orientation: ImageOrientation, pace: Pace) {
        let angle: Double =
            switch orientation {
            case .landscapeRight, .landscapeLeft: 0
            case .portrait: -.pi / 2
            case .portraitUpsideDown: .pi / 2
            }
        hold = Quaternion(angleRadians: angle, axis: Vector3(0, 0, 1))
        self.pace = pace
        self.walk = walk
    }

    /// The camera's pose a number of seconds after the first frame.
    package func worldFromCamera(atSeconds time: Double) -> Transform {
        let s = pathSeconds(at: time)
        let (way, yaw, tilt) = walk.way(atSeconds: s)
        let pitch = tilt + 0.10 * sine(0.71 * s + 0.4)
        let roll = 0.035 * sine(1.13 * s + 1.1)
        let rotation =
            Quaternion(angleRadians: yaw, axis: Vector3(0, 1, 0))
            * Quaternion(angleRadians: pitch, axis: Vector3(1, 0, 0))
            * Quaternion(angleRadians: roll, axis: Vector3(0, 0, 1))
        let steps = Vector3(0.012 * sine(5.6 * s), 0.03 * sine(0.9 * s) + 0.009 * sine(11.2 * s), 0)
        return Transform(rotation: (rotation * hold).normalized, translation: way + steps)
    }

    /// The acceleration of the camera in the world, in m/s^2.
    package func acceleration(atSeconds time: Double) -> Vector3 {
        let h = 1e-3
        let before = worldFromCamera(atSeconds: time - h).translation
        let here = worldFromCamera(atSeconds: time).translation
        let after = worldFromCamera(atSeconds: time + h).translation
        return (after - 2 * here + before) / (h * h)
    }

    /// The velocity of the camera in the world, in m/s.
    package func velocity(atSeconds time: Double) -> Vector3 {
        let h = 1e-4
        let before = worldFromCamera(atSeconds: time - h).translation
        let after = worldFromCamera(atSeconds: time + h).translation
        return (after - before) / (2 * h)
    }

    /// The angular velocity in the camera's own axes, in rad/s.
    package func angularVelocity(atSeconds time: Double) -> Vector3 {
        let h = 1e-4
        let before = worldFromCamera(atSeconds: time - h).rotation
        let after = worldFromCamera(atSeconds: time + h).rotation
        return (before.inverse * after).rotationVector / (2 * h)
    }

    private func pathSeconds(at time: Double) -> Double {
        switch pace {
        case .steady: time
        // A single image shows a camera that stands still.
        case .swinging(let half) where half <= 0: 0
        case .swinging(let half): 0.4 * half * (1 - cosine(.pi * time / half))
        }
    }
}
