import Codecs
import Foundation
import Recording
import Synthetic
import TestSupport
import Testing

@Suite struct ColourTests {
    /// Where a sensor pixel is in the stored image: the published table of the app's rotations, written out again.
    private func stored(_ orientation: String, _ x: Int, _ y: Int, _ w: Int, _ h: Int) -> (Int, Int) {
        switch orientation {
        case "portrait": (h - 1 - y, x)
        case "portraitUpsideDown": (y, w - 1 - x)
        case "landscapeLeft": (w - 1 - x, h - 1 - y)
        default: (x, y)
        }
    }

    /// The mean difference between the image's pixels and the room's colours at the points that they show.
    private func difference(_ sample: WrittenSample, frame: Int, as orientation: String?) throws -> Double {
        let line = try sample.lines("frames.jsonl")[frame]
        let camera = try WrittenCamera(line)
        let image = try JPEGDecoder().decode(try sample.bytes("rgb/00000\(frame).jpg"))
        let name = try orientation ?? line.text("device_orientation")
        let room = Room(seed: 1)
        let marched = try MarchedRoom(truth: sample.object("truth.json"))
        var sum = 0.0
        var count = 0.0
        let (width, height) = (Int(camera.width), Int(camera.height))
        for y in stride(from: 6, to: height, by: 11) {
            for x in stride(from: 6, to: width, by: 13) {
                let direction = camera.direction(x: Double(x), y: Double(y))
                let depth = marched.march(camera.position, direction)
                let point = camera.position + depth * direction
                let colour = room.colour(
                    at: point,
                    surface: room.surface(nearestTo: point),
                    footprintMetres: depth / camera.fx
                )
                let (column, row) = stored(name, x, y, width, height)
                // An image of another shape has no such pixel.
                guard column < image.width, row < image.height else { continue }
                for channel in 0..<3 {
                    sum += abs(Double(image.pixels[3 * (row * image.width + column) + channel]) - colour[channel])
                }
                count += 3
            }
        }
        return sum / count
    }

    @Test func pixelsShowTheSurfaceInEveryOrientation() async throws {
        var options = WrittenSample.smallOptions()
        options.imageSize = GridSize(width: 640, height: 480)
        options.orientation = .mixed
        options.durationSeconds = 8
        options.framesPerSecond = 1
        let sample = try await WrittenSample(options)
        let orientations = try sample.lines("frames.jsonl").map { try $0.text("device_orientation") }
        #expect(Set(orientations).count == 4)
        for frame in 0..<8 {
            let right = try difference(sample, frame: frame, as: nil)
            #expect(right < 8, "frame \(frame)")
            for other in Set(orientations) where other != orientations[frame] {
                #expect(try difference(sample, frame: frame, as: other) > 2 * right, "frame \(frame) as \(other)")
            }
        }
    }

    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func pillowFindsTheSameImageTurned() async throws {
        var options = WrittenSample.smallOptions()
        options.orientation = .mixed
        options.imageCount = 1
        options.durationSeconds = 4
        options.framesPerSecond = 1
        let sample = try await WrittenSample(options)
        let script = """
            import sys
            from PIL import Image, ImageChops, ImageStat
            def load(k): return Image.open(f'{sys.argv[1]}/rgb/{k:06d}.jpg').convert('RGB')
            base = load(0)
            # Pillow's angles are counter-clockwise: portrait is the sensor image turned clockwise.
            for k, turn in ((1, Image.ROTATE_270), (2, Image.ROTATE_180), (3, Image.ROTATE_90)):
                other = base.transpose(turn)
                assert other.size == load(k).size, k
                mean = sum(ImageStat.Stat(ImageChops.difference(other, load(k))).mean) / 3
                wrong = sum(ImageStat.Stat(ImageChops.difference(other.transpose(Image.ROTATE_180), load(k))).mean) / 3
                assert mean < 6 and wrong > 20, (k, mean, wrong)
            print('same')
            """
        #expect(try PeerPython.output(of: script, [sample.root.path]) == "same")
    }

    @Test func portraitIsUprightAsGravitySays() async throws {
        for (orientation, sign) in [(ImageOrientation.portrait, 1.0), (.portraitUpsideDown, -1.0)] {
            var options = WrittenSample.smallOptions()
            options.orientation = .fixed(orientation)
            let sample = try await WrittenSample(options)
            for line in try sample.lines("frames.jsonl") {
                let camera = try WrittenCamera(line)
                let gravity = camera.inverseRotated(Vector3(0, -1, 0))
                #expect(sign * gravity.x > 0.8)
                let info = try JPEG.inspect(try sample.bytes("rgb/000000.jpg"))
                #expect(info.width == 240 && info.height == 320)
            }
        }
    }

    @Test func imagesCompressLikePhotographs() async throws {
        var options = WrittenSample.smallOptions()
        options.imageSize = GridSize(width: 1920, height: 1440)
        options.durationSeconds = 20
        options.framesPerSecond = 0.2
        let sample = try await WrittenSample(options)
        for index in 0..<4 {
            let bytes = try sample.bytes("rgb/00000\(index).jpg")
            #expect((400_000...900_000).contains(bytes.count), "\(bytes.count)")
            let info = try JPEG.inspect(bytes)
            #expect(info.width == 1920 && info.height == 1440 && info.isBaseline && info.isComplete)
            #expect(info.sampling.map(\.horizontal) == [2, 1, 1] && info.sampling.map(\.vertical) == [2, 1, 1])
        }
    }
}
