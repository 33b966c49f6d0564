/// What services exchange: `pkg/srv/X_Request`, `pkg/srv/X_Response`, and the `X_Event` that introspection records, for
/// which bags hold the .srv text.
struct ServiceTexts {
    private var texts: [String: [UInt8]] = [:]

    /// Takes a .srv text apart; a text without `---` has no parts.
    init(_ name: TypeName, text: ArraySlice<UInt8>) {
        guard name.family == "srv", let end = name.name.lastIndex(of: "_") else { return }
        let service = String(name.name[..<end])
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let separators = lines.indices.filter { trimmed(lines[$0]).elementsEqual("---".utf8) }
        guard separators.count == 1, let separator = separators.first else { return }
        func type(_ suffix: String) -> String { "\(name.package)/srv/\(service)\(suffix)" }
        texts[type("_Request")] = Array(lines[..<separator].joined(separator: [UInt8(ascii: "\n")]))
        texts[type("_Response")] = Array(lines[(separator + 1)...].joined(separator: [UInt8(ascii: "\n")]))
        let event = """
            service_msgs/msg/ServiceEventInfo info
            \(type("_Request"))[<=1] request
            \(type("_Response"))[<=1] response
            """
        texts[type("_Event")] = Array(event.utf8)
        texts["service_msgs/msg/ServiceEventInfo"] = Array(Self.eventInfo.utf8)
    }

    /// The text of a type that the service brings.
    func text(of name: TypeName) -> ArraySlice<UInt8>? { texts[name.full].map { $0[...] } }

    private static let eventInfo = """
        uint8 REQUEST_SENT=0
        uint8 REQUEST_RECEIVED=1
        uint8 RESPONSE_SENT=2
        uint8 RESPONSE_RECEIVED=3
        uint8 event_type
        builtin_interfaces/Time stamp
        char[16] client_gid
        int64 sequence_number
        """
}
