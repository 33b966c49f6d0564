import Recording

/// Which axes and frame names are published: what `--frames` chooses, and nothing else.
package enum FramePolicy: String, Sendable, Hashable, CaseIterable {
    /// REP-103 and REP-105: `map` with z up, body and optical frames.
    case ros
    /// The phone app's own: `map` with y up, `base_link` and images in the ARKit camera's axes.
    case app
}

extension FramePolicy {
    /// `base_link` from the ARKit camera.
    var baseFromCamera: Transform {
        switch self {
        case .ros: Coordinates.baseFromCamera
        case .app: .identity
        }
    }

    /// The frame of an image that is stored turned; the app has no optical frame.
    func imageFrame(_ orientation: ImageOrientation) -> String {
        switch self {
        case .ros: FrameName.optical(orientation)
        case .app: FrameName.camera
        }
    }

    /// The optical frames of turned images that the tree has.
    var turnedImageFrames: [ImageOrientation] {
        switch self {
        case .ros: ImageOrientation.allCases.filter { $0 != .landscapeRight }
        case .app: []
        }
    }

    /// The frame of a location fix.
    var locationFrame: String {
        switch self {
        case .ros: FrameName.gps
        case .app: FrameName.earth
        }
    }

    /// The meaning of the axes of `map` in a world that is aligned to heading, in the app's words.
    var axisConvention: String {
        switch self {
        case .ros: "x=east,y=north,z=up"
        case .app: "x=east,y=up,z=-north"
        }
    }
}
