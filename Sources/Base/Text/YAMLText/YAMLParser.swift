import CYAML

/// Builds nodes from the events of libyaml's parser.
struct YAMLParser: ~Copyable {
    /// The levels of lists and mappings in each other; more would not fit on the stack of a task.
    static let deepestLevel = 1000
    /// Not moved while it is used: libyaml's parser of a string points to itself.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var level = 0
    /// The values that have a name; one that is given again replaces the older one.
    private var anchors: [String: YAMLNode] = [:]

    static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
        var text = text
        let result = text.withUTF8 { bytes -> Result<YAMLNode?, YAMLError> in
            Result { () throws(YAMLError) in
                var parser = try YAMLParser(bytes)
                return try parser.document()
            }
        }
        return try result.get()
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else { throw YAMLError(found: "no memory for its parser") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Calls `body` with the next event, which it must not keep.
    private mutating func next<R>(_ body: (yaml_event_t) throws(YAMLError) -> R) throws(YAMLError) -> R {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
        defer { yaml_event_delete(&event) }
        return try body(event)
    }

    private func error() -> YAMLError {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? "what the parser cannot take"
        let hasLine = state.error == YAML_SCANNER_ERROR || state.error == YAML_PARSER_ERROR
        return YAMLError(line: hasLine ? state.problem_mark.line + 1 : nil, found: problem)
    }

    /// The value of the only document.
    private mutating func document() throws(YAMLError) -> YAMLNode? {
        _ = try next { _ in }
        guard try next({ $0.type != YAML_STREAM_END_EVENT }) else { return nil }
        let root = try node()
        _ = try next { _ in }
        let another = try next { $0.type == YAML_STREAM_END_EVENT ? nil : $0.start_mark.line + 1 }
        if let another { throw YAMLError(line: another, found: "but found another document") }
        return root
    }

    private enum Event {
        case end
        case alias(String)
        case scalar(String)
        case sequence
        case mapping
    }

    private struct Head {
        var event: Event
        var line: Int
        var style: UInt32 = 0
        var anchor: String?
    }

    private mutating func head() throws(YAMLError) -> Head {
        try next { event in
            let line = event.start_mark.line + 1
            func name(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? { text.map { String(cString: $0) } }
            switch event.type {
            case YAML_ALIAS_EVENT:
                return Head(event: .alias(name(event.data.alias.anchor) ?? ""), line: line)
            case YAML_SCALAR_EVENT:
                let scalar = event.data.scalar
                // A scalar may contain zeros.
                let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
                let text = String(decoding: bytes, as: UTF8.self)
                return Head(
                    event: .scalar(text),
                    line: line,
                    style: scalar.style.rawValue,
                    anchor: name(scalar.anchor)
                )
            case YAML_SEQUENCE_START_EVENT:
                let start = event.data.sequence_start
                return Head(event: .sequence, line: line, style: start.style.rawValue, anchor: name(start.anchor))
            case YAML_MAPPING_START_EVENT:
                let start = event.data.mapping_start
                return Head(event: .mapping, line: line, style: start.style.rawValue, anchor: name(start.anchor))
            default: return Head(event: .end, line: line)
            }
        }
    }

    private mutating func node() throws(YAMLError) -> YAMLNode {
        let head = try head()
        guard let node = try node(head) else { throw YAMLError(line: head.line, found: "an end without a beginning") }
        return node
    }

    /// The value that begins with an event; nil for one that ends the value around it.
    private mutating func node(_ head: Head) throws(YAMLError) -> YAMLNode? {
        guard level < Self.deepestLevel else {
            throw YAMLError(line: head.line, found: "more than \(Self.deepestLevel) levels")
        }
        level += 1
        defer { level -= 1 }
        let content: YAMLNode.Content
        switch head.event {
        case .end: return nil
        case .alias(let name):
            guard let node = anchors[name] else { throw YAMLError(line: head.line, found: "found undefined alias") }
            return node
        case .scalar(let text): content = .scalar(text)
        case .sequence:
            var nodes: [YAMLNode] = []
            while let node = try node(self.head()) { nodes.append(node) }
            content = .sequence(nodes)
        case .mapping:
            var pairs: [YAMLNode.Pair] = []
            while let key = try node(self.head()) { pairs.append(.init(key: key, value: try node())) }
            try refuseRepeated(pairs)
            content = .mapping(pairs)
        }
        let node = YAMLNode(content: content, line: head.line, style: head.style)
        if let anchor = head.anchor { anchors[anchor] = node }
        return node
    }

    /// YAML 1.2.2, 3.2.1.3: the keys of a mapping are unique.
    private func refuseRepeated(_ pairs: [YAMLNode.Pair]) throws(YAMLError) {
        var keys: Set<YAMLNode> = []
        for pair in pairs where !keys.insert(pair.key).inserted {
            throw YAMLError(found: "the key \"\(pair.key.scalar ?? "")\" twice")
        }
    }
}
