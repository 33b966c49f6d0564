import Messages
package import Text

/// One command on one recording: a line of a manifest, which says all that is needed to run it.
package struct BatchUnit: Hashable, Sendable {
    /// The hash of what the output depends on: name and identity of the recording, product and options.
    ///
    /// For a recording that was only listed, it covers the whole URL too: two of equal names and sizes may differ.
    package var id: String
    /// A path, or the URL of what an engine brings to the machine first.
    package var input: String
    /// The last part of the input's path, by which commands call the recording.
    package var name: String
    /// The ``RecordingIdentity``, as text.
    package var identity: String
    /// As the search calls it; nil where that is not known.
    package var format: String?
    package var product: BatchProduct
    /// Further options of the command.
    package var options: [String]
    /// The name of what is made, in the unit's folder.
    package var output: String
    package var bytes: Int
    package var frames: Int?
    /// The expected cost, on one core.
    package var seconds: Double
    package var memoryBytes: Int
    /// From 0.
    package var shard = 0

    /// The decisions of a plan for all units.
    package struct Recipe: Sendable {
        package var product: BatchProduct
        package var options: [String]
        package var output: String
        package var memoryBytes: Int

        package init(_ product: BatchProduct, options: [String], output: String, memoryBytes: Int?) {
            self.product = product
            self.options = options
            self.output = output
            self.memoryBytes = memoryBytes ?? product.memoryBytes
        }
    }

    package init(_ input: String, _ identity: RecordingIdentity, format: String?, _ recipe: Recipe) {
        self.input = input
        name = input.split(separator: "/").last.map { String($0) } ?? input
        self.identity = identity.text
        self.format = format
        product = recipe.product
        options = recipe.options
        output = recipe.output
        memoryBytes = recipe.memoryBytes
        bytes = identity.byteCount
        frames = identity.frameCount
        // As a manifest has it.
        seconds = (recipe.product.seconds(bytes: bytes, frames: frames) * 1000).rounded() / 1000
        id = ""
        id = expectedID
    }

    /// 32 hexadecimal digits of SHA-256 over the parts as a JSON array.
    private var expectedID: String {
        let isListed = identity.hasPrefix(RecordingIdentity.Scheme.names.rawValue + ":")
        let place = isListed ? [name, input] : [name]
        let parts = JSONValue.strings(["1"] + place + [identity, product.text] + options)
        return String(SHA256.hexadecimalDigest(Array(parts.text().utf8)).prefix(32))
    }

    /// The name of the unit's folder in the target: letters, digits and `._-` of the recording's name, and the id.
    package var folder: String {
        let safe = name.utf8.prefix(64).map { byte -> UInt8 in
            let isPlain =
                byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isPlain || byte == 0x2D || byte == 0x5F || byte == 0x2E ? byte : 0x5F
        }
        let text = String(decoding: safe, as: UTF8.self)
        return (text.hasPrefix(".") ? "_" + text.dropFirst() : text) + "-" + id.prefix(16)
    }

    package var json: JSONValue {
        [
            "id": .string(id), "input": .string(input), "name": .string(name), "identity": .string(identity),
            "format": .string(format), "to": .string(product.text), "options": .strings(options),
            "output": .string(output), "folder": .string(folder), "bytes": .integer(bytes), "frames": .integer(frames),
            "seconds": .number(seconds), "memory_bytes": .integer(memoryBytes),
            "shard": .integer(shard),
        ]
    }

    /// Reads a line; one that was changed so that its id is no longer true is refused.
    package init(json: JSONValue) throws(BatchError) {
        func text(_ key: String) throws(BatchError) -> String {
            guard let value = json[key]?.string, !value.isEmpty else { throw .line(key, "a text", json[key]) }
            return value
        }
        func count(_ key: String, _ range: ClosedRange<Int>) throws(BatchError) -> Int {
            guard let value = json[key]?.integer, range.contains(Int(value)) else {
                throw .line(key, "\(range.lowerBound) to \(range.upperBound)", json[key])
            }
            return Int(value)
        }
        guard json.object != nil else { throw .line("", "an object", json) }
        guard let product = BatchProduct(try text("to")) else {
            throw .line("to", BatchProduct.words, json["to"])
        }
        let options = (json["options"]?.array ?? []).compactMap(\.string)
        guard options.count == json["options"]?.array?.count else { throw .line("options", "texts", json["options"]) }
        (id, input, name) = (try text("id"), try text("input"), try text("name"))
        (identity, output) = (try text("identity"), try text("output"))
        guard !output.contains("/"), !output.hasPrefix(".") else {
            throw .line("output", "a plain name", json["output"])
        }
        (format, self.product, self.options) = (json["format"]?.string, product, options)
        bytes = try count("bytes", 0...(1 << 60))
        frames = json["frames"]?.integer.map { Int($0) }
        seconds = json["seconds"]?.number ?? 0
        guard (0...1e9).contains(seconds) else { throw .line("seconds", "0 to 1e9", json["seconds"]) }
        memoryBytes = try count("memory_bytes", (1 << 20)...(1 << 50))
        shard = try count("shard", 0...10_000_000)
        guard id == expectedID else { throw .edited(id: id, expected: expectedID) }
    }
}

extension Sequence<BatchUnit> {
    /// The bytes of all units, within what 64 bits hold.
    package var byteCount: Int {
        reduce(0) { sum, unit in
            let (more, overflow) = sum.addingReportingOverflow(unit.bytes)
            return overflow ? .max : more
        }
    }
}
