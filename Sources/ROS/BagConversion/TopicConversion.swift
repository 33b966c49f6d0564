import Bags
import DynamicMessages
import JSONText
import Messages

/// How the messages of one topic get from one form to the other.
enum TopicConversion: Sendable {
    /// The bytes are right as they are.
    case copy
    /// The type is compiled in.
    case compiled(any Message.Type)
    /// The type is known from text only.
    case described(MessageSchema)
    /// Nothing can be done with them, of which there are so many.
    case skip(reason: String, messageCount: Int)

    /// Reads and writes the messages of a type.
    init(_ type: ResolvedType) {
        self = type.compiled.map { .compiled($0) } ?? .described(type.schema)
    }

    var text: String {
        switch self {
        case .copy: "copied"
        case .compiled: "converted"
        case .described: "converted by its definition"
        case .skip(let reason, _): "left out: \(reason)"
        }
    }

    var isSkip: Bool { if case .skip = self { true } else { false } }
}

/// Converts the messages of one topic.
struct MessageConverter: Sendable {
    let treatment: TopicConversion
    let source: BagOptions.Serialization
    let target: BagOptions.Serialization
    /// The name that rosbridge_json output carries inside.
    let outputTopic: String
    /// Keys that the type does not have, collected by `convert`.
    private(set) var unknown = UnknownFields()

    init(
        _ treatment: TopicConversion,
        from source: BagOptions.Serialization,
        to target: BagOptions.Serialization,
        outputTopic: String
    ) {
        self.treatment = treatment
        self.source = source
        self.target = target
        self.outputTopic = outputTopic
    }

    /// Replaces the content of `output` by the message in its new form.
    ///
    /// - Returns: the topic that a rosbridge row names itself, where it does.
    mutating func convert(_ bytes: [UInt8], into output: inout [UInt8]) throws -> String? {
        output.removeAll(keepingCapacity: true)
        switch treatment {
        case .copy, .skip:
            output.append(contentsOf: bytes)
            return nil
        case .compiled(let type):
            func convert<M: Message>(_ type: M.Type) throws -> String? {
                var named: String?
                let message: M
                switch source {
                case .cdr: message = try M.decoding(cdr: bytes)
                case .rosbridgeJSON:
                    (message, named) = try RosbridgeRow.read(bytes, keys: M.jsonKeys) { scanner in
                        try M.decoding(json: &scanner, unknown: &unknown)
                    }
                }
                switch target {
                case .cdr: message.appendCDR(to: &output)
                case .rosbridgeJSON:
                    try RosbridgeEnvelope.appendPublish(topic: outputTopic, message: message, to: &output)
                }
                return named
            }
            return try convert(type)
        case .described(let schema):
            var named: String?
            let value: DynamicValue
            switch source {
            case .cdr: value = try schema.decode(cdr: bytes)
            case .rosbridgeJSON:
                (value, named) = try RosbridgeRow.read(bytes, keys: schema.jsonKeys) { scanner in
                    try schema.decode(json: &scanner, unknown: &unknown)
                }
            }
            switch target {
            case .cdr: try schema.appendCDR(value, to: &output)
            case .rosbridgeJSON:
                try RosbridgeEnvelope.appendPublish(topic: outputTopic, to: &output) { output in
                    try schema.appendJSON(value, to: &output)
                }
            }
            return named
        }
    }
}
