/// The files of an archive by name, each with where its content lies.
struct ArchiveIndex<Location: Sendable>: Sendable {
    private(set) var entries: [ArchiveEntry] = []
    private var locations: [Location] = []
    private var places: [String: Int] = [:]
    private let codec: CodecError.Codec

    init(codec: CodecError.Codec) {
        self.codec = codec
    }

    /// Adds a file; two files of one name are refused, because readers disagree on which of them counts.
    mutating func add(
        _ name: String,
        size: Int,
        location: Location,
        at byteOffset: Int
    ) throws(CodecError) {
        guard places.updateValue(entries.count, forKey: name) == nil else {
            throw CodecError(codec, at: byteOffset, "entry \(quoted(name)): a second one of this name")
        }
        entries.append(ArchiveEntry(name: name, size: size))
        locations.append(location)
    }

    func size(of name: String) -> Int? {
        places[name].map { entries[$0].size }
    }

    func location(of name: String) -> Location? {
        places[name].map { locations[$0] }
    }

    func find(_ name: String) throws(CodecError) -> (size: Int, location: Location) {
        guard let place = places[name] else { throw CodecError(codec, "no entry \(quoted(name))") }
        return (entries[place].size, locations[place])
    }
}

/// A name from an untrusted file, fit for a message: printable and of bounded length.
func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars.prefix(120) {
        text += scalar.value < 0x20 || scalar.value == 0x7F ? "?" : String(scalar)
    }
    return text + (name.unicodeScalars.count > 120 ? "...\"" : "\"")
}
