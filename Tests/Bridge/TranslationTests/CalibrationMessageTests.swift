import Foundation
import Messages
import Synthetic
import SystemPackage
import Testing
import Translation

/// What a calibration says of itself: the fit that was made, and how the published depth follows from the model's.
@Suite struct CalibrationMessageTests {
    private struct Metadata: Decodable {
        var model: String
        var method: String
        var input: String
        var relative_depth: String
        var inverse_shift: Double
        var sample_count: Int
        var inlier_count: Int
        var inlier_ratio: Double
        var rmse_m: Double
        var median_absolute_error_m: Double
        var coverage: Double
    }

    private struct Fit {
        var message: DepthAnythingCalibration
        var metadata: Metadata
    }

    private func fits(_ sample: Sample, _ change: (inout ReplayPlan) -> Void = { _ in }) async throws -> [Fit] {
        let replayed = try await Replayed(sample.path, profile: "record", change)
        return try replayed.all("/mapping/depth_anything/calibration", DepthAnythingCalibration.self).map {
            Fit(message: $0, metadata: try JSONDecoder().decode(Metadata.self, from: Data($0.metadataJSON.utf8)))
        }
    }

    private func sample() async throws -> Sample {
        var options = Sample.everything
        options.durationSeconds = 1
        return try await Sample(options)
    }

    /// The generator's own a and b of 1/z = a r + b, without noise.
    @Test func inverseDepthIsFittedRobustly() async throws {
        let sample = try await sample()
        let truth = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: sample.path.appending("truth.json").string))
        )
        let frames = try #require((truth as? [String: Any])?["frames"] as? [[String: Any]])
        let fits = try await fits(sample)
        #expect(fits.count == 5)
        for fit in fits {
            let (message, metadata) = (fit.message, fit.metadata)
            #expect(message.calibrationSource == "lidar_robust_line_fit" && metadata.method == "robust_line_fit")
            #expect(message.relativeDepthUnits == "up_to_scale" && message.metricDepthUnits == "m")
            #expect(metadata.model == "inverse_depth" && metadata.input == "inverse_depth")
            #expect(metadata.relative_depth == "1 / (value + inverse_shift)")
            #expect(message.relativeDepthWidth == 518 && message.relativeDepthHeight == 392)
            #expect(message.imageWidth == 96 && message.imageHeight == 72 && message.source == "synthetic")
            let index = sample.truth.stamps(every: 1).firstIndex(of: message.header.stampNanoseconds)
            let frame = frames[try #require(index)]
            let a = try #require(frame["relative_depth_a"] as? Double)
            let b = try #require(frame["relative_depth_b"] as? Double)
            #expect(abs(message.scale * a - 1) < 0.005 && message.offset == 0)
            #expect(abs(metadata.inverse_shift * a - b) < 0.005)
            #expect(metadata.sample_count > 20_000 && metadata.inlier_count > metadata.sample_count / 2)
            #expect(abs(metadata.inlier_ratio - Double(metadata.inlier_count) / Double(metadata.sample_count)) < 1e-9)
            #expect(abs(metadata.coverage - Double(metadata.sample_count) / (256 * 192)) < 1e-9)
            #expect(metadata.rmse_m < 0.03 && metadata.median_absolute_error_m < 0.01)
        }
    }

    /// The app's straight line through inverse depth: another method, another model, and no longer a mere scale.
    @Test func theAppsFitSaysSo() async throws {
        let fits = try await fits(try await sample()) { plan in
            if let app = Profile.named("app") { plan.profile = app }
        }
        #expect(fits.count == 5)
        for fit in fits {
            #expect(fit.message.calibrationSource == "lidar_weighted_least_squares")
            #expect(fit.metadata.method == "weighted_least_squares" && fit.metadata.model == "straight_line")
            #expect(fit.metadata.input == "inverse_depth" && fit.metadata.relative_depth == "value")
            #expect(fit.message.relativeDepthUnits == "inverse_up_to_scale_and_offset")
            #expect(fit.message.scale < 0 && fit.message.offset > 0 && fit.metadata.inverse_shift == 0)
        }
    }
}
