import HTMLReports
import Messages
import Platform
import SystemPackage

/// The pictures of a page, each in a file of its own: PNG, where `rsvg-convert` can turn lines and text into pixels.
struct PictureFiles: Sendable {
    /// The largest picture that a page about a project shows without making its readers wait.
    static let largestBytes = 300_000
    static let program = "rsvg-convert"
    /// Pixels of a PNG for one of the picture: the first of which the file is small enough.
    private static let scales = ["1.5", "1.25", "1", "0.85", "0.7", "0.6", "0.5", "0.4", "0.3", "0.2"]
    private static let secondsOfOne = 60.0

    private let folder: OutputFolder
    private let converter = ExternalProgram(named: program)
    private(set) var count = 0
    /// How many are SVG, for want of a program.
    private(set) var vectorCount = 0

    init(creating path: String) throws {
        folder = try OutputFolder.new(path)
    }

    /// In a sentence: what there is now.
    var summary: String {
        let text = "\(count) pictures in \(folder.path)"
        guard vectorCount > 0 else { return text }
        return text + "; \(vectorCount) of them as SVG, since there is no \(Self.program) to make PNG of them "
            + "(Debian: apt install librsvg2-bin)"
    }

    /// - Throws: a `CancellationError` too, between two pictures.
    mutating func write(_ page: ReportPage) throws {
        for (name, picture) in page.sections.flatMap(\.figures).compactMap(\.picture) {
            try Task.checkCancellation()
            count += 1
            switch (picture, converter) {
            case (.png(let bytes, _), _) where bytes.count <= Self.largestBytes || converter == nil:
                try OutputFile.write(bytes, to: folder.file(name + ".png"))
            case (.png(let bytes, let size), let converter?):
                var svg = SVG(width: size.x, height: size.y, title: name, description: "")
                svg.image("data:image/png;base64," + Base64.text(bytes), .zero, size)
                try write(svg, name, converter)
            case (.vector(let svg), let converter?):
                try write(svg, name, converter)
            case (.vector(let svg), nil):
                vectorCount += 1
                try OutputFile.write(Array(svg.file.utf8), to: folder.file(name + ".svg"))
            case (.png, nil): break
            }
        }
    }

    /// Gives the folder its name.
    func show() throws { try folder.show() }

    func discard() { folder.discard() }

    private func write(_ svg: SVG, _ name: String, _ converter: ExternalProgram) throws {
        let (vector, pixels) = (folder.file(name + ".svg"), folder.file(name + ".png"))
        try OutputFile.write(Array(svg.lightFile.utf8), to: vector)
        for scale in Self.scales {
            let outcome = try converter.run(
                ["--format=png", "--zoom=\(scale)", "--output=\(pixels)", vector.string],
                seconds: Self.secondsOfOne
            )
            guard outcome.status == 0, FileType(of: pixels) == .regular else {
                try NamelessFile.probe(pixels.removingLastComponent())
                throw OutputError(
                    path: pixels.string,
                    expected: "a PNG by \(converter.path)",
                    found: outcome.description
                )
            }
            if try OutputFile.contents(of: pixels).count <= Self.largestBytes { break }
        }
        FileTree.remove(vector)
    }
}

/// Shows a file in the reader's browser, by the program that desktops have for it.
struct PageOpener {
    private static let name = "xdg-open"
    /// Browsers may run as long as their windows do; what is wrong is known sooner.
    static let watchedSeconds = 5.0

    private let program: ExternalProgram

    /// - Throws: an ``OpenError`` where there is no such program, before any work is done for it.
    init() throws {
        guard let program = ExternalProgram(named: Self.name) else {
            throw OpenError(found: "no \(Self.name) on PATH")
        }
        self.program = program
    }

    /// - Parameter path: of a file, or an address of HTTP.
    func open(_ path: String, watching seconds: Double = watchedSeconds) throws {
        // What begins with a dash would be an option.
        let path = path.hasPrefix("/") || path.contains("://") ? path : "./" + path
        let outcome = try program.start([path], watching: seconds)
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
