import ArgumentParser
import Exports
import Platform

/// The formats of `export`.
enum ExportFormat: Hashable, ExpressibleByArgument, CaseIterable {
    /// Made of a session's frames.
    case frames(FrameFormat)
    /// Made of its surface.
    case surface(MapFile.Form)
    /// Made of its fixes.
    case track(TrackExport.Form)
    /// Made of its messages.
    case table(TableSink.Form)
    /// A data set for learning, of one recording or of many.
    case dataset(DatasetForm)

    /// The formats of data sets.
    enum DatasetForm: String, CaseIterable {
        case lerobot
    }

    static var allCases: [ExportFormat] {
        FrameFormat.all.map { .frames($0) } + MapFile.Form.allCases.map { .surface($0) }
            + TrackExport.Form.allCases.map { .track($0) } + TableSink.Form.allCases.map { .table($0) }
            + DatasetForm.allCases.map { .dataset($0) }
    }

    var name: String {
        switch self {
        case .frames(let format): format.name
        case .surface(let form): form.rawValue
        case .track(let form): form.rawValue
        case .table(let form): form.rawValue
        case .dataset(let form): form.rawValue
        }
    }

    init?(argument: String) {
        guard let format = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = format
    }

    /// The ending of the output's name where none was given.
    var outputEnding: String {
        switch self {
        case .frames(let format): "_\(format.name)\(format.isFile ? ".txt" : "")"
        case .surface, .track: ".\(name)"
        case .table, .dataset: "_\(name)"
        }
    }

    /// True if the output is one file.
    func isOneFile(of kind: InputKind) -> Bool {
        switch self {
        case .frames(let format): format.isFile
        case .surface: kind == .session
        case .track: true
        case .table, .dataset: false
        }
    }

    /// The first bytes of the one file of the format.
    var outputKind: OutputKind {
        switch self {
        case .surface(let form): form.outputKind
        case .track(.geojson):
            OutputKind(name: "a GeoJSON file of ours", starts: ["{\"type\":\"FeatureCollection\",\"name\":"])
        case .track(.gpx): OutputKind(name: "a GPX file of ours", starts: ["<?xml"], isMarked: true)
        case .track: OutputKind(name: "a KML file", starts: ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml"])
        case .frames, .table, .dataset: .trajectory.madeInFolder
        }
    }

    static var allValueStrings: [String] { allCases.map(\.name) }

    var defaultValueDescription: String { name }

    var frameFormat: FrameFormat? {
        if case .frames(let format) = self { format } else { nil }
    }
}
