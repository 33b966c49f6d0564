/// Makes the defaults of fields, as long as all of them together stay small.
struct DefaultBuilder {
    private var remainingBytes = SchemaLimits.defaultBytes

    /// The default of a field, or `nil` where there is no room for it.
    mutating func value(_ element: FieldLayout.Element, _ shape: FieldShape) -> DynamicValue? {
        switch (shape, element) {
        case (.single, .number(let kind)): return kind.blank
        case (.single, .string): return .string("")
        case (.single, .message(let layout)): return layout.defaultMessage().map { .message($0) }
        case (.sequence, .number(let kind)): return kind.blanks(0)
        case (.sequence, .string): return .strings([])
        case (.sequence, .message): return .messages([])
        case (.array(let count), .number(let kind)):
            return take(count, each: kind.size) ? kind.blanks(count) : nil
        case (.array(let count), .string):
            return take(count, each: MemoryLayout<String>.stride)
                ? .strings([String](repeating: "", count: count)) : nil
        case (.array(let count), .message(let layout)):
            // The messages share their values until one is changed.
            guard let message = layout.defaultMessage(), take(count, each: MemoryLayout<DynamicMessage>.stride) else {
                return nil
            }
            return .messages([DynamicMessage](repeating: message, count: count))
        }
    }

    private mutating func take(_ count: Int, each size: Int) -> Bool {
        let bytes = count.multipliedSaturating(by: size)
        guard bytes <= remainingBytes else { return false }
        remainingBytes -= bytes
        return true
    }
}
