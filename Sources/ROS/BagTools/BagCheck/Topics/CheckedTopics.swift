import Bags

/// The topics of all files of a bag, and whether the files agree on them.
final class CheckedTopics {
    private struct Identity: Hashable {
        var name: String
        var typeName: String
        var serializationFormat: String
    }

    /// The description of a type, so that the same words are judged once.
    private struct Description: Hashable {
        var topic: BagTopic
        var definitionHash: String
    }

    private(set) var topics: [CheckedTopic] = []
    private var indices: [Identity: Int] = [:]
    private var typeByName: [String: String] = [:]
    private var judgements: [Description: DefinitionCheck.Judgement] = [:]

    /// Takes what a file says of a topic; judges its type, definition, hash and QoS.
    func declare(_ declaration: TopicDeclaration, _ context: CheckContext) -> CheckedTopic {
        noteTypes(declaration, context)
        let judgement = judge(declaration, context)
        let identity = Identity(
            name: declaration.name,
            typeName: declaration.typeName,
            serializationFormat: declaration.serializationFormat
        )
        if let index = indices[identity] { return topics[index] }
        let topic = CheckedTopic(
            index: topics.count,
            declaration: declaration,
            judgement: judgement,
            isLatched: declaration.isLatched
        )
        indices[identity] = topics.count
        topics.append(topic)
        return topic
    }

    /// Says what only all files together show.
    func finish(_ context: CheckContext) {
        let formats = Set(topics.map(\.serializationFormat)).sorted()
        if formats.count > 1 {
            let found = formats.joined(separator: ", ")
            context.at().add(.error, .bagMixedFormats, "one serialization format", found)
        }
    }

    private func noteTypes(_ declaration: TopicDeclaration, _ context: CheckContext) {
        if let first = typeByName[declaration.name] {
            if first != declaration.typeName {
                context.at(declaration).add(.error, .topicTwoTypes, first, declaration.typeName)
            }
        } else {
            typeByName[declaration.name] = declaration.typeName
        }
    }

    private func judge(_ declaration: TopicDeclaration, _ context: CheckContext) -> DefinitionCheck.Judgement {
        var description = Description(topic: declaration.topic, definitionHash: declaration.definitionHash)
        // The same words are judged once, whatever form the messages have.
        description.topic.serializationFormat = ""
        if let judgement = judgements[description] { return judgement }
        QoSCheck.check(declaration, context)
        let judgement = DefinitionCheck.judge(declaration, context)
        judgements[description] = judgement
        return judgement
    }
}
