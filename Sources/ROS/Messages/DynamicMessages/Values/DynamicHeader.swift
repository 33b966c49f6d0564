/// The kind of the first field of a type, and what it leads to.
private enum LeadingField {
    case time, header, message, messages, other

    init(_ layout: MessageLayout) {
        guard let first = layout.fields.first, case .message(let type) = first.element else {
            self = .other
            return
        }
        switch (first.shape, type.typeName) {
        case (.single, Time.typeName): self = .time
        case (.single, Header.typeName): self = .header
        case (.single, _): self = .message
        case (.sequence, _): self = .messages
        case (.array, _): self = .other
        }
    }
}

extension DynamicMessage {
    /// The time that the first field leads to: that of the header, of the first transform, of the clock.
    package var headerStampNanoseconds: Int64? { headerStampsNanoseconds.first }

    /// The times of the header, or of every element where the first field is a sequence of stamped messages.
    package var headerStampsNanoseconds: [Int64] {
        switch LeadingField(layout) {
        case .time: values[0].message?.timeNanoseconds.map { [$0] } ?? []
        case .header, .message: values[0].message?.headerStampsNanoseconds ?? []
        case .messages: values[0].messages?.flatMap(\.headerStampsNanoseconds) ?? []
        case .other: []
        }
    }

    /// The frame_id of the header, or of the first transform; `nil` where the message has neither.
    package var headerFrameID: String? { headerFrameIDs.first }

    /// The frame_ids of the header, or of every element where the first field is a sequence of stamped messages.
    package var headerFrameIDs: [String] {
        switch LeadingField(layout) {
        case .header: values[0]["frame_id"]?.string.map { [$0] } ?? []
        case .message: values[0].message?.headerFrameIDs ?? []
        case .messages: values[0].messages?.flatMap(\.headerFrameIDs) ?? []
        case .time, .other: []
        }
    }

    /// Replaces each time that ``headerStampsNanoseconds`` finds, and says whether there was any.
    @discardableResult
    package mutating func mapHeaderStamps(_ transform: (Int64) -> Int64) -> Bool {
        switch LeadingField(layout) {
        case .time:
            guard var time = values[0].message, let old = time.timeNanoseconds else { return false }
            let new = Time(nanosecondsSinceEpoch: transform(old))
            time["sec"] = .integer(Int64(new.sec))
            time["nanosec"] = .unsigned(UInt64(new.nanosec))
            values[0] = .message(time)
            return true
        case .header, .message:
            guard var inner = values[0].message, inner.mapHeaderStamps(transform) else { return false }
            values[0] = .message(inner)
            return true
        case .messages:
            guard var elements = values[0].messages else { return false }
            var isAny = false
            for index in elements.indices where elements[index].mapHeaderStamps(transform) { isAny = true }
            values[0] = .messages(elements)
            return isAny
        case .other: return false
        }
    }

    /// The time of a builtin_interfaces/Time.
    private var timeNanoseconds: Int64? {
        guard let sec = self["sec"]?.integer, let nanosec = self["nanosec"]?.integer else { return nil }
        let (nanoseconds, overflow) = sec.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : nanoseconds &+ nanosec
    }
}

extension DynamicValue {
    package var headerStampNanoseconds: Int64? { message?.headerStampNanoseconds }

    package var headerFrameID: String? { message?.headerFrameID }

    /// See ``DynamicMessage/mapHeaderStamps(_:)``.
    @discardableResult
    package mutating func mapHeaderStamps(_ transform: (Int64) -> Int64) -> Bool {
        guard case .message(var message) = self, message.mapHeaderStamps(transform) else { return false }
        self = .message(message)
        return true
    }
}
