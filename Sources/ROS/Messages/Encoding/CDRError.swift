/// A place in CDR bytes where something else was expected.
package struct CDRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset in bytes from the start, header included.
    package var offset: Int
    package var expected: String
    package var found: String
    /// The field being read, such as `transforms[0].child_frame_id`; empty for the frame around the message.
    package var path: String

    package init(offset: Int, expected: String, found: String, path: String = "") {
        self.offset = offset
        self.expected = expected
        self.found = found
        self.path = path
    }

    package var description: String {
        let place = path.isEmpty ? "" : "field \"\(path)\": "
        return "CDR: \(place)byte \(offset): expected \(expected), found \(found)"
    }

    package func inside(_ component: String) -> CDRError {
        var error = self
        error.path = joinPath(component, path)
        return error
    }
}

/// Joins a field's name with the path below it, where indices follow without a dot.
package func joinPath(_ component: String, _ rest: String) -> String {
    rest.isEmpty || rest.utf8.first == UInt8(ascii: "[") ? component + rest : component + "." + rest
}
