import Files
import SystemPackage

/// Shows a file in the reader's browser, by the program that desktops have for it.
struct PageOpener {
    private static let name = "xdg-open"
    /// Browsers may run as long as their windows do; what is wrong is known sooner.
    private static let watchedSeconds = 5.0

    private let program: ExternalProgram

    /// - Throws: an ``OpenError`` where there is no such program, before any work is done for it.
    init() throws {
        guard let program = ExternalProgram(named: Self.name) else {
            throw OpenError(found: "no \(Self.name) on PATH")
        }
        self.program = program
    }

    func open(_ path: String) throws {
        // What begins with a dash would be an option.
        let path = path.hasPrefix("/") ? path : "./" + path
        let outcome = try program.start([path], watching: Self.watchedSeconds)
        guard let outcome, outcome.status != 0 else { return }
        // xdg-open(1), exit codes.
        let reason = outcome.status == 3 ? " (no browser)" : ""
        throw OpenError(found: "\(program.path) ended with \(outcome.description)\(reason); the page is \(path)")
    }
}

/// A page that no browser shows.
struct OpenError: Error, CustomStringConvertible {
    var found: String
    var description: String { "--open: expected a desktop with a browser, found \(found)" }
}
