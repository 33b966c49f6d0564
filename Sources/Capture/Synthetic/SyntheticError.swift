package import SystemPackage

/// Why a synthetic session could not be written.
package enum SyntheticError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The directory is there, and `--force` was not given.
    case exists(path: FilePath)
    case option(name: String, expected: String)
    /// A system call failed.
    case system(operation: String, path: FilePath, errno: Errno)

    package var description: String {
        switch self {
        case .exists(let path): "sample: \(path): expected a new directory, or --force, found one that is there"
        case .option(let name, let expected): "option --\(name): expected \(expected)"
        case .system(let operation, let path, let errno):
            "sample: \(path): expected to \(operation) it, found: \(errno)"
        }
    }
}
