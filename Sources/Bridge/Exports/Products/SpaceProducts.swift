import Codecs
package import Maps
package import Platform
import Recording
package import Sessions
package import SystemPackage
package import Translation

/// A file that is made of what is free and occupied; nav2's is a file and an image.
package struct SpaceFile: Sendable {
    /// What it is made of.
    package struct Content {
        package let volume: OccupancyVolume
        let recording: OpenedRecording
        let mode: Nav2Map.Mode
        let comments: [String]
        let path: FilePath
        let heights: FixHeights

        package init(
            _ volume: OccupancyVolume,
            of recording: OpenedRecording,
            at path: FilePath,
            _ mode: Nav2Map.Mode,
            version: String,
            heights: FixHeights
        ) {
            (self.volume, self.recording, self.path, self.mode, self.heights) = (volume, recording, path, mode, heights)
            comments = Product.comments(recording.summary.name, version: version)
        }

        /// The map of the floor.
        ///
        /// - Throws: a ``RobotMapError`` without a floor.
        func floor() throws -> OccupancyMap {
            do {
                return try OccupancyMap(volume)
            } catch let error as MissingFloor {
                throw RobotMapError.noFloor(session: recording.summary.name, error)
            } catch let error as OversizeMap {
                throw RobotMapError.tooLarge(error)
            }
        }
    }

    /// What was made: the bytes of each file, those that are named by another first.
    package struct Made {
        package enum Subject {
            case cells(OctoMapFile)
            case floor(OccupancyMap, SurveyCoordinates?)
        }

        package let files: [(path: FilePath, bytes: [UInt8])]
        package let subject: Subject
    }

    /// True if the map is of the floor.
    package var isOfFloor = true
    /// True if --map-mode means something.
    package var hasModes = false
    /// The file beside it, and what that is.
    package var beside: @Sendable (FilePath, Nav2Map.Mode) -> (path: FilePath, kind: OutputKind)? = { _, _ in nil }
    package let make: @Sendable (Content) throws -> Made

    package init(make: @escaping @Sendable (Content) throws -> Made) { self.make = make }
}

extension Product {
    private static func space(_ name: String, _ ending: String, _ kind: OutputKind, _ file: SpaceFile) -> Product {
        Product(name, .space(file)).with {
            ($0.ending, $0.kind, $0.unit.how) = (ending, kind, "`mapeverything map -o NAME.\(ending)`")
        }
    }

    static let nav2: Product = {
        @Sendable func image(of path: FilePath, _ mode: Nav2Map.Mode) -> FilePath {
            var path = path
            path.extension = mode == .scale ? "png" : "pgm"
            return path
        }
        var file = SpaceFile { content in
            let (map, mode) = (try content.floor(), content.mode)
            let nav2 = Nav2Map(map, mode)
            let size = GridSize(width: map.width, height: map.height)
            let image = image(of: content.path, mode)
            let yaml = nav2.yaml(image: image.lastComponent?.string ?? image.string, comments: content.comments)
            let pixels = try mode == .scale ? PNG.encode(rgba: nav2.rgba, size: size) : nav2.pgm
            return SpaceFile.Made(
                files: [(image, pixels), (content.path, Array(yaml.utf8))],
                subject: .floor(map, nil)
            )
        }
        file.hasModes = true
        file.beside = { path, mode in
            let kind =
                mode == .scale
                ? OutputKind(name: "a PNG", starts: [[0x89, 0x50, 0x4E, 0x47]])
                : OutputKind(name: "a PGM", starts: ["P5"])
            return (image(of: path, mode), kind)
        }
        return space("nav2", "yaml", OutputKind(name: "a map of nav2 of ours", starts: ["# mapeverything"]), file)
            .with { $0.standsFor = ["pgm", "yaml", "occupancy", "costmap"] }
    }()

    static let octoMap: Product = {
        var file = SpaceFile { content in
            let tree = OctoMapFile(content.volume, comments: content.comments)
            return SpaceFile.Made(files: [(content.path, tree.bytes)], subject: .cells(tree))
        }
        file.isOfFloor = false
        let kind = OutputKind(name: "an OctoMap file of ours", starts: ["# Octomap"], isMarked: true)
        return space("octomap", "bt", kind, file).with { $0.standsFor = ["bt", "ot", "octree"] }
    }()

    static let heights = space(
        "heights",
        "tif",
        OutputKind(name: "a TIFF file of ours", starts: ["II*\0", "MM\0*"], isMarked: true),
        SpaceFile { content in
            let map = try content.floor()
            let coordinates = try SurveyCoordinates(content.recording, content.heights)
            let text = content.comments[0] + ", metres above the floor"
            let heights: HeightMapFile
            do throws(OversizeMap) {
                let limit = content.volume.parameters.maximumMapCells
                heights = try coordinates.heightMap(map, limit: limit, description: text)
            } catch {
                throw RobotMapError.tooLarge(error)
            }
            guard let bytes = heights.bytes else { throw RobotMapError.tall }
            return SpaceFile.Made(files: [(content.path, bytes)], subject: .floor(map, coordinates))
        }
    )
    .with {
        $0.options.insert(.heights)
        $0.standsFor = ["tif", "tiff", "geotiff", "dem"]
    }
}

/// Why there is no map of the floor: no file is written.
package enum RobotMapError: Error, CustomStringConvertible {
    case noFloor(session: String, MissingFloor)
    case tooLarge(OversizeMap)
    /// The axes of the world are those of the first camera.
    case tilted(session: String)
    /// Points farther apart than LAS has numbers for.
    case spread
    /// More than a TIFF has room for.
    case tall
    /// More than an STL counts.
    case manyTriangles(Int)

    package var description: String {
        switch self {
        case .noFloor(let session, let error): "\(session): \(error)"
        case .tooLarge(let error): "\(error)"
        case .spread: "las: expected points less than 4,294 km apart, found others"
        case .tall: "tif: expected heights that a TIFF has room for, found more than 2 GB"
        case .manyTriangles(let count): "stl: expected at most \(UInt32.max) triangles, found \(count)"
        case .tilted(let session):
            "\(session): expected a world that is level, found the axes of the first camera: which way is down is not known"
        }
    }

    package var advice: String? {
        switch self {
        case .noFloor: "Look down at the floor now and then while recording; -o NAME.bt makes a map without a floor."
        case .tooLarge: "A larger --voxel-size takes fewer cells; --start and --duration cut out a part."
        case .spread: nil
        case .tall: "A larger --voxel-size takes fewer cells."
        case .manyTriangles: "A larger --voxel-size makes fewer triangles."
        case .tilted: "-o NAME.bt makes a map that needs no level."
        }
    }
}
