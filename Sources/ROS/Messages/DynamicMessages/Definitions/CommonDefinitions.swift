/// The definitions of ROS's common packages and of some others, as far as their types are not compiled in.
///
/// They stand in `CommonDefinitions.txt`, which says how; it is built into the command. Nothing is parsed before a type is
/// asked for.
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
