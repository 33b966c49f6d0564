import Messages
import Perception
import Recording
import Sessions
import Text

/// The message that says how a relative cloud becomes metric: `metric_depth_m = scale * relative_depth + offset`.
enum CalibrationMessage {
    static func make(
        _ relative: RelativeResult,
        frame: FrameReference,
        header: Header,
        _ context: SourceContext
    ) -> DepthAnythingCalibration {
        let fit = relative.calibration
        var message = DepthAnythingCalibration()
        message.header = header
        message.schemaVersion = 1
        message.source = context.summary.relativeDepthModel ?? "monocular_relative_depth"
        message.relativePointcloudTopic = context.naming.name(.relativeCloud)
        message.overlayMeshSource = ""
        message.frameID = header.frameID
        message.relativeDepthWidth = UInt32(clamping: relative.gridSize.width)
        message.relativeDepthHeight = UInt32(clamping: relative.gridSize.height)
        message.imageWidth = UInt32(clamping: frame.intrinsics.width)
        message.imageHeight = UInt32(clamping: frame.intrinsics.height)
        message.scale = fit.scale
        message.offset = fit.offset
        message.equation = "metric_depth_m = scale * relative_depth + offset"
        message.relativeDepthUnits = fit.relativeDepthUnits
        message.metricDepthUnits = "m"
        message.calibrationSource = "lidar_\(fit.method.wireName)"
        message.metadataJSON = metadata(fit)
        return message
    }

    private static func metadata(_ fit: RelativeDepthCalibration) -> String {
        let value: JSONValue = [
            "model": .string(fit.model.rawValue),
            "method": .string(fit.method.wireName),
            "input": .string(fit.kind.rawValue),
            "relative_depth": .string(fit.relativeDepthFormula),
            "inverse_shift": .number(fit.inverseShift),
            "sample_count": .integer(Int64(fit.sampleCount)),
            "inlier_count": .integer(Int64(fit.inlierCount)),
            "inlier_ratio": .number(fit.inlierRatio),
            "rmse_m": .number(fit.rmseMetres),
            "median_absolute_error_m": .number(fit.medianAbsoluteErrorMetres),
            "coverage": .number(fit.coverage),
        ]
        return value.text()
    }
}

extension CalibrationParameters.Method {
    fileprivate var wireName: String {
        switch self {
        case .robust: "robust_line_fit"
        case .leastSquares: "weighted_least_squares"
        }
    }
}

extension RelativeDepthCalibration {
    /// The unknowns up to which the published relative depth is known.
    fileprivate var relativeDepthUnits: String {
        switch (model, kind) {
        case (.inverseDepth, _): "up_to_scale"
        case (.straightLine, .depth): "up_to_scale_and_offset"
        case (.straightLine, .inverseDepth): "inverse_up_to_scale_and_offset"
        }
    }

    /// How the published relative depth follows from the model's values.
    fileprivate var relativeDepthFormula: String {
        switch model {
        case .inverseDepth: "1 / (value + inverse_shift)"
        case .straightLine: "value"
        }
    }
}
