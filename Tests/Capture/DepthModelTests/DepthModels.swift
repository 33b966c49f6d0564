import Glibc
import Perception
import Recording
import TestSupport

/// The networks of ``DepthModelFiles``, loaded.
enum DepthModels {
    /// Lives as long as the process, so that the arena that all share has the limit of the default options.
    private static let first = try? network("mean")

    /// Whether the models are there and ONNX Runtime is found; where the peers are required it must be.
    static let isAvailable = PeerPython.isAvailable && (PeerPython.isRequired || first != nil)
    static let absence = PeerPython.absence

    static func path(_ name: String) -> String { DepthModelFiles.path(name) }

    static func options(_ name: String) -> DepthNetworkOptions {
        var options = DepthNetworkOptions(modelPath: path(name))
        options.runtimePath = DepthModelFiles.runtime
        return options
    }

    /// Tests load models while others let go of theirs, which no command does: the environment of ONNX Runtime, of which a
    /// process has one, cannot be made in that moment.
    static func network(_ name: String) throws(DepthNetworkError) -> DepthNetwork {
        for _ in 0..<100 {
            do throws(DepthNetworkError) {
                return try DepthNetwork(options(name))
            } catch {
                guard error.description.contains("LoggingManager") else { throw error }
                usleep(2000)
            }
        }
        return try DepthNetwork(options(name))
    }

    /// Noise that follows from the seed alone.
    static func image(width: Int, height: Int, seed: UInt64 = 1) -> RGBImage {
        var state = seed
        let pixels = (0..<(3 * width * height)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    /// What `mean` gives for an image: the mean of the normalised channels, pixel by pixel and in double precision.
    static func naiveMean(
        _ image: RGBImage,
        _ size: GridSize,
        mean: [Double] = [0.485, 0.456, 0.406],
        deviation: [Double] = [0.229, 0.224, 0.225]
    ) -> [Double] {
        let down = weights(from: image.height, to: size.height)
        let across = weights(from: image.width, to: size.width)
        var values: [Double] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                var sum = 0.0
                for row in 0..<image.height where down[y][row] > 0 {
                    for column in 0..<image.width where across[x][column] > 0 {
                        let place = 3 * (row * image.width + column)
                        let share = down[y][row] * across[x][column]
                        for channel in 0..<3 {
                            let value = Double(image.pixels[place + channel]) / 255
                            sum += share * (value - mean[channel]) / deviation[channel] / 3
                        }
                    }
                }
                values.append(sum)
            }
        }
        return values
    }

    /// How much of each old pixel is in each new one.
    private static func weights(from old: Int, to new: Int) -> [[Double]] {
        let scale = Double(old) / Double(new)
        return (0..<new).map { index in
            (0..<old).map { place in
                if old > new {
                    let end = min(Double(index + 1) * scale, Double(place + 1))
                    return max(0, end - max(Double(index) * scale, Double(place))) / scale
                }
                let centre = min(max((Double(index) + 0.5) * scale - 0.5, 0), Double(old - 1))
                return max(0, 1 - abs(centre - Double(place)))
            }
        }
    }
}
