/// The definitions of ROS's common packages and of some others, as far as their types are not compiled in.
///
/// Those of ROS are Jazzy's, with the types that came later. Where the fields of Humble were others, both are there.
///
/// A text has the lines of each type below its name: a type, then all constants or fields that have it. The name of an
/// older edition is followed by its distribution. Nothing is parsed before a type is asked for.
package enum CommonDefinitions {
    /// Which of several definitions of a type is meant.
    enum Edition: CaseIterable {
        case latest
        /// The edition of Humble, where that is not the same.
        case humble
    }

    /// The .msg text of a type, or the .srv or .action text of what a message belongs to; `nil` where there is none.
    ///
    /// An .action text has the feedback alone, and is given for that.
    ///
    /// Without a text of an older edition there is only the latest.
    static func text(of name: TypeName, _ edition: Edition = .latest) -> [UInt8]? {
        var title = name.name
        if name.family != "msg", let end = title.lastIndex(of: "_") {
            guard name.family == "srv" || title[end...].hasPrefix("_Feedback") else { return nil }
            title = String(title[..<end])
        }
        if edition == .humble { title += " humble" }
        guard let package = packages["\(name.package)/\(name.family)"] else { return nil }
        var isFound = false
        var text: [UInt8] = name.family == "action" ? Array("---\n---\n".utf8) : []
        for line in package.split(separator: "\n") {
            if !line.hasPrefix(" ") {
                if isFound { break }
                isFound = line == title
            } else if isFound {
                appendLines(of: line.drop { $0 == " " }, to: &text)
            }
        }
        return isFound ? text : nil
    }

    /// The full names of all types, services and actions as such, sorted.
    package static var typeNames: [String] {
        let names = packages.flatMap { package, text in
            text.split(separator: "\n").filter { !$0.hasPrefix(" ") && !$0.contains(" ") }.map { "\(package)/\($0)" }
        }
        return names.sorted(by: utf8Precedes)
    }

    private static let packages: [String: String] = [
        "ackermann_msgs/msg": ackermannMsgs,
        "action_msgs/msg": actionMsgs, "actionlib_msgs/msg": actionlibMsgs,
        "control_msgs/action": controlActions, "control_msgs/msg": controlMsgs,
        "example_interfaces/action": exampleInterfacesActions, "example_interfaces/msg": exampleInterfaces,
        "geographic_msgs/msg": geographicMsgs,
        "geometry_msgs/msg": geometryMsgs, "lifecycle_msgs/msg": lifecycleMsgs, "nav_msgs/msg": navMsgs,
        "nav2_msgs/action": nav2Actions, "nav2_msgs/msg": nav2Msgs,
        "plansys2_msgs/action": plansys2Actions, "plansys2_msgs/msg": plansys2Msgs,
        "rcl_interfaces/msg": rclInterfaces, "rosbag2_interfaces/msg": rosbag2Interfaces,
        "rosbridge_msgs/msg": rosbridgeMsgs, "rosgraph_msgs/msg": rosgraphMsgs, "sensor_msgs/msg": sensorMsgs,
        "service_msgs/msg": serviceMsgs,
        "shape_msgs/msg": shapeMsgs, "statistics_msgs/msg": statisticsMsgs, "std_msgs/msg": stdMsgs,
        "std_srvs/srv": stdSrvs, "stereo_msgs/msg": stereoMsgs, "tf2_msgs/msg": tf2Msgs,
        "trajectory_msgs/msg": trajectoryMsgs, "turtlesim/action": turtlesimActions, "turtlesim/msg": turtlesim,
        "unique_identifier_msgs/msg": uniqueIdentifierMsgs,
        "vision_msgs/msg": visionMsgs, "visualization_msgs/msg": visualizationMsgs,
    ]

    /// Writes `float64 x, y 1` as the two lines `float64 x` and `float64 y 1`.
    private static func appendLines(of line: Substring, to text: inout [UInt8]) {
        let type = line.prefix { $0 != " " }
        let names = line.dropFirst(type.count + 1)
        guard !names.isEmpty else {
            text += "\(type)\n".utf8
            return
        }
        for name in names.split(separator: ",") { text += "\(type) \(name.drop { $0 == " " })\n".utf8 }
    }
}
