package import Replay

/// How messages become those of Arvos.
package struct ArvosOptions: Sendable {
    /// The axes and signs that the messages have.
    package var input = FramePolicy.ros
    /// Keeps the axes and signs of ROS, instead of those of ARKit and CoreMotion.
    package var keepsROSAxes = false
    package var streams = Set(ArvosStream.allCases)
    /// Unix time minus the phone's own clock; 0 sends Unix time.
    package var epochOffsetNanoseconds: Int64 = 0
    package var deviceName = "mapeverything"
    package var deviceModel = "recording"
    package var osVersion = ""
    package var appVersion = ""

    package init() {}
}
