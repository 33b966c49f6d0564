import ArgumentParser
import Codecs
import Maps
import Platform
import Recording
import Replay
import Sessions
import SystemPackage

/// What counts as an obstacle above the floor, and how a map of it is written.
struct FloorMapOptions: ParsableArguments {
    @Option(help: .value("metres", ".yaml and .tif: what is lower above the floor is no obstacle. Default: 0.05."))
    var minHeight: Double?

    @Option(help: .value("metres", ".yaml and .tif: what is higher above the floor is no obstacle. Default: 1.8."))
    var maxHeight: Double?

    @Option(
        help: .value(
            "mode",
            ".yaml: trinary (occupied, free or unknown), scale (steps, as a PNG) or raw. Default: trinary."
        )
    )
    var mapMode: Nav2Map.Mode?

    var mode: Nav2Map.Mode { mapMode ?? .trinary }

    func apply(to parameters: inout OccupancyParameters) throws(UsageError) {
        let (low, high) = (minHeight ?? parameters.minimumHeightMetres, maxHeight ?? parameters.maximumHeightMetres)
        try UsageError.require((0...10).contains(low), "--min-height", "0.000 to 10.000 metres", low)
        let isAbove = high > low && high <= 100
        try UsageError.require(isAbove, "--max-height", "metres above --min-height, up to 100.000", high)
        (parameters.minimumHeightMetres, parameters.maximumHeightMetres) = (low, high)
    }
}

extension Nav2Map.Mode: ExpressibleByArgument {}

/// The file of a map for robots, whose form its name tells; nav2's is a file and an image.
struct RobotMapFile {
    enum Form: String, CaseIterable {
        case yaml, bt, tif

        /// Nil for a name with another ending.
        init?(output: String) {
            let isFolder = output.hasSuffix("/") || FileType(of: FilePath(output)) == .directory
            guard !isFolder, let form = Form(rawValue: (FilePath(output).extension ?? "").lowercased()) else {
                return nil
            }
            self = form
        }

        var outputKind: OutputKind {
            switch self {
            case .yaml: OutputKind(name: "a map of nav2 of ours", starts: ["# mapeverything"])
            case .bt: OutputKind(name: "an OctoMap file of ours", starts: ["# Octomap"], isMarked: true)
            case .tif: OutputKind(name: "a TIFF file of ours", starts: ["II*\0", "MM\0*"], isMarked: true)
            }
        }

        /// True if the map is of the floor.
        var isOfFloor: Bool { self != .bt }
    }

    private let file: NewFile
    /// That of a nav2 map.
    private let image: NewFile?
    private let form: Form
    private let mode: Nav2Map.Mode
    private let comments: [String]

    /// - Throws: an ``OutputError`` for a place that cannot be written, a ``RobotMapError`` for a session without a level.
    init(
        _ output: String,
        _ form: Form,
        _ mode: Nav2Map.Mode,
        of input: String,
        _ session: any Session,
        replaces: Bool
    ) throws {
        let summary = session.summary
        if form.isOfFloor, summary.worldAlignment == .camera { throw RobotMapError.tilted(session: summary.name) }
        (self.form, self.mode) = (form, mode)
        let files = try Self.claims(output, form, mode, replaces: replaces).map { try NewFile($0, inputs: [input]) }
        (file, image) = (files[0], files.count > 1 ? files[1] : nil)
        comments = MapFile.comments(summary.name)
    }

    /// The file, and behind it the image of a nav2 map.
    static func claims(_ output: String, _ form: Form, _ mode: Nav2Map.Mode, replaces: Bool) -> [OutputClaim] {
        let file = OutputClaim(output, form.outputKind, replaces: replaces)
        guard form == .yaml else { return [file] }
        var path = file.path
        path.extension = mode == .scale ? "png" : "pgm"
        let kind =
            mode == .scale
            ? OutputKind(name: "a PNG", starts: [[0x89, 0x50, 0x4E, 0x47]]) : OutputKind(name: "a PGM", starts: ["P5"])
        return [file, OutputClaim(path.string, kind, replaces: replaces)]
    }

    /// Writes the map, and says what is in it.
    ///
    /// - Throws: an ``EmptyMapError`` without depth, a ``RobotMapError`` without a floor.
    func write(_ volume: OccupancyVolume, _ report: MapReport, of recording: OpenedRecording) throws -> Report {
        guard volume.blockCount > 0 else {
            throw EmptyMapError(session: recording.summary.name, report: report, mesh: SurfaceMesh())
        }
        if form == .bt {
            let tree = OctoMapFile(volume, comments: comments)
            try file.write(tree.bytes)
            return Report(report, tree, path: file.path)
        }
        let map = try map(volume, of: recording.summary.name)
        var facts: [Fact] = []
        switch form {
        case .bt: break
        case .yaml: try writeNav2(map)
        case .tif: facts = try writeHeights(map, of: recording, limit: volume.parameters.maximumMapCells)
        }
        return Report(report, map, path: file.path, image: image?.path, facts)
    }

    private func map(_ volume: OccupancyVolume, of session: String) throws -> OccupancyMap {
        do {
            return try OccupancyMap(volume)
        } catch let error as MissingFloor {
            throw RobotMapError.noFloor(session: session, error)
        } catch let error as OversizeMap {
            throw RobotMapError.tooLarge(error)
        }
    }

    /// The image gets its name first: a file that is there names one that is there.
    private func writeNav2(_ map: OccupancyMap) throws {
        guard let image else { return }
        let nav2 = Nav2Map(map, mode)
        let size = GridSize(width: map.width, height: map.height)
        let pixels = try mode == .scale ? PNG.encode(rgba: nav2.rgba, size: size) : nav2.pgm
        let name = FilePath(image.path).lastComponent?.string ?? image.path
        try NewFile.write([(image, pixels), (file, Array(nav2.yaml(image: name, comments: comments).utf8))])
    }

    private func writeHeights(_ map: OccupancyMap, of recording: OpenedRecording, limit: Int) throws -> [Fact] {
        let coordinates = try SurveyCoordinates(recording, FixHeights(geoid: GeoidOptions.installedGrid))
        let text = comments[0] + ", metres above the floor"
        let heights: HeightMapFile
        do throws(OversizeMap) {
            heights = try coordinates.heightMap(map, limit: limit, description: text)
        } catch {
            throw RobotMapError.tooLarge(error)
        }
        guard let bytes = heights.bytes else {
            throw OutputError(path: file.path, expected: "heights that a TIFF has room for", found: "more than 2 GB")
        }
        try file.write(bytes)
        return coordinates.facts(heights: "heights above the floor")
    }
}

/// Why there is no map of the floor: no file is written.
enum RobotMapError: Error, CustomStringConvertible {
    case noFloor(session: String, MissingFloor)
    case tooLarge(OversizeMap)
    /// The axes of the world are those of the first camera.
    case tilted(session: String)

    var description: String {
        switch self {
        case .noFloor(let session, let error): "\(session): \(error)"
        case .tooLarge(let error): "\(error)"
        case .tilted(let session):
            "\(session): expected a world that is level, found the axes of the first camera: which way is down is not known"
        }
    }

    var advice: String? {
        switch self {
        case .noFloor: "Look down at the floor now and then while recording; -o NAME.bt makes a map without a floor."
        case .tooLarge: "A larger --voxel-size takes fewer cells; --start and --duration cut out a part."
        case .tilted: "-o NAME.bt makes a map that needs no level."
        }
    }
}
