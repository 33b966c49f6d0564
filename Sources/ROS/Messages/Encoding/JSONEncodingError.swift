/// A number that JSON has no form for, in a field that gives it no meaning.
package struct JSONEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type of the whole message.
    package var typeName: String
    /// The field, such as `pose.position.x`.
    package var path: String
    /// The number: `nan`, `inf` or `-inf`.
    package var found: String

    package init(typeName: String = "", path: String, found: String) {
        self.typeName = typeName
        self.path = path
        self.found = found
    }

    package var description: String { "\(typeName): field \"\(path)\": expected a finite number, found \(found)" }

    func inside(_ component: String) -> JSONEncodingError {
        JSONEncodingError(typeName: typeName, path: joinPath(component, path), found: found)
    }
}
