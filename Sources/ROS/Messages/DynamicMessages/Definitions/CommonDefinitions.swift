/// The definitions of ROS's common packages and of some others, as far as their types are not compiled in.
///
/// They stand in `CommonDefinitions.txt`, which says how; it is built into the command. Nothing is parsed before a type is
/// asked for.
package enum CommonDefinitions {
    /// The releases whose names stand beside those of types, the newest first; a type without one is the latest.
    package static let releases = ["jazzy", "jazzy-2024", "iron", "humble", "humble-2022", "galactic", "foxy"]

    /// The packages that are not ROS's own, of which no list of editions is complete.
    package static let otherPackages: Set<String> = [
        "ackermann_msgs", "control_msgs", "geographic_msgs", "moveit_msgs", "nav2_msgs", "object_recognition_msgs",
        "octomap_msgs", "pandar_msgs", "plansys2_msgs", "velodyne_msgs", "vision_msgs",
    ]

    /// The .msg text of a type, or the .srv or .action text of what a message belongs to; `nil` where there is none.
    ///
    /// An .action text has the feedback alone, and is given for that.
    ///
    /// - Parameter release: The release whose edition is meant; nil for the latest.
    static func text(of name: TypeName, as release: String? = nil) -> [UInt8]? {
        guard var title = title(of: name), let package = packages["\(name.package)/\(name.family)"] else { return nil }
        if let label = label(of: name, as: release) { title += " " + label }
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

    /// The name beside the edition that a release has: that of the last release that has it; nil for the latest edition.
    static func label(of name: TypeName, as release: String?) -> String? {
        guard let release, let age = releases.firstIndex(of: release) else { return nil }
        let labels = labels(of: name)
        return releases[...age].last { labels.contains($0) }
    }

    /// The names beside the older editions of a type.
    static func labels(of name: TypeName) -> [String] {
        title(of: name).flatMap { labels["\(name.package)/\(name.family)/\($0)"] } ?? []
    }

    /// The name under which the file has a type: that of the service or action for what belongs to one.
    private static func title(of name: TypeName) -> String? {
        guard name.family != "msg", let end = name.name.lastIndex(of: "_") else { return name.name }
        return name.family == "srv" || name.name[end...].hasPrefix("_Feedback") ? String(name.name[..<end]) : nil
    }

    private static let labels: [String: [String]] = {
        var labels: [String: [String]] = [:]
        for (package, text) in packages {
            for line in text.split(separator: "\n") where !line.hasPrefix(" ") {
                let words = line.split(separator: " ")
                if words.count == 2 { labels["\(package)/\(words[0])", default: []].append(String(words[1])) }
            }
        }
        return labels
    }()

    /// The full names of all types, services and actions as such, sorted.
    package static var typeNames: [String] {
        let names = packages.flatMap { package, text in
            text.split(separator: "\n").filter { !$0.hasPrefix(" ") && !$0.contains(" ") }.map { "\(package)/\($0)" }
        }
        return names.sorted(by: utf8Precedes)
    }

    /// The texts of the file, by package and family.
    private static let packages: [String: String] = {
        var texts: [String: String] = [:]
        var name = ""
        for line in PackageResources.CommonDefinitions_txt.split(separator: UInt8(ascii: "\n")) {
            let line = String(decoding: line, as: UTF8.self)
            if line.hasPrefix("== ") {
                name = String(line.dropFirst(3))
            } else {
                texts[name, default: ""] += line + "\n"
            }
        }
        // What the file says before the first package is about itself.
        texts[""] = nil
        // The same names and fields as those of std_msgs.
        texts["example_interfaces/msg", default: ""] += texts["std_msgs/msg", default: ""]
        return texts
    }()

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
