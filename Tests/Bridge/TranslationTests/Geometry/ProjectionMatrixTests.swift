import Foundation
import Messages
import Perception
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing
import Translation

/// ARKit's own projection matrices, which the app of a real capture stored beside the intrinsics, against ours.
///
/// Such a matrix leads from camera axes (x right, y up, z backward) to the image as it is drawn, from -1 at the left and
/// lower border to 1 at the other two. So it counts from the image's borders, whatever the intrinsics count from.
@Suite(
    .enabled(
        if: Captures.have("3dsa-chair", "logger-chair"),
        Comment(rawValue: Captures.absence)
    )
)
struct ProjectionMatrixTests {
    private struct StoredFrame: Decodable {
        var time: Double
        /// Row-major.
        var projectionMatrix: [Double]
        /// Row-major.
        var intrinsics: [Double]

        /// The size of the image that the matrix is for.
        var size: (width: Double, height: Double) {
            (2 * intrinsics[0] / projectionMatrix[0], 2 * intrinsics[4] / projectionMatrix[5])
        }

        /// Where a point in camera axes falls, in pixels from the image's upper left corner.
        func fromCorner(_ p: Recording.Vector3) -> (x: Double, y: Double) {
            let m = projectionMatrix
            let x = m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]
            let y = m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7]
            let w = m[12] * p.x + m[13] * p.y + m[14] * p.z + m[15]
            return ((x / w + 1) / 2 * size.width, (1 - y / w) / 2 * size.height)
        }
    }

    private static let frames: [StoredFrame] = {
        let folder = Captures.path("3dsa-chair").string
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix("frame_") && $0.hasSuffix(".json") }.sorted().compactMap { name in
            let data = FileManager.default.contents(atPath: folder + "/" + name)
            return data.flatMap { try? JSONDecoder().decode(StoredFrame.self, from: $0) }
        }
    }()

    private let points = [
        Recording.Vector3(0, 0, -1), Recording.Vector3(0.7, -0.4, -1.5), Recording.Vector3(-1.2, 0.9, -2),
    ]

    @Test func principalPointsAreHalfAPixelFromTheCorner() {
        #expect(Self.frames.count == 70)
        for frame in Self.frames {
            #expect(abs(frame.size.width - 1920) < 1e-3 && abs(frame.size.height - 1440) < 1e-3)
            let axis = frame.fromCorner(Recording.Vector3(0, 0, -1))
            #expect(abs(axis.x - frame.intrinsics[2] - 0.5) < 1e-3)
            #expect(abs(axis.y - frame.intrinsics[5] - 0.5) < 1e-3)
        }
    }

    /// The session made of that capture: a pixel's centre is half a pixel from its corner, for ROS and for ARKit.
    @Test func cameraInfosProjectAsARKitDoes() async throws {
        let replayed = try await Replayed(Captures.path("logger-chair"), epoch: .boot)
        for (topic, scale) in [("/mapping/camera/camera_info", 1.0), ("/mapping/depth/camera_info", 7.5)] {
            let infos = replayed.all(topic, CameraInfo.self)
            #expect(infos.count == 24, "\(topic)")
            for info in infos {
                let seconds = Double(info.header.stampNanoseconds) / 1e9
                let frame = try #require(Self.frames.first { abs($0.time - seconds) < 1e-6 })
                for p in points {
                    // Optical axes: y down, z forward.
                    let x = info.k[0] * p.x / -p.z + info.k[2]
                    let y = info.k[4] * -p.y / -p.z + info.k[5]
                    let expected = frame.fromCorner(p)
                    #expect(abs((x + 0.5) * scale - expected.x) < 2e-3, "\(topic) at \(seconds)")
                    #expect(abs((y + 0.5) * scale - expected.y) < 2e-3, "\(topic) at \(seconds)")
                }
            }
        }
    }

    /// Each depth pixel's point is drawn where the pixel is: 7.5 image pixels wide, from the common corner.
    @Test func cloudsAreDrawnWhereTheirPixelsAre() throws {
        let session = try SessionFormats.open(path: Captures.path("logger-chair").string)
        let loader = session.makeLoader()
        let cursor = try session.records(RecordRequest(streams: [.frames]))
        var parameters = CloudParameters()
        parameters.voxelSizeMetres = nil
        parameters.outlierFilter = .off
        parameters.edgeFilter = false
        parameters.minimumConfidence = 0
        let builder = CloudBuilder()
        var diagnostics = Diagnostics()
        var examined = 0
        while let record = try cursor.next() {
            guard case .frame(let reference) = record else { continue }
            let frame = try #require(Self.frames.first { abs($0.time - reference.time.seconds) < 1e-6 })
            let depth = try #require(loader.depth(of: reference, &diagnostics))
            let cloud = try builder.build(
                depth: depth,
                intrinsics: reference.intrinsics,
                mapFromCamera: .identity,
                image: nil,
                parameters: parameters
            )
            let pixels = depth.metres.indices.filter { depth.metres[$0] > 0.1 && depth.metres[$0] < 5 }
            try #require(cloud.count == pixels.count && !pixels.isEmpty)
            for (index, pixel) in pixels.enumerated() where index % 97 == 0 {
                let p = cloud.position(index)
                let drawn = frame.fromCorner(Recording.Vector3(Double(p.x), Double(p.y), Double(p.z)))
                #expect(abs(drawn.x - (Double(pixel % 256) + 0.5) * 7.5) < 5e-3)
                #expect(abs(drawn.y - (Double(pixel / 256) + 0.5) * 7.5) < 5e-3)
            }
            examined += 1
        }
        #expect(examined == 24)
    }
}
