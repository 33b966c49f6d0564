import Bags
import Sessions
import SystemPackage

/// What a path given to `inspect`, `check`, `repair` or `replay` is: these take both sessions and bags.
enum InputKind: String {
    case session
    case bag

    /// Decides by what is there, whether or not it is sound.
    ///
    /// - Throws: a ``NoInputError`` for what is neither.
    init(_ path: String) throws(NoInputError) {
        let likeness = SessionFormats.likeness(of: path)
        if likeness == .session {
            self = .session
        } else if BagReader.looksLikeBag(FilePath(path)) {
            self = .bag
        } else if likeness == .remains {
            self = .session
        } else {
            throw NoInputError(path: path, found: UnknownInput.describe(path))
        }
    }

    /// Refuses options that mean nothing for this kind of input, rather than ignoring them silently.
    func refuse(_ options: GivenOptions, _ path: String) throws(UsageError) {
        try options.refuse(found: "the \(self) \(path)")
    }
}

/// Options that were given on the command line and have a meaning only for some input, or beside others.
struct GivenOptions {
    var names: [String]
    /// What they need.
    var expected: String

    init(expected: String, _ options: [(name: String, isGiven: Bool)]) {
        names = options.filter { $0.isGiven }.map { $0.name }
        self.expected = expected
    }

    /// Refuses them, where any were given, for what there is in place of what they need.
    func refuse(found: String) throws(UsageError) {
        guard !names.isEmpty else { return }
        throw UsageError(names.joined(separator: ", "), expected: expected, found: found)
    }

    static func + (left: GivenOptions, right: GivenOptions) -> GivenOptions {
        var sum = left
        sum.names += right.names
        return sum
    }
}

/// A path that is neither a session nor a bag.
struct NoInputError: Error, CustomStringConvertible {
    var path: String
    var found: String

    var description: String {
        "\(path): expected a session (a folder, .zip or .tar with frames.jsonl or the files of another app's recording) "
            + "or a bag (a folder with metadata.yaml, a .db3 or .mcap file), found \(found)"
    }
}
