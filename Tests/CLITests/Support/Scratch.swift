import SystemPackage
import TestSupport

/// A fresh folder for what a test writes, removed with the value.
final class Scratch {
    private let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path.string
    }

    /// A path inside.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
