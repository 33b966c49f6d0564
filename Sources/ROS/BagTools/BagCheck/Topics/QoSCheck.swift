import Bags

/// The text of `offered_qos_profiles`.
enum QoSCheck {
    static func check(_ declaration: TopicDeclaration, _ context: CheckContext) {
        guard !declaration.qosText.isEmpty else { return }
        guard let node = try? MetadataNode.parse(declaration.qosText), node.isList,
            node.elements.allSatisfy({ $0.isMap })
        else {
            let found = "\"\(declaration.qosText.prefix(80))\""
            return context.at(declaration).add(.warning, .qosUnreadable, "a YAML list of QoS profiles", found)
        }
        let policies = ["history", "reliability", "durability", "liveliness"]
        guard
            let name = node.elements.lazy.flatMap({ profile in policies.map { profile[$0] } })
                .first(where: { $0.exists && $0.integer == nil })
        else { return }
        let expected = "numbers for QoS policies, which every distribution reads"
        let found = "\"\(name.string ?? "")\" of \(declaration.name), which Humble and Iron do not read"
        context.at(file: declaration.file).add(.note, .qosNames, expected, found)
    }
}
