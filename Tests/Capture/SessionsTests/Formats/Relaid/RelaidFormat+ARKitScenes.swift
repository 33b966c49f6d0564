import Foundation
import Recording
import TestSupport

extension RelaidFormat {
    /// The number of the capture.
    static let sceneNumber = "47333462"

    /// The file of a frame in one of the data set's folders; the names of one frame differ by a millisecond.
    static func sceneFile(_ folder: String, _ frame: RelaidTruth.Frame) -> String {
        sceneFile(folder, milliseconds: sceneTime(frame) + (["lowres_depth": 1, "confidence": -1][folder] ?? 0))
    }

    static func sceneFile(_ folder: String, milliseconds: Int) -> String {
        let ending = folder.hasSuffix("_intrinsics") ? "pincam" : "png"
        return "\(folder)/\(sceneNumber)_\(milliseconds / 1000).\(padded(milliseconds % 1000, 3)).\(ending)"
    }

    /// In milliseconds.
    static func sceneTime(_ frame: RelaidTruth.Frame) -> Int { Int((frame.time.nanoseconds + 500_000) / 1_000_000) }

    static func arkitScenes(_ truth: RelaidTruth) -> Relaid {
        var relaid = Relaid()
        var lines = ""
        for frame in truth.frames {
            let numbers = [frame.time.seconds] + cameraFromWorld(frame.rows)
            lines += numbers.map { "\($0)" }.joined(separator: " ") + "\n"
            let (width, height) = (frame.depth.width, frame.depth.height)
            relaid.files[sceneFile("lowres_depth", frame)] = HandmadePNG.gray16(
                width: width,
                height: height,
                frame.millimetres
            )
            relaid.files[sceneFile("confidence", frame)] = HandmadePNG.gray8(
                width: width,
                height: height,
                frame.depth.confidence ?? []
            )
        }
        relaid.put(lines, "lowres_wide.traj")
        relaid.addScenes("vga_wide", truth.withCameras(of: GridSize(width: 640, height: 480)).frames)
        // Cameras without pictures.
        for frame in truth.withCameras(of: GridSize(width: 256, height: 192)).frames {
            relaid.putScenesCamera("lowres_wide", frame)
        }
        relaid.put("ply\n", "\(sceneNumber)_3dod_mesh.ply")
        return relaid
    }

    /// Axis times angle and translation, of a world with z up and camera axes x right, y down, z forward.
    private static func cameraFromWorld(_ rows: [[Double]]) -> [Double] {
        let turned = rows.map { [$0[0], -$0[1], -$0[2], $0[3]] }
        let m = [turned[0], turned[2].map { -$0 }, turned[1]]
        // The transposed rotation is the inverse one.
        let r = (0..<3).map { row in (0..<3).map { m[$0][row] } }
        let t = (0..<3).map { row in -(0..<3).reduce(0) { $0 + r[row][$1] * m[$1][3] } }
        let axis = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]]
        let sine = axis.reduce(0) { $0 + $1 * $1 }.squareRoot()
        let angle = atan2(sine, r[0][0] + r[1][1] + r[2][2] - 1)
        return axis.map { sine > 1e-12 ? $0 / sine * angle : 0 } + t
    }
}

extension Relaid {
    /// Pictures and cameras of a stream of ARKitScenes.
    mutating func addScenes(_ stream: String, _ frames: some Sequence<RelaidTruth.Frame>) {
        for frame in frames {
            putScenesCamera(stream, frame)
            files[RelaidFormat.sceneFile(stream, frame)] = frame.image
        }
    }

    mutating func putScenesCamera(_ stream: String, _ frame: RelaidTruth.Frame) {
        let k = frame.camera
        put(
            "\(k.width) \(k.height) \(k.fx) \(k.fy) \(k.cx) \(k.cy)\n",
            RelaidFormat.sceneFile("\(stream)_intrinsics", frame)
        )
    }
}
