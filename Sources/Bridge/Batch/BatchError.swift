package import Sessions
import Text

/// Why a manifest or a target cannot be used.
package enum BatchError: Error, Sendable, CustomStringConvertible {
    /// A field of a line.
    case field(name: String, expected: String, found: String)
    /// A line whose id is not that of what it says.
    case edited(id: String, expected: String)
    /// A place in a manifest.
    case manifest(path: String, line: Int?, expected: String, found: String)
    /// Nothing is at a path, or nothing that can be opened.
    case absent(path: String, expected: String)
    case unknown(ids: [String])
    case nothingFound(sources: [String], reason: String)
    /// A program that is needed to read a recording is not on this machine; another one may have it.
    case missingProgram(Problem)

    static func line(_ field: String, _ expected: String, _ found: JSONValue?) -> BatchError {
        .field(name: field, expected: expected, found: found.map { String($0.text().prefix(80)) } ?? "nothing")
    }

    package var description: String {
        switch self {
        case .field(let name, let expected, let found):
            "\(name.isEmpty ? "the line" : "\"\(name)\""): expected \(expected), found \(found)"
        case .edited(let id, let expected):
            "\"id\": expected \(expected), which is that of the line's name, identity, to and options, found \(id)"
        case .manifest(let path, let line, let expected, let found):
            "\(path)\(line.map { ":\($0)" } ?? ""): expected \(expected), found \(found)"
        case .absent(let path, let expected): "\(path): expected \(expected), found none that can be opened"
        case .unknown(let ids):
            "--only: expected ids of the manifest, found \(ids.prefix(3).joined(separator: ", "))"
                + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
        case .nothingFound(let sources, let reason):
            "\(sources.joined(separator: ", ")): expected recordings, found none\(reason)"
        case .missingProgram(let problem): problem.description
        }
    }
}
