package import Recording

// Every change of axes between the recording and ROS, in one place. docs/coordinates.md derives each.

package enum Coordinates {
    private static let half = (0.5).squareRoot()

    /// ARKit world (y up, z toward the viewer) to map (z up): x_m = x_w, y_m = -z_w, z_m = y_w.
    package static let mapFromWorld = Transform(rotation: Quaternion(x: half, y: 0, z: 0, w: half))

    /// ARKit camera (x right, y up, z backward) to its optical frame (x right, y down, z forward): (x, -y, -z).
    package static let opticalFromCamera = Transform(rotation: Quaternion(x: 1, y: 0, z: 0, w: 0))

    /// ARKit camera to body (x forward, y left, z up): x_b = -z_c, y_b = -x_c, z_b = y_c.
    package static let baseFromCamera = Transform(
        rotation: Quaternion(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0))
    )

    /// The optical frame of an image as it is stored, turned against the sensor's, in the sensor's optical frame.
    ///
    /// Columns are the stored image's axes: its x to the right, its y down, z forward.
    package static func sensorOpticalFromStoredOptical(_ orientation: ImageOrientation) -> Transform {
        let columns: (Vector3, Vector3) =
            switch orientation {
            case .landscapeRight: (Vector3(1, 0, 0), Vector3(0, 1, 0))
            case .landscapeLeft: (Vector3(-1, 0, 0), Vector3(0, -1, 0))
            case .portrait: (Vector3(0, -1, 0), Vector3(1, 0, 0))
            case .portraitUpsideDown: (Vector3(0, 1, 0), Vector3(-1, 0, 0))
            }
        return Transform(rotation: Quaternion(columns: columns.0, columns.1, Vector3(0, 0, 1)))
    }

    /// Where the body is, from where ARKit says the camera is.
    package static func mapFromBase(_ worldFromCamera: Transform, policy: FramePolicy) -> Transform {
        switch policy {
        case .ros: mapFromWorld * worldFromCamera * baseFromCamera.inverse
        case .app: worldFromCamera
        }
    }

    /// Where a point in camera axes is in `map`.
    package static func mapFromCamera(_ worldFromCamera: Transform, policy: FramePolicy) -> Transform {
        policy == .ros ? mapFromWorld * worldFromCamera : worldFromCamera
    }
}
