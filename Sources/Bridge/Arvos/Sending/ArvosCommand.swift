import JSONText

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
