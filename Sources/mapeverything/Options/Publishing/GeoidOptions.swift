import ArgumentParser
import Codecs

/// What says how high sea level is.
struct GeoidOptions: ParsableArguments {
    @Option(
        name: .customLong("geoid"),
        help: "Geoid grid file (GTX) for heights above sea level. Default: egm96_15.gtx of Debian's package proj-data."
    )
    var file: String?

    /// The grid of Debian's package proj-data, where that is installed.
    static var installedGrid: GeoidGrid? { try? GeoidGrid(path: "/usr/share/proj/egm96_15.gtx") }

    /// The grid that was named; without, the one that may be installed.
    func grid() throws(UsageError) -> GeoidGrid? {
        guard let file else { return Self.installedGrid }
        do {
            return try GeoidGrid(path: file)
        } catch {
            throw UsageError("--geoid", expected: "a geoid grid in GTX format", found: "\(file) (\(error))")
        }
    }
}
