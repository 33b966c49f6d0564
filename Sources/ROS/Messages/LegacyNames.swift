/// Names that the first builds of the phone app wrote, and what they are called since.
package enum LegacyNames {
    /// `/mapping/...` for `/reconstructor/...`.
    package static func topic(_ name: String) -> String {
        guard name == "/reconstructor" || name.hasPrefix("/reconstructor/") else { return name }
        return "/mapping" + name.dropFirst("/reconstructor".count)
    }

    /// `mapeverything_msgs/...` for `reconstructor_msgs/...`, and the long form `pkg/msg/Name` for `pkg/Name`.
    package static func type(_ name: String) -> String {
        var parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { parts.insert("msg", at: 1) }
        if parts.first == "reconstructor_msgs" { parts[0] = "mapeverything_msgs" }
        return parts.joined(separator: "/")
    }
}
