package import Bags
package import DynamicMessages
import ROS
package import SystemPackage

/// Finds out what is known of a type: from the bag's own definition, else from this program, else from .msg files.
package struct TypeKnowledge: Sendable {
    /// A type with everything that a bag stores of it.
    struct Known {
        var treatment: TopicTreatment
        var definitionText: String
        var typeHash: String
    }

    private let messagePaths: [FilePath]

    package init(messagePaths: [FilePath]) {
        self.messagePaths = messagePaths
    }

    /// - Throws: a reason in words.
    func find(_ typeName: String, in topic: BagTopic) throws(UnknownType) -> Known {
        let compiled = MessageTypes.type(named: typeName)
        var problem: String?
        // A definition that belongs to another name (a legacy one, or what --type corrects) is not this type's.
        let isDefined = topic.definitionEncoding == "ros2msg" && LegacyNames.type(topic.typeName) == typeName
        if isDefined, !topic.definitionText.isEmpty {
            do {
                let schema = try MessageSchema(typeName: typeName, definitionText: topic.definitionText)
                if let compiled, compiled.typeHash == schema.typeHash { return known(compiled) }
                return Known(
                    treatment: .described(schema),
                    definitionText: topic.definitionText,
                    typeHash: topic.typeHash.isEmpty ? schema.typeHash : topic.typeHash
                )
            } catch {
                problem = "the definition in the bag: \(error)"
            }
        }
        if let compiled { return known(compiled) }
        if !messagePaths.isEmpty {
            do {
                let schema = try MessageSchema.loading(typeName: typeName, from: messagePaths)
                return Known(
                    treatment: .described(schema),
                    definitionText: schema.definitionText,
                    typeHash: schema.typeHash
                )
            } catch {
                problem = "\(error)"
            }
        }
        // Nothing contradicts an empty definition: the type has no fields.
        if isDefined, topic.definitionText.isEmpty,
            let schema = try? MessageSchema(typeName: typeName, definitionText: "")
        {
            let hash = topic.typeHash.isEmpty ? schema.typeHash : topic.typeHash
            return Known(treatment: .described(schema), definitionText: "", typeHash: hash)
        }
        throw UnknownType(typeName: typeName, problem: problem)
    }

    /// The type of a bag's topic as a schema, for reading its messages.
    package func schema(of topic: BagTopic) throws -> MessageSchema {
        switch try find(LegacyNames.type(topic.typeName), in: topic).treatment {
        case .compiled(let type): return .compiled(type)
        case .described(let schema): return schema
        case .copy, .skip: throw UnknownType(typeName: topic.typeName, problem: nil)
        }
    }

    /// A type of that name as messages of the topic have it, with all that another bag needs to store it.
    package func kind(named typeName: String, in topic: BagTopic) throws(UnknownType) -> StoredKind {
        let known = try find(typeName, in: topic)
        let schema: MessageSchema
        switch known.treatment {
        case .compiled(let type): schema = .compiled(type)
        case .described(let described): schema = described
        case .copy, .skip: throw UnknownType(typeName: typeName, problem: nil)
        }
        return StoredKind(schema: schema, typeHash: known.typeHash, definitionText: known.definitionText)
    }

    private func known(_ type: any Message.Type) -> Known {
        Known(treatment: .compiled(type), definitionText: type.definitionText, typeHash: type.typeHash)
    }
}

/// A type of which no definition was found.
package struct UnknownType: Error, CustomStringConvertible {
    var typeName: String
    /// What was wrong with the definition that was found.
    var problem: String?

    package var description: String {
        "expected a definition of \(typeName) in the bag, in this program or under --msg-path, found "
            + (problem ?? "none")
    }
}
