import Bags
import DynamicMessages
import ROS
import SystemPackage

/// Finds out what is known of a type: from the bag's own definition, else from this program, else from .msg files.
struct TypeKnowledge {
    /// A type with everything that a bag stores of it.
    struct Known {
        var treatment: TopicTreatment
        var definitionText: String
        var typeHash: String
    }

    private let messagePaths: [FilePath]

    init(messagePaths: [FilePath]) {
        self.messagePaths = messagePaths
    }

    /// - Throws: a reason in words.
    func find(_ typeName: String, in topic: BagTopic) throws(UnknownType) -> Known {
        let compiled = MessageTypes.type(named: typeName)
        var problem: String?
        // A definition that belongs to another name (a legacy one, or what --type corrects) is not this type's.
        if topic.definitionEncoding == "ros2msg", LegacyNames.type(topic.typeName) == typeName {
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
        throw UnknownType(typeName: typeName, problem: problem)
    }

    private func known(_ type: any Message.Type) -> Known {
        Known(treatment: .compiled(type), definitionText: type.definitionText, typeHash: type.typeHash)
    }
}

/// A type of which no definition was found.
struct UnknownType: Error, CustomStringConvertible {
    var typeName: String
    /// What was wrong with the definition that was found.
    var problem: String?

    var description: String {
        "expected a definition of \(typeName) in the bag, in this program or under --msg-path, found "
            + (problem ?? "none")
    }
}
