package import Messages

extension TypeClaim {
    /// The claim of a bag on the type of a topic, or on another type that an option gives to its messages.
    ///
    /// The stored definition and hash count only for the stored type and its legacy name. CDR without hash and
    /// definition was written before Iron, whose recorder stores both.
    package init(_ topic: BagTopic, as typeName: String? = nil) {
        let isCDR = topic.serializationFormat == BagOptions.Serialization.cdr.rawValue
        self.init(
            typeName: typeName ?? topic.typeName,
            isOfHumble: isCDR && topic.typeHash.isEmpty && !topic.hasDefinition
        )
        guard typeName.map({ $0 == LegacyNames.type(topic.typeName) }) ?? true else { return }
        definitionText = topic.definitionText
        definitionEncoding = topic.definitionEncoding
        typeHash = topic.typeHash
    }
}
