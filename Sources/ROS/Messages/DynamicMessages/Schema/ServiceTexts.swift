/// The messages that services and actions exchange, for which bags hold the whole .srv or .action text.
///
/// A service `X` has `pkg/srv/X_Request`, `X_Response` and the `X_Event` that introspection records; an action has the
/// goal, result and feedback, and what its services and topics wrap these in (REP 2011, rosidl).
struct ServiceTexts {
    private var texts: [String: [UInt8]] = [:]

    /// Takes a text apart at its lines of `---`; one without has no parts.
    init(_ name: TypeName, text: ArraySlice<UInt8>) {
        guard name.family != "msg", let end = name.name.firstIndex(of: "_") else { return }
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let parts = lines.split(omittingEmptySubsequences: false) { trimmed($0).elementsEqual("---".utf8) }
            .map { Array($0.joined(separator: [UInt8(ascii: "\n")])) }
        let stem = "\(name.package)/\(name.family)/\(name.name[..<end])"
        switch (name.family, parts.count) {
        case ("srv", 2): addService(stem, request: parts[0], response: parts[1])
        case ("action", 3): addAction(stem, goal: parts[0], result: parts[1], feedback: parts[2])
        default: break
        }
    }

    /// The text of a type that the service or action brings.
    func text(of name: TypeName) -> ArraySlice<UInt8>? { texts[name.full].map { $0[...] } }

    private mutating func addService(_ stem: String, request: [UInt8], response: [UInt8]) {
        texts[stem + "_Request"] = request
        texts[stem + "_Response"] = response
        let event = """
            service_msgs/msg/ServiceEventInfo info
            \(stem)_Request[<=1] request
            \(stem)_Response[<=1] response
            """
        texts[stem + "_Event"] = Array(event.utf8)
    }

    private mutating func addAction(_ stem: String, goal: [UInt8], result: [UInt8], feedback: [UInt8]) {
        texts[stem + "_Goal"] = goal
        texts[stem + "_Result"] = result
        texts[stem + "_Feedback"] = feedback
        let goalID = "unique_identifier_msgs/UUID goal_id\n"
        texts[stem + "_FeedbackMessage"] = Array("\(goalID)\(stem)_Feedback feedback".utf8)
        addService(
            stem + "_SendGoal",
            request: Array("\(goalID)\(stem)_Goal goal".utf8),
            response: Array("bool accepted\nbuiltin_interfaces/Time stamp".utf8)
        )
        addService(
            stem + "_GetResult",
            request: Array(goalID.utf8),
            response: Array("int8 status\n\(stem)_Result result".utf8)
        )
    }
}
