import Bags
import Messages

/// Checks a topic's stated type, definition and hash, and picks the type that its messages are decoded with.
struct DefinitionCheck {
    struct Judgement {
        /// Nil for what is not looked into, and where nothing describes the type.
        var type: ResolvedType?
        var isTrusted: Bool
        /// True if the messages are of an edition of the type that is not known.
        var isOfOtherRelease = false
    }

    /// Judges what a file says of a topic's type.
    static func judge(_ declaration: TopicDeclaration, _ context: CheckContext) -> Judgement {
        let check = DefinitionCheck(declaration: declaration, context: context)
        // What is no UTF-8 was read as U+FFFD.
        if declaration.name.unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0.value < 0x20 }) {
            check.report.add(.error, .topicName, "a name of letters, digits, _ and /", "\"\(declaration.name)\"")
        }
        if let (kind, expected, found) = declaration.passedOver {
            check.report.add(.note, kind, expected, found)
            return Judgement(type: nil, isTrusted: false)
        }
        let parts = declaration.typeName.split(separator: "/", omittingEmptySubsequences: false).count
        if parts != 3 {
            let expected = "a type such as std_msgs/msg/String"
            check.report.add(.warning, .topicTypeForm, expected, "\"\(declaration.typeName)\"")
        }
        if parts < 2 {
            let advice = "ROS 2 wants pkg/msg/Type: convert with --type TOPIC=TYPE to name it"
            context.findings.advise(.topicTypeForm, of: declaration.name, advice)
        }
        return check.judge()
    }

    private let declaration: TopicDeclaration
    private let context: CheckContext

    private func judge() -> Judgement {
        let compiled = MessageTypes.type(named: declaration.typeName)
        let hashes = Set([declaration.typeHash, declaration.definitionHash]).subtracting([""]).sorted()
        let illFormed = hashes.first { !Self.isHash($0) }
        if let illFormed {
            let expected = "RIHS01_ and 64 hexadecimal digits, or nothing"
            report.add(.warning, .definitionHashForm, expected, "\"\(illFormed)\"")
        }
        let stored = storedSchema(isTrusted: illFormed == nil)
        let stated = hashes.filter(Self.isHash)
        // A hash is computed only to be compared.
        if !stated.isEmpty, let expected = stored?.typeHash ?? compiled?.typeHash {
            for hash in stated where hash != expected {
                report.add(.error, .definitionHash, "the hash of the definition, \(expected)", hash)
            }
        }
        if let stored, let compiled, stored.typeHash != compiled.typeHash {
            report.add(.warning, .definitionDiffers, "\(compiled.typeName) as ROS 2 has it", "other fields")
        }
        if let stored { return Judgement(type: ResolvedType(stored), isTrusted: illFormed == nil) }
        let claim = context.claim(of: declaration.topic)
        let type = try? context.options.types.resolve(claim)
        return Judgement(type: type, isTrusted: true, isOfOtherRelease: type == nil && claim.edition == .unknown)
    }

    private var report: Reporter { context.at(declaration) }

    /// The schema that the bag's own definition describes; nil with a finding.
    private func storedSchema(isTrusted: Bool) -> MessageSchema? {
        let isEmpty = declaration.definitionText.utf8.allSatisfy { $0 <= 0x20 }
        guard !declaration.definitionEncoding.isEmpty, declaration.definitionEncoding == "ros2msg" || !isEmpty else {
            if declaration.owesDefinition {
                report.add(foreign: .warning, .definitionMissing, "the definition of \(declaration.typeName)", "none")
            }
            return nil
        }
        guard declaration.definitionEncoding == "ros2msg" else {
            let severity: BagFinding.Severity = declaration.definitionEncoding == "ros2idl" ? .note : .warning
            report.add(severity, .definitionEncoding, "the encoding ros2msg", "\"\(declaration.definitionEncoding)\"")
            return nil
        }
        do {
            return try MessageSchema(typeName: declaration.typeName, definitionText: declaration.definitionText)
        } catch {
            let expected = "a .msg definition of \(declaration.typeName)"
            report.add(foreign: isTrusted ? .error : .warning, .definitionUnparsable, expected, error.description)
            return nil
        }
    }

    private static func isHash(_ text: String) -> Bool {
        let prefix = "RIHS01_"
        return text.utf8.count == prefix.utf8.count + 64 && text.hasPrefix(prefix)
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}

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
        if declaration.name.hasSuffix("/tf_static"), !declaration.isLatched, !node.elements.isEmpty {
            context.at(declaration).add(.warning, .latchedVolatile, "durability transient_local", "another")
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
