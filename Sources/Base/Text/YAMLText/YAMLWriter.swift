import CYAML

extension YAMLNode {
    /// The value as a document, each part in the style in which it was read.
    package func text() throws(YAMLError) -> String {
        let writer = try YAMLWriter()
        try writer.emit { yaml_stream_start_event_initialize($0, YAML_UTF8_ENCODING) }
        try writer.emit { yaml_document_start_event_initialize($0, nil, nil, nil, 1) }
        try writer.add(self)
        try writer.emit { yaml_document_end_event_initialize($0, 1) }
        try writer.emit { yaml_stream_end_event_initialize($0) }
        return String(decoding: writer.bytes.pointee, as: UTF8.self)
    }
}

/// libyaml's emitter with its defaults: lines of 80 bytes, two spaces a level, ASCII.
private struct YAMLWriter: ~Copyable {
    private let emitter = UnsafeMutablePointer<yaml_emitter_t>.allocate(capacity: 1)
    let bytes = UnsafeMutablePointer<[UInt8]>.allocate(capacity: 1)

    init() throws(YAMLError) {
        bytes.initialize(to: [])
        emitter.initialize(to: yaml_emitter_t())
        guard yaml_emitter_initialize(emitter) == 1 else { throw YAMLError(found: "no memory for its emitter") }
        yaml_emitter_set_output(
            emitter,
            { target, start, count in
                let part = UnsafeBufferPointer(start: start, count: count)
                target?.assumingMemoryBound(to: [UInt8].self).pointee.append(contentsOf: part)
                return 1
            },
            bytes
        )
        yaml_emitter_set_encoding(emitter, YAML_UTF8_ENCODING)
    }

    deinit {
        yaml_emitter_delete(emitter)
        emitter.deallocate()
        bytes.deinitialize(count: 1)
        bytes.deallocate()
    }

    /// Emits an event, which then belongs to the emitter.
    func emit(_ make: (UnsafeMutablePointer<yaml_event_t>) -> Int32) throws(YAMLError) {
        var event = yaml_event_t()
        guard make(&event) == 1, yaml_emitter_emit(emitter, &event) == 1 else {
            throw YAMLError(found: emitter.pointee.problem.map { String(cString: $0) } ?? "what cannot be written")
        }
    }

    func add(_ node: YAMLNode) throws(YAMLError) {
        switch node.content {
        case .scalar(var text):
            let style = yaml_scalar_style_t(rawValue: node.style)
            try emit { event in
                text.withUTF8 { bytes in
                    yaml_scalar_event_initialize(event, nil, nil, bytes.baseAddress, Int32(bytes.count), 1, 1, style)
                }
            }
        case .sequence(let nodes):
            let style = yaml_sequence_style_t(rawValue: node.style)
            try emit { yaml_sequence_start_event_initialize($0, nil, nil, 1, style) }
            for node in nodes { try add(node) }
            try emit { yaml_sequence_end_event_initialize($0) }
        case .mapping(let pairs):
            let style = yaml_mapping_style_t(rawValue: node.style)
            try emit { yaml_mapping_start_event_initialize($0, nil, nil, 1, style) }
            for pair in pairs {
                try add(pair.key)
                try add(pair.value)
            }
            try emit { yaml_mapping_end_event_initialize($0) }
        }
    }
}
