import Bags

/// The text of `offered_qos_profiles`.
enum QoSCheck {
    static func check(_ declaration: TopicDeclaration, _ context: CheckContext) {
        guard !declaration.qosText.isEmpty else { return }
        let spot = Spot(file: declaration.file)
        guard let node = try? MetadataNode.parse(declaration.qosText), node.isList,
            node.elements.allSatisfy({ $0.isMap })
        else {
            context.findings.add(
                .warning,
                .qosUnreadable,
                topic: declaration.name,
                at: spot,
                expected: "a YAML list of QoS profiles",
                found: "\"\(declaration.qosText.prefix(80))\""
            )
            return
        }
        let policies = ["history", "reliability", "durability", "liveliness"]
        guard
            let name = node.elements.lazy.flatMap({ profile in policies.map { profile[$0] } })
                .first(where: { $0.exists && $0.integer == nil })
        else { return }
        context.findings.add(
            .note,
            .qosNames,
            at: spot,
            expected: "numbers for QoS policies, which every distribution reads",
            found: "\"\(name.string ?? "")\" of \(declaration.name), which Humble and Iron do not read"
        )
    }
}
