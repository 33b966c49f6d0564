import Codecs
import Maps
import Platform
import Recording
import Replay
import Sessions
import SystemPackage
import Text

/// The file of a map, whose form its name tells.
struct MapFile {
    enum Form: String, CaseIterable {
        case ply, glb, pcd, las

        /// Nil for a folder, and for a name with another ending.
        init?(output: String) {
            let isFolder = output.hasSuffix("/") || FileType(of: FilePath(output)) == .directory
            guard !isFolder, let form = Form(rawValue: (FilePath(output).extension ?? "").lowercased()) else {
                return nil
            }
            self = form
        }

        var outputKind: OutputKind {
            let start =
                switch self {
                case .ply: "ply"
                case .glb: "glTF"
                case .pcd: "# .PCD"
                case .las: "LASF"
                }
            return OutputKind(name: "a \(rawValue.uppercased()) file of ours", starts: [start], isMarked: true)
        }
    }

    private static let expected = "a folder, or a name in .ply, .glb, .pcd, .las, .yaml, .bt or .tif"

    private let file: NewFile
    var path: String { file.path }
    private let form: Form
    private let isCloud: Bool
    private let comments: [String]

    /// - Throws: a ``UsageError`` for a name that tells no form, an ``OutputError`` for a place that cannot be written.
    init(_ output: String, of input: String, sessionName: String, isCloud: Bool, replaces: Bool) throws {
        let isFolder = output.hasSuffix("/") || FileType(of: FilePath(output)) == .directory
        let path = isFolder ? FilePath(output).appending(sessionName + ".ply").string : output
        guard let form = Form(output: path) else {
            throw UsageError("--output", expected: Self.expected, found: output)
        }
        guard !isCloud || form != .glb else {
            throw UsageError("--cloud", expected: "a .ply, .pcd or .las file", found: output)
        }
        let file = try NewFile(path, form.outputKind, replaces: replaces, inputs: [input])
        self.init(file, form: form, sessionName: sessionName, isCloud: isCloud)
    }

    init(_ file: NewFile, form: Form, sessionName: String, isCloud: Bool) {
        self.file = file
        self.form = form
        self.isCloud = isCloud
        comments = Self.comments(sessionName)
    }

    /// What a file says of itself.
    static func comments(_ sessionName: String) -> [String] {
        ["mapeverything \(Tool.version), session \(sessionName)", "frame map (x, y, z up), metres"]
    }

    /// PLY and PCD have the axes of the frame `map`, as the clouds of a bag do; glTF is y up, as the session is; LAS has
    /// UTM's where the session's place on the Earth is known.
    ///
    /// - Returns: what is to be said of the coordinates.
    func write(
        _ mesh: SurfaceMesh,
        of recording: OpenedRecording,
        geoid: GeoidGrid? = GeoidOptions.installedGrid
    ) throws -> [Fact] {
        if form == .las {
            let coordinates = try SurveyCoordinates(recording, FixHeights(geoid: geoid))
            try file.write(coordinates.lasBytes(mesh, software: comments[0]))
            return coordinates.facts()
        }
        let map = form == .glb ? mesh : mesh.transformed(by: Coordinates.mapFromWorld)
        let bytes =
            switch form {
            case .ply where isCloud: PLYFile.cloud(map, comments: comments)
            case .ply: PLYFile.bytes(map, comments: comments)
            case .glb: GLBFile.bytes(map)
            case .pcd, .las: PCDFile.bytes(map, comments: comments)
            }
        try file.write(bytes)
        return []
    }
}

/// The coordinates of a session's surface for surveyors: UTM and heights above the ellipsoid, or local ones.
struct SurveyCoordinates {
    private let zone: UTMZone?
    private let earthFromWorld: Transform?
    private let unixNanoseconds: Int64
    /// Why there is no place on the Earth.
    private let reason: String
    private let accuracyMetres: Double?

    init(_ recording: OpenedRecording, _ heights: FixHeights) throws {
        let georeference = try Georeference(recording.session, GeoreferenceRequest(), heights: heights)
        let origin = georeference.origin
        earthFromWorld = georeference.earthFromWorld
        zone =
            earthFromWorld == nil
            ? nil
            : origin.flatMap { UTMZone(latitudeDegrees: $0.latitudeDegrees, longitudeDegrees: $0.longitudeDegrees) }
        reason = georeference.reasonForAbsence ?? "the place is outside of UTM"
        accuracyMetres = origin?.horizontalAccuracyMetres
        unixNanoseconds = recording.clock.unixNanoseconds(recording.summary.firstTime) ?? 0
    }

    /// The file of a mesh's points in ARKit's world.
    func lasBytes(_ mesh: SurfaceMesh, software: String) throws -> [UInt8] {
        let description = LASFile.Description(
            software: software,
            coordinateSystem: zone?.wellKnownText,
            unixNanoseconds: unixNanoseconds
        )
        let bytes = LASFile.bytes(mesh.points, description) { place in
            let world = Vector3(place) + mesh.origin
            guard let zone, let earthFromWorld else { return Coordinates.mapFromWorld * world }
            return zone.position(ofEarth: earthFromWorld * world)
        }
        guard let bytes else {
            throw OutputError(path: "las", expected: "points less than 4,294 km apart", found: "others")
        }
        return bytes
    }

    /// The heights of a map of the floor: on a grid with north up where the place on the Earth is known, else as they are.
    func heightMap(_ map: OccupancyMap, limit: Int, description: String) throws(OversizeMap) -> HeightMapFile {
        guard let zone, let earthFromWorld else { return HeightMapFile(map, description: description) }
        let earthFromMap = earthFromWorld * Coordinates.mapFromWorld.inverse
        let level = map.floor.heightMetres
        return try HeightMapFile(map, epsgCode: zone.epsgCode, limit: limit, description: description) { x, y in
            let place = zone.position(ofEarth: earthFromMap * Vector3(x, y, level))
            return (place.x, place.y)
        }
    }

    /// - Parameter heights: what heights are measured from.
    func facts(heights: String = "heights above the ellipsoid") -> [Fact] {
        guard let zone else {
            let text = "local: those of the frame map, as \(reason)"
            return [Fact("coordinates", text, "coordinates", "local")]
        }
        let accuracy = accuracyMetres.map { ", to \(Format.number($0, decimals: 1)) m" } ?? ""
        let text = "\(zone.name) (EPSG:\(zone.epsgCode))\(accuracy), \(heights)"
        return [Fact("coordinates", text, "coordinates", .string("EPSG:\(zone.epsgCode)"))]
    }
}
