import Recording

/// How values are written into messages: set by the profile, not by options.
///
/// The axes are the exception: `--frames` sets them, and only them.
package struct Conventions: Sendable, Hashable {
    package var axes: FramePolicy
    package var imu = ImuConvention.ros
    package var location = LocationConvention.ros
    package var cloudColour = CloudColour.float32
    package var cloudFrame = CloudFrame.map
    package var imageFormat = ImageFormat.imageTransport
    package var relativeDepth = RelativeDepthConvention.robust
    package var heading = HeadingConvention.known

    /// Those of ROS: REP-103, REP-105, REP-145 and the comments of the messages.
    package static let ros = Conventions(axes: .ros)

    /// Those of the phone app, as its readers expect them.
    package static let app: Conventions = {
        var conventions = Conventions(axes: .app)
        conventions.imu = .app
        conventions.location = .app
        conventions.cloudColour = .uint32
        conventions.imageFormat = .bare
        conventions.relativeDepth = .app
        conventions.heading = .assumed
        return conventions
    }()
}

/// Sign and unit of the IMU's acceleration, and what is said of its orientation.
package enum ImuConvention: String, Sendable, Hashable, CaseIterable {
    /// Specific force in multiples of 9.80665 m/s², with the covariance of the orientation (REP-145).
    case ros
    /// CoreMotion's sign in multiples of 9.81 m/s², no covariance; with the app's axes the frame is `iphone_camera`.
    case app
}

/// Altitude, status and covariance of a fix.
package enum LocationConvention: String, Sendable, Hashable, CaseIterable {
    /// Above the ellipsoid or NaN; every place is a fix; an accuracy is a radius of 68 %.
    case ros
    /// Above the sea; no fix without an accuracy; an accuracy is one standard deviation of each axis.
    case app
}

/// The datatype by which the colour of a point is announced; its bytes are the same.
package enum CloudColour: String, Sendable, Hashable, CaseIterable {
    case float32
    case uint32
}

/// The frame of a metric cloud.
package enum CloudFrame: String, Sendable, Hashable, CaseIterable {
    /// As the phone publishes it.
    case map
    /// As sensors publish it: a costmap or an octree traces rays from the origin of a cloud's frame.
    case sensor
}

/// How `format` of a compressed image is written.
package enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// `rgb8; jpeg compressed bgr8`, which image_transport reads.
    case imageTransport = "image_transport"
    /// `jpeg`.
    case bare

    func text(_ coding: String) -> String {
        switch self {
        case .imageTransport: "rgb8; \(coding) compressed bgr8"
        case .bare: coding
        }
    }
}

/// How relative depth is fitted, and how dense its cloud is.
package enum RelativeDepthConvention: String, Sendable, Hashable, CaseIterable {
    /// A robust fit, and as dense as the metric cloud.
    case robust
    /// The app's fit, and every pixel.
    case app
}

/// The treatment of a world whose heading is not known.
package enum HeadingConvention: String, Sendable, Hashable, CaseIterable {
    /// No place on the Earth without a known heading.
    case known
    /// The world is taken as aligned to heading, which the app's own recordings are.
    case assumed
}

/// Which axes and frame names are published: what `--frames` chooses, and nothing else.
package enum FramePolicy: String, Sendable, Hashable, CaseIterable {
    /// REP-103 and REP-105: `map` with z up, body and optical frames.
    case ros
    /// The phone app's own: `map` with y up, `base_link` and images in the ARKit camera's axes.
    case app
}

extension Conventions {
    /// The name of the frame of a metric cloud.
    var cloudFrameName: String {
        switch (cloudFrame, axes) {
        case (.map, _): FrameName.map
        case (.sensor, .ros): FrameName.optical
        case (.sensor, .app): FrameName.camera
        }
    }

    /// From the ARKit camera's axes to the frame of a metric cloud.
    func cloudFromCamera(_ worldFromCamera: Transform) -> Transform {
        switch (cloudFrame, axes) {
        case (.map, _): Coordinates.mapFromCamera(worldFromCamera, policy: axes)
        case (.sensor, .ros): Coordinates.opticalFromCamera
        case (.sensor, .app): .identity
        }
    }
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
