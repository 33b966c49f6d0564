/// The text of `offered_qos_profiles`.
enum QoSCheck {
    /// Whether a late subscriber gets the last message, now and forever: transient local, and no lifespan.
    ///
    /// What rosbridge publishes is transient local too, but for a second.
    static func isLatched(_ text: String) -> Bool {
        guard let profiles = try? MetadataNode.parse(text).elements, !profiles.isEmpty else { return false }
        return profiles.contains { profile in
            let durability = profile["durability"].string
            guard durability == "1" || durability == "transient_local" else { return false }
            let seconds = profile["lifespan"]["sec"].integer ?? 0
            let nanoseconds = profile["lifespan"]["nsec"].integer ?? 0
            // Zero is rmw's "not set"; anything of a human lifetime is set.
            return seconds > 1_000_000_000 || (seconds == 0 && nanoseconds == 0)
        }
    }

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
