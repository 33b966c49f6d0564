import DynamicMessages
import ROS

/// Whether what a bag says of a type is true, and by what its messages are to be read.
enum DefinitionCheck {
    struct Judgement {
        var interpreter: MessageInterpreter
        var isTrusted: Bool
    }

    /// - Parameter reports: false where the same was said, and judged, before.
    static func judge(_ declaration: TopicDeclaration, _ context: CheckContext, reports: Bool) -> Judgement {
        let spot = Spot(file: declaration.file)
        func add(
            _ severity: BagFinding.Severity,
            _ kind: BagFindingKind,
            _ expected: @autoclosure () -> String,
            _ found: @autoclosure () -> String
        ) {
            guard reports else { return }
            context.findings.add(
                severity,
                kind,
                topic: declaration.name,
                at: spot,
                expected: expected(),
                found: found()
            )
        }
        if declaration.typeName.split(separator: "/", omittingEmptySubsequences: false).count != 3 {
            add(.warning, .topicTypeForm, "a type such as std_msgs/msg/String", "\"\(declaration.typeName)\"")
        }
        if declaration.isServiceEvent {
            add(.note, .messageService, "a message", "events of a service, which are not decoded")
            return Judgement(interpreter: .service, isTrusted: false)
        }
        let compiled = MessageTypes.type(named: declaration.typeName)
        let illFormedHash = [declaration.typeHash, declaration.definitionHash].first { !$0.isEmpty && !isHash($0) }
        let hashesAreWellFormed = illFormedHash == nil
        if let hash = illFormedHash {
            add(.warning, .definitionHashForm, "RIHS01_ and 64 hexadecimal digits, or nothing", "\"\(hash)\"")
        }
        let stored = storedSchema(declaration, hashesAreWellFormed, add, context)
        let expectedHash = stored?.typeHash ?? compiled?.typeHash
        if let expectedHash {
            for hash in Set([declaration.typeHash, declaration.definitionHash]).sorted()
            where isHash(hash) && hash != expectedHash {
                add(.error, .definitionHash, "the hash of the definition, \(expectedHash)", hash)
            }
        }
        if let stored, let compiled, stored.typeHash != compiled.typeHash {
            add(.warning, .definitionDiffers, "\(compiled.typeName) as ROS 2 has it", "other fields")
        }
        let interpreter = interpreter(declaration, stored, compiled, context)
        return Judgement(interpreter: interpreter, isTrusted: stored == nil || hashesAreWellFormed)
    }

    private static func storedSchema(
        _ declaration: TopicDeclaration,
        _ hashesAreWellFormed: Bool,
        _ add: (BagFinding.Severity, BagFindingKind, @autoclosure () -> String, @autoclosure () -> String) -> Void,
        _ context: CheckContext
    ) -> MessageSchema? {
        let isEmpty = declaration.definitionText.utf8.allSatisfy { $0 <= 0x20 }
        guard declaration.hasDefinition, declaration.definitionEncoding == "ros2msg" || !isEmpty else {
            if declaration.owesDefinition {
                let severity = context.findings.severity(foreign: .warning)
                add(severity, .definitionMissing, "the definition of \(declaration.typeName)", "none")
            }
            return nil
        }
        guard declaration.definitionEncoding == "ros2msg" else {
            let severity: BagFinding.Severity = declaration.definitionEncoding == "ros2idl" ? .note : .warning
            add(severity, .definitionEncoding, "the encoding ros2msg", "\"\(declaration.definitionEncoding)\"")
            return nil
        }
        do {
            return try MessageSchema(typeName: declaration.typeName, definitionText: declaration.definitionText)
        } catch {
            let severity = context.findings.severity(foreign: hashesAreWellFormed ? .error : .warning)
            add(severity, .definitionUnparsable, "a .msg definition of \(declaration.typeName)", error.description)
            return nil
        }
    }

    private static func interpreter(
        _ declaration: TopicDeclaration,
        _ stored: MessageSchema?,
        _ compiled: (any Message.Type)?,
        _ context: CheckContext
    ) -> MessageInterpreter {
        if let compiled, stored == nil || stored?.typeHash == compiled.typeHash { return .compiled(compiled) }
        if let stored { return .dynamic(stored) }
        let loaded = try? MessageSchema.loading(typeName: declaration.typeName, from: context.messageDirectories)
        return loaded.map { .dynamic($0) } ?? .unknown
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
