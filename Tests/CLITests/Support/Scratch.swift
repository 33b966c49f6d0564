import SystemPackage
import TestSupport
import Testing

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

    /// Writes a shell script that stands for a program.
    ///
    /// A shell writes it: a program that another test starts while this process has the file open for writing would keep it
    /// open until its exec, and no program can be run while it is open for writing (ETXTBSY).
    static func program(_ path: String, _ script: String) async throws {
        let arguments = ["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$0\" && chmod 755 \"$0\"", path, script]
        let outcome = try await ChildProcess("/bin/sh", arguments).finish(seconds: 60)
        try #require(outcome.status == 0, "\(outcome.everything)")
    }
}
