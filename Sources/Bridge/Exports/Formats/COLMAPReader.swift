import Platform
import Recording
import SystemPackage

/// Reads cameras and images of a model as COLMAP does, for the self-test.
struct COLMAPReader {
    let context: ExportContext
    let isBinary: Bool

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
            guard fields.count >= 8, let model = COLMAPCamera(rawValue: String(fields[1])), let number = Int(fields[0]),
                needed.contains(number), fields.count == 4 + model.valueCount, let width = Int(fields[2]),
                let height = Int(fields[3]), let values = ExportText.parse(fields[4...].joined(separator: " "))
            else { continue }
            cameras[number] = COLMAPCamera.camera(width, height, values)
        }
        return cameras
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
            guard let number = reader.integer(UInt32.self), let modelNumber = reader.integer(UInt32.self),
                let model = COLMAPCamera.allCases.first(where: { $0.number == modelNumber }),
                let width = reader.integer(UInt64.self), let height = reader.integer(UInt64.self),
                let values = reader.doubles(model.valueCount)
            else { break }
            if needed.contains(Int(number)) {
                cameras[Int(number)] = COLMAPCamera.camera(Int(clamping: width), Int(clamping: height), values)
            }
        }
        return cameras
    }
}

/// The camera models that are written, with their numbers (COLMAP's models.h).
enum COLMAPCamera: String, CaseIterable {
    case pinhole = "PINHOLE"
    case openCV = "OPENCV"
    /// With the third radial coefficient.
    case fullOpenCV = "FULL_OPENCV"

    init(of camera: CameraIntrinsics) {
        self = camera.distortion.map { $0.k3 == 0 ? .openCV : .fullOpenCV } ?? .pinhole
    }

    var number: UInt32 {
        switch self {
        case .pinhole: 1
        case .openCV: 4
        case .fullOpenCV: 6
        }
    }

    var valueCount: Int {
        switch self {
        case .pinhole: 4
        case .openCV: 8
        case .fullOpenCV: 12
        }
    }

    /// fx, fy, cx, cy from the image's corner, then k1, k2, p1, p2, then k3 and the three of the denominator.
    func values(_ camera: CameraIntrinsics) -> [Double] {
        let lens = (camera.distortion?.coefficients ?? []) + [0, 0, 0]
        return [camera.fx, camera.fy, camera.cx + 0.5, camera.cy + 0.5] + lens.prefix(valueCount - 4)
    }

    static func camera(_ width: Int, _ height: Int, _ values: [Double]) -> CameraIntrinsics {
        CameraIntrinsics(
            width: width,
            height: height,
            fx: values[0],
            fy: values[1],
            cx: values[2] - 0.5,
            cy: values[3] - 0.5,
            distortion: LensDistortion(Array(values.dropFirst(4)))
        )
    }
}
