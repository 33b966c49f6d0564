import Codecs
package import Maps
package import Platform
import Recording
package import Sessions
package import Translation

/// A file that is made of a session's surface.
package struct SurfaceFile: Sendable {
    /// What it is made of.
    package struct Content {
        /// In ARKit's world; with colours by height where no image showed any of it.
        package let mesh: SurfaceMesh
        /// True if the points are wanted, not the triangles.
        package let isCloud: Bool
        /// What a file says of itself.
        package let comments: [String]
        /// What colours are, where they are none of images.
        let remark: String?
        let recording: OpenedRecording
        let heights: FixHeights

        package init(
            _ mesh: SurfaceMesh,
            of recording: OpenedRecording,
            isCloud: Bool,
            version: String,
            heights: FixHeights
        ) {
            (self.mesh, self.recording, self.isCloud, self.heights) = (
                mesh.colouredByHeight(), recording, isCloud, heights
            )
            remark = mesh.hasColours ? nil : "colours " + SurfaceMesh.byHeight
            comments = Product.comments(recording.summary.name, version: version) + [remark].compactMap(\.self)
        }

        /// In the axes of the frame `map`, as the clouds of a bag.
        var map: SurfaceMesh { mesh.transformed(by: Coordinates.mapFromWorld) }
    }

    /// What was made, and what is to be said of it.
    package struct Made {
        package let content: FileContent
        /// Of a file for surveyors.
        package let coordinates: SurveyCoordinates?
        /// Why there are no colours, whatever the mesh has; nil where there are.
        package let noColours: String?

        package init(_ content: FileContent, _ coordinates: SurveyCoordinates? = nil, noColours: String? = nil) {
            (self.content, self.coordinates, self.noColours) = (content, coordinates, noColours)
        }

        package init(_ bytes: [UInt8], _ coordinates: SurveyCoordinates? = nil) {
            self.init(FileContent(bytes), coordinates)
        }
    }

    /// Why the file holds no points without triangles; nil where it does.
    package var noClouds: String?
    /// True if `export` writes points, not triangles.
    package var isCloudExported = false
    package let make: @Sendable (Content) throws -> Made

    package init(make: @escaping @Sendable (Content) throws -> Made) { self.make = make }
}

/// PLY, OBJ, STL and PCD have the axes of the frame `map`; glTF is y up, as the session is; LAS has UTM's where the session's place on the
/// Earth is known.
extension Product {
    /// What a map says of itself.
    package static func comments(_ sessionName: String, version: String) -> [String] {
        ["mapeverything \(version), session \(sessionName)", "frame map (x, y, z up), metres"]
    }

    private static func surface(_ name: String, _ start: String, _ file: SurfaceFile) -> Product {
        Product(name, .surface(file)).with {
            ($0.ending, $0.options) = (name, ProductOptions.depth.union([.points, .workers]))
            $0.kind = OutputKind(name: "a \(name.uppercased()) file of ours", starts: [start], isMarked: true)
        }
    }

    package static let ply: Product = {
        var file = SurfaceFile { content in
            let (map, comments) = (content.map, content.comments)
            return SurfaceFile.Made(
                content.isCloud ? PLYFile.cloud(map, comments: comments) : PLYFile.bytes(map, comments: comments)
            )
        }
        file.isCloudExported = true
        return surface("ply", "ply", file).with {
            $0.ofBag = .clouds
            $0.standsFor = ["off", "mesh"]
        }
    }()

    static let glb: Product = {
        var file = SurfaceFile { SurfaceFile.Made(GLBFile.bytes($0.mesh, remark: $0.remark)) }
        file.noClouds = "it is made of a mesh"
        return surface("glb", "glTF", file).with { $0.standsFor = ["gltf", "usd", "usdz", "fbx", "dae"] }
    }()

    static let obj = surface(
        "obj",
        "# Wavefront OBJ",
        SurfaceFile {
            SurfaceFile.Made(OBJFile.content($0.map, isCloud: $0.isCloud, comments: $0.comments))
        }
    )

    static let stl: Product = {
        var file = SurfaceFile { content in
            guard let made = STLFile.content(content.map, comments: content.comments) else {
                throw RobotMapError.manyTriangles(content.mesh.triangles.count)
            }
            return SurfaceFile.Made(made, noColours: "STL has no place for them")
        }
        file.noClouds = "STL has triangles alone"
        return surface("stl", "binary STL", file)
    }()

    static let pcd = surface(
        "pcd",
        "# .PCD",
        SurfaceFile { SurfaceFile.Made(PCDFile.bytes($0.map, comments: $0.comments)) }
    )
    .with { $0.standsFor = ["xyz", "pts"] }

    static let las: Product = {
        var file = SurfaceFile { content in
            let coordinates = try SurveyCoordinates(content.recording, content.heights)
            return SurfaceFile.Made(try coordinates.lasBytes(content), coordinates)
        }
        file.isCloudExported = true
        return surface("las", "LASF", file).with {
            $0.options.insert(.heights)
            $0.standsFor = ["laz", "e57"]
        }
    }()
}

/// The coordinates of a session's surface for surveyors: UTM and heights above the ellipsoid, or local ones.
package struct SurveyCoordinates: Sendable {
    package let zone: UTMZone?
    private let earthFromWorld: Transform?
    private let unixNanoseconds: Int64
    /// Why there is no place on the Earth.
    package let reason: String
    package let accuracyMetres: Double?

    package init(_ recording: OpenedRecording, _ heights: FixHeights) throws {
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
    func lasBytes(_ content: SurfaceFile.Content) throws -> [UInt8] {
        let mesh = content.mesh
        let description = LASFile.Description(
            software: content.comments[0],
            coordinateSystem: zone?.wellKnownText,
            remark: content.remark,
            unixNanoseconds: unixNanoseconds
        )
        let bytes = LASFile.bytes(mesh.points, description) { place in
            let world = Vector3(place) + mesh.origin
            guard let zone, let earthFromWorld else { return Coordinates.mapFromWorld * world }
            return zone.position(ofEarth: earthFromWorld * world)
        }
        guard let bytes else {
            throw RobotMapError.spread
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
}
