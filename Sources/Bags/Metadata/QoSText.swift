import ROS
import Yams

extension QoS {
    /// The first profile of `offered_qos_profiles`, with numbers (Humble, Iron) or names (Jazzy) as values.
    ///
    /// An empty or unreadable text, or a value that only a system default could fill, gives reliable, volatile, keep
    /// the last 10.
    init(rosbag2Text text: String) {
        self = .reliable(depth: 10)
        guard let profile = (try? Yams.compose(yaml: text))?.sequence?.first?.mapping else { return }
        func value(_ key: String) -> String { profile[key]?.scalar?.string ?? "" }
        switch value("history") {
        case "1", "keep_last": history = .keepLast
        case "2", "keep_all": history = .keepAll
        default: break
        }
        switch value("reliability") {
        case "1", "reliable": reliability = .reliable
        case "2", "best_effort": reliability = .bestEffort
        default: break
        }
        switch value("durability") {
        case "1", "transient_local": durability = .transientLocal
        case "2", "volatile": durability = .volatile
        default: break
        }
        if let stored = Int(value("depth")), stored > 0 { depth = stored }
    }
}
