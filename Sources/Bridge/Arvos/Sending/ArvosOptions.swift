package import Replay
import Text

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

/// A command of a receiver, as Arvos has them.
package enum ArvosCommand: Sendable, Hashable {
    case startRecording
    case stopRecording
    case changeMode(String)

    init?(_ message: ArvosMessage) {
        guard message.type == "command", let name = message["command"]?.string else { return nil }
        switch name {
        case "start_recording": self = .startRecording
        case "stop_recording": self = .stopRecording
        case "change_mode": self = .changeMode(message["mode"]?.string ?? "")
        default: return nil
        }
    }
}
