import Glibc
package import SystemPackage

/// The repository that the tests judge.
package enum Checkout {
    /// From MAPEVERYTHING_REPOSITORY, else where these sources were compiled: the same tests can run against a copy.
    package static let root: FilePath = {
        if let named = getenv("MAPEVERYTHING_REPOSITORY") { return FilePath(String(cString: named)) }
        // Tests/TestSupport/Checkout.swift is three levels below it.
        return (0..<3).reduce(FilePath(#filePath)) { path, _ in path.removingLastComponent() }
    }()

    /// A file of the repository, such as `docs/topics.md`.
    package static func path(_ relative: String) -> FilePath { root.appending(FilePath(relative).components) }
}
