/// How names change on the way out: remaps first, then the namespace.
package struct TopicNaming: Sendable {
    /// The topics that all robots share, and that no namespace is put before.
    private static let shared = ["/tf", "/tf_static", "/clock"]

    package var remaps: [TopicRemap] = []
    /// Such as `/robot1`; empty for none.
    ///
    /// It is put before every topic but `/tf`, `/tf_static` and `/clock`, which all robots share.
    package var namespace = ""

    package init() {}

    package func name(_ name: String) -> String {
        if let remap = remaps.last(where: { $0.from == name }) { return remap.to }
        guard !namespace.isEmpty, !Self.shared.contains(name) else { return name }
        let prefix = namespace.hasPrefix("/") ? namespace : "/" + namespace
        return (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + name
    }
}
