package import Recording
import Sessions

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

    /// Where the camera is in ARKit's world, from where the body is: ``mapFromBase(_:policy:)`` undone.
    package static func worldFromCamera(_ mapFromBase: Transform, policy: FramePolicy) -> Transform {
        switch policy {
        case .ros: mapFromWorld.inverse * mapFromBase * baseFromCamera
        case .app: mapFromBase
        }
    }

    /// Where a point in camera axes is in `map`.
    package static func mapFromCamera(_ worldFromCamera: Transform, policy: FramePolicy) -> Transform {
        policy == .ros ? mapFromWorld * worldFromCamera : worldFromCamera
    }
}

extension Georeference {
    /// Makes the georeference that the plan and the session give.
    ///
    /// A profile that takes an unknown heading as the app does takes the app's origin too.
    ///
    /// - Throws: ``PlanError/tiltedWorld`` where a heading is given for a world that is not level.
    init(_ session: any Session, plan: ReplayPlan) throws {
        let isAsTheApp = plan.profile.conventions.heading == .assumed
        if plan.headingDegrees != nil, session.summary.worldAlignment == .camera { throw PlanError.tiltedWorld }
        try self.init(
            session,
            GeoreferenceRequest(
                mode: plan.georeference ?? (isAsTheApp ? .firstFix : .auto),
                headingDegrees: plan.headingDegrees,
                assumesHeading: isAsTheApp
            ),
            heights: plan.heights
        )
    }

    /// `earth` (ECEF) from `map`, with the axes of `--frames`.
    func earthFromMap(_ policy: FramePolicy) -> Transform? {
        switch policy {
        case .ros: earthFromWorld.map { $0 * Coordinates.mapFromWorld.inverse }
        case .app: earthFromWorld
        }
    }
}

extension ReplayPlan {
    /// Where heights of fixes above the ellipsoid come from.
    var heights: FixHeights {
        FixHeights(geoid: geoid, takesSeaLevel: profile.conventions.location == .app)
    }
}
