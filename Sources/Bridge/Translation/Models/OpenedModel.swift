package import Maps
package import Messages
import Perception
import Platform
import Recording
import SystemPackage

/// A file of a mesh, a cloud or a plan of the floor, opened to be shown as one latched message.
package struct OpenedModel: Sendable {
    package enum Content: Sendable {
        case surface(SurfaceModel)
        case plan(FloorPlan)
    }

    /// What is wrong with a file, or with the image that it names.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let problem: ModelProblem

        package var description: String { "\(path): \(problem)" }
    }

    /// Larger files are refused: they are read as a whole.
    package static let maximumBytes = 1 << 30
    private static let maximumPlanBytes = 1 << 20

    package let content: Content

    /// The endings of files that can be shown.
    package static let endings = SurfaceModel.Format.allCases.map(\.rawValue) + ["yaml"]

    /// True for a regular file with an ending of the formats.
    package static func isOne(_ path: String) -> Bool {
        let ending = (FilePath(path).extension ?? "").lowercased()
        guard endings.contains(ending) || ending == "yml" else { return false }
        // What records lie beside is a bag.
        return FileType(of: FilePath(path)) == .regular && FilePath(path).lastComponent?.string != "metadata.yaml"
    }

    package init(opening path: String) throws(Failure) {
        let file = FilePath(path)
        let ending = (file.extension ?? "").lowercased()
        if let format = SurfaceModel.Format(rawValue: ending) {
            let bytes = try Self.bytes(file, atMost: Self.maximumBytes)
            content = .surface(try Self.reading(path) { () throws(ModelProblem) in try SurfaceModel(bytes, format) })
            return
        }
        let text = String(decoding: try Self.bytes(file, atMost: Self.maximumPlanBytes), as: UTF8.self)
        let description = try Self.reading(path) { () throws(ModelProblem) in try FloorPlan.Description(parsing: text) }
        let image = file.removingLastComponent().pushing(FilePath(description.image))
        let bytes = try Self.bytes(image, atMost: Self.maximumBytes)
        content = .plan(
            try Self.reading(image.string) { () throws(ModelProblem) in try FloorPlan(description, image: bytes) }
        )
    }

    private static func reading<Value>(
        _ path: String,
        _ body: () throws(ModelProblem) -> Value
    ) throws(Failure) -> Value {
        do throws(ModelProblem) { return try body() } catch { throw Failure(path: path, problem: error) }
    }

    private static func bytes(_ file: FilePath, atMost most: Int) throws(Failure) -> [UInt8] {
        let found: String
        do throws(FileError) {
            let count = try RegularFile.byteCount(of: file)
            guard count > most else { return try RegularFile.part(of: file, at: 0, byteCount: count) }
            found = "\(count >> 20) MiB"
        } catch {
            throw Failure(path: file.string, problem: ModelProblem("a file that can be read", found: error.found))
        }
        throw Failure(path: file.string, problem: ModelProblem("a file of at most \(most >> 20) MiB", found: found))
    }

    // MARK: - As a message

    /// The topic that shows it.
    package var topic: Topic {
        let type: any Message.Type =
            switch content {
            case .surface(let model): model.mesh.triangles.isEmpty ? PointCloud2.self : MarkerArray.self
            case .plan: OccupancyGrid.self
            }
        return Topic(name: "/model", type: type, qos: .latched, delivery: .control)
    }

    package func message(stampNanoseconds: Int64) -> StampedMessage {
        let header = Header(stampNanoseconds: stampNanoseconds, frameID: FrameName.map)
        return StampedMessage(topic: topic, timeNanoseconds: stampNanoseconds, message: message(header))
    }

    private func message(_ header: Header) -> any Message {
        switch content {
        case .surface(let model):
            let mesh = Self.shown(model)
            guard !mesh.triangles.isEmpty else {
                let cloud = Self.cloud(mesh.points)
                return pointCloud(cloud.packed, count: cloud.count, header: header, colour: .float32)
            }
            var marker = MarkerGroups.marker(0, mesh.points, mesh.triangles)
            marker.header = header
            return MarkerArray(markers: [marker])
        case .plan(let plan):
            let turn = Recording.Quaternion(angleRadians: plan.origin.yaw, axis: Recording.Vector3(0, 0, 1))
            let place = Recording.Vector3(plan.origin.x, plan.origin.y, 0)
            var grid = occupancyGrid(
                plan.cells,
                width: plan.width,
                height: plan.height,
                resolutionMetres: plan.resolutionMetres,
                corner: Recording.Transform(rotation: turn, translation: place)
            )
            grid.header = header
            grid.info.mapLoadTime = header.stamp
            return grid
        }
    }

    /// With z up, and with heights as colours where the file has none.
    private static func shown(_ model: SurfaceModel) -> SurfaceMesh {
        let mesh = model.isYUp ? model.mesh.transformed(by: Coordinates.mapFromWorld) : model.mesh
        return mesh.colouredByHeight(axis: 2)
    }

    private static func cloud(_ points: [SurfacePoint]) -> PointCloud {
        var packed: [UInt8] = []
        packed.reserveCapacity(PointCloud.bytesPerPoint * points.count)
        var count = 0
        for point in points where point.isFinite {
            count += 1
            for axis in 0..<3 { packed.appendInteger(point.position[axis].bitPattern) }
            packed.appendInteger(point.colour)
        }
        return PointCloud(count: count, packed: packed)
    }

    // MARK: - In words

    /// What the file holds, and what of it is shown.
    package var lines: [String] {
        switch content {
        case .surface(let model): Self.lines(model)
        case .plan(let plan):
            [
                "a plan of \(plan.width) x \(plan.height) cells of \(plan.resolutionMetres) m, "
                    + "\(plan.cells.count { $0 >= 0 }) of them known"
            ]
        }
    }

    private static func lines(_ model: SurfaceModel) -> [String] {
        let isMesh = model.triangleCount > 0
        var first =
            isMesh
            ? "a mesh of \(model.triangleCount) triangles, \(model.pointCount) points"
            : "a cloud of \(model.pointCount) points"
        if !model.mesh.hasColours { first += "; it has no colours: heights are shown" }
        var lines = [first]
        if model.isWithoutItsTriangles {
            lines.append("more than \(SurfaceModel.maximumTriangles) triangles: its points are shown")
        }
        if model.isThinned {
            lines.append("more than \(SurfaceModel.maximumPoints) points: one in \(model.step) is shown")
        }
        let origin = model.mesh.origin
        if origin != .zero { lines.append("shown from \(origin.x), \(origin.y), \(origin.z) on") }
        return lines
    }
}
