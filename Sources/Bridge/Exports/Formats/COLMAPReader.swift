import Platform
import Recording
import SystemPackage

/// Reads cameras and images of a model as COLMAP does, for the self-test.
struct COLMAPReader {
    private let context: ExportContext
    private let isBinary: Bool

    init(_ context: ExportContext, isBinary: Bool) {
        self.context = context
        self.isBinary = isBinary
    }

    func views(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        let found = try isBinary ? binaryImages(numbers) : textImages(numbers)
        let needed = Set(found.values.map(\.camera))
        let cameras = try isBinary ? binaryCameras(needed) : textCameras(needed)
        return found.mapValues { image in
            ReadView(
                worldFromOptical: Self.worldFromOptical(image.pose),
                intrinsics: cameras[image.camera]
            )
        }
    }

    /// qw qx qy qz tx ty tz, camera from world.
    private static func worldFromOptical(_ pose: [Double]) -> Transform {
        let rotation = Quaternion(x: pose[1], y: pose[2], z: pose[3], w: pose[0])
        return Transform(rotation: rotation, translation: Vector3(pose[4], pose[5], pose[6])).inverse
    }

    private func textImages(_ numbers: Set<Int>) throws -> [Int: (pose: [Double], camera: Int)] {
        var images: [Int: (pose: [Double], camera: Int)] = [:]
        // The lines of 2D points are empty, and so are not among these.
        for line in try context.lines("sparse/0/images.txt") {
            let fields = line.split(separator: " ")
            guard fields.count == 10, let number = Int(fields[0]), numbers.contains(number),
                let pose = ExportText.parse(fields[1...7].joined(separator: " ")), let camera = Int(fields[8])
            else { continue }
            images[number] = (pose, camera)
        }
        return images
    }

    private func textCameras(_ needed: Set<Int>) throws -> [Int: CameraIntrinsics] {
        var cameras: [Int: CameraIntrinsics] = [:]
        for line in try context.lines("sparse/0/cameras.txt") {
            let fields = line.split(separator: " ")
            guard fields.count == 8, fields[1] == "PINHOLE", let number = Int(fields[0]), needed.contains(number),
                let width = Int(fields[2]),
                let height = Int(fields[3]), let values = ExportText.parse(fields[4...].joined(separator: " "))
            else { continue }
            cameras[number] = Self.camera(width, height, values)
        }
        return cameras
    }

    private static func camera(_ width: Int, _ height: Int, _ values: [Double]) -> CameraIntrinsics {
        CameraIntrinsics(
            width: width,
            height: height,
            fx: values[0],
            fy: values[1],
            cx: values[2] - 0.5,
            cy: values[3] - 0.5
        )
    }

    private func binaryImages(_ numbers: Set<Int>) throws -> [Int: (pose: [Double], camera: Int)] {
        var reader = try WrittenValues(context.folder.file("sparse/0/images.bin"))
        var images: [Int: (pose: [Double], camera: Int)] = [:]
        guard let count = reader.integer(UInt64.self) else { return [:] }
        for _ in 0..<count {
            guard let number = reader.integer(UInt32.self), let pose = reader.doubles(7),
                let camera = reader.integer(UInt32.self), reader.skipText(), reader.integer(UInt64.self) == 0
            else { break }
            if numbers.contains(Int(number)) { images[Int(number)] = (pose, Int(camera)) }
        }
        return images
    }

    private func binaryCameras(_ needed: Set<Int>) throws -> [Int: CameraIntrinsics] {
        var reader = try WrittenValues(context.folder.file("sparse/0/cameras.bin"))
        var cameras: [Int: CameraIntrinsics] = [:]
        guard let count = reader.integer(UInt64.self) else { return [:] }
        for _ in 0..<count {
            guard let number = reader.integer(UInt32.self), let model = reader.integer(UInt32.self), model == 1,
                let width = reader.integer(UInt64.self), let height = reader.integer(UInt64.self),
                let values = reader.doubles(4)
            else { break }
            if needed.contains(Int(number)) {
                cameras[Int(number)] = Self.camera(Int(clamping: width), Int(clamping: height), values)
            }
        }
        return cameras
    }
}
