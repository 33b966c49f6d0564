import Text

/// Writes a message as the `msg` object of rosbridge: compact, keys in the order of the .msg file.
struct JSONMessageEncoder: FieldVisitor {
    typealias Failure = JSONEncodingError

    private(set) var bytes: [UInt8]
    /// The message whose fields are being written, which knows which of them may be non-finite.
    private var messageType: any Message.Type
    private var isFirst = true

    init(bytes: consuming [UInt8], messageType: any Message.Type) {
        self.bytes = bytes
        self.messageType = messageType
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) throws(JSONEncodingError) {
        if let text = value.nonFiniteText { try check(name, "", text) }
        key(name)
        value.appendJSON(to: &bytes)
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) throws(JSONEncodingError) {
        let found = values.withUnsafeBufferPointer(firstNonFinite)
        if let found { try check(name, "[\(found.index)]", found.text) }
        key(name)
        values.withUnsafeBufferPointer { P.appendJSON($0, to: &bytes) }
    }

    mutating func field<let count: Int, P: Primitive>(
        _ name: StaticString,
        _ values: inout [count of P]
    ) throws(JSONEncodingError) {
        let found = values.span.withUnsafeBufferPointer(firstNonFinite)
        if let found { try check(name, "[\(found.index)]", found.text) }
        key(name)
        values.span.withUnsafeBufferPointer { P.appendJSON($0, to: &bytes) }
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) throws(JSONEncodingError) {
        key(name)
        do throws(JSONEncodingError) {
            try encode(&value)
        } catch { throw error.inside(name.description) }
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) throws(JSONEncodingError) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for index in values.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            do throws(JSONEncodingError) {
                var value = values[index]
                try encode(&value)
            } catch { throw error.inside("\(name)[\(index)]") }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func field<let count: Int, M: Message>(
        _ name: StaticString,
        _ values: inout [count of M]
    ) throws(JSONEncodingError) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        for index in 0..<count {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            do throws(JSONEncodingError) {
                try encode(&values[index])
            } catch { throw error.inside("\(name)[\(index)]") }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func encode<M: Message>(_ message: inout M) throws(JSONEncodingError) {
        let outer = (messageType, isFirst)
        messageType = M.self
        isFirst = true
        bytes.append(UInt8(ascii: "{"))
        try message.visit(&self)
        bytes.append(UInt8(ascii: "}"))
        (messageType, isFirst) = outer
    }

    consuming func finish() -> [UInt8] { bytes }

    private mutating func key(_ name: StaticString) {
        if isFirst { isFirst = false } else { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        JSONAppend.ascii(name, to: &bytes)
        JSONAppend.ascii("\":", to: &bytes)
    }

    private func check(_ name: StaticString, _ index: String, _ text: String) throws(JSONEncodingError) {
        guard messageType.nonFiniteFields.contains(name.description) else {
            throw JSONEncodingError(path: name.description + index, found: text)
        }
    }
}

/// The first element that is not finite; nothing is looked at where a type has no such values.
private func firstNonFinite<P: Primitive>(_ values: UnsafeBufferPointer<P>) -> (index: Int, text: String)? {
    guard P.mayBeNonFinite else { return nil }
    for index in 0..<values.count {
        if let text = values[index].nonFiniteText { return (index, text) }
    }
    return nil
}

extension Message {
    package func appendJSON(to bytes: inout [UInt8]) throws(JSONEncodingError) {
        var message = self
        // The encoder owns the bytes while it writes, so that they are not copied.
        let start = bytes.count
        var lent: [UInt8] = []
        swap(&lent, &bytes)
        var encoder = JSONMessageEncoder(bytes: consume lent, messageType: Self.self)
        do throws(JSONEncodingError) {
            try encoder.encode(&message)
            bytes = encoder.finish()
        } catch {
            bytes = encoder.finish()
            bytes.removeSubrange(start...)
            throw JSONEncodingError(typeName: Self.typeName, path: error.path, found: error.found)
        }
    }
}

/// A number that JSON has no form for, in a field that gives it no meaning.
package struct JSONEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type of the whole message.
    package var typeName = ""
    /// The field, such as `pose.position.x`.
    package var path: String
    /// The number: `nan`, `inf` or `-inf`.
    package var found: String

    package var description: String { "\(typeName): field \"\(path)\": expected a finite number, found \(found)" }

    func inside(_ component: String) -> JSONEncodingError {
        JSONEncodingError(typeName: typeName, path: joinPath(component, path), found: found)
    }
}
