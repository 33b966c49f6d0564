/// The rows of a depth grid in a shape that is good for vectors: the width is a multiple of eight.
///
/// Invalid values and padding are 0, negative, NaN or infinite. The caller of the function that made them owns the memory.
struct DepthRows {
    /// What is used: 0 where the edge filter dropped a pixel.
    var depth: UnsafePointer<Float>
    /// What was measured; the same memory as `depth` where there is no edge filter.
    var measured: UnsafePointer<Float>
    var confidence: UnsafePointer<UInt8>
    /// The distance between rows of `confidence`: 0 where one row stands for all.
    var confidenceStride: Int
    /// The number of columns with padding, a multiple of eight.
    var paddedWidth: Int
    var columns: Int
    var rows: Int

    var paddedCount: Int { paddedWidth * rows }
    var isEdgeFiltered: Bool { measured != depth }
}

/// Brings a depth map into the shape of `DepthRows`: pads, drops flying pixels, takes every n-th pixel.
///
/// What needs no change is used where it is.
final class DepthPreparation {
    private let paddedDepth = Scratch<Float>()
    private let paddedConfidence = Scratch<UInt8>()
    private let edgeFiltered = Scratch<Float>()
    private let sampledDepth = Scratch<Float>()
    private let sampledMeasured = Scratch<Float>()
    private let sampledConfidence = Scratch<UInt8>()
    private let constantConfidence = Scratch<UInt8>()

    /// The rows are valid until the next call, as long as the memory given is.
    func rows(
        depth: UnsafePointer<Float>,
        confidence: UnsafePointer<UInt8>?,
        width: Int,
        height: Int,
        parameters: CloudParameters
    ) -> DepthRows {
        var rows = DepthRows(
            depth: depth,
            measured: depth,
            confidence: confidence ?? allConfident(roundedUp(width)),
            confidenceStride: confidence == nil ? 0 : width,
            paddedWidth: roundedUp(width),
            columns: width,
            rows: height
        )
        if rows.paddedWidth != width { pad(&rows) }
        if parameters.edgeFilter {
            let target = edgeFiltered.reserve(rows.paddedCount)
            EdgeFilter(parameters).filter(rows, into: target)
            rows.depth = UnsafePointer(target)
        }
        if parameters.stride > 1 { sample(&rows, stride: parameters.stride) }
        return rows
    }

    private func allConfident(_ count: Int) -> UnsafePointer<UInt8> {
        let row = constantConfidence.reserve(count)
        row.update(repeating: 255, count: count)
        return UnsafePointer(row)
    }

    private func pad(_ rows: inout DepthRows) {
        let depth = paddedDepth.reserve(rows.paddedCount)
        depth.update(repeating: 0, count: rows.paddedCount)
        for row in 0..<rows.rows {
            (depth + row * rows.paddedWidth).update(from: rows.depth + row * rows.columns, count: rows.columns)
        }
        rows.depth = UnsafePointer(depth)
        rows.measured = rows.depth
        guard rows.confidenceStride != 0 else { return }
        let confidence = paddedConfidence.reserve(rows.paddedCount)
        confidence.update(repeating: 0, count: rows.paddedCount)
        for row in 0..<rows.rows {
            (confidence + row * rows.paddedWidth)
                .update(from: rows.confidence + row * rows.columns, count: rows.columns)
        }
        rows.confidence = UnsafePointer(confidence)
        rows.confidenceStride = rows.paddedWidth
    }

    private func sample(_ rows: inout DepthRows, stride: Int) {
        var sampled = rows
        sampled.columns = (rows.columns + stride - 1) / stride
        sampled.rows = (rows.rows + stride - 1) / stride
        sampled.paddedWidth = roundedUp(sampled.columns)
        let confidence = sampledConfidence.reserve(sampled.paddedCount)
        confidence.update(repeating: 0, count: sampled.paddedCount)
        for row in 0..<sampled.rows {
            for column in 0..<sampled.columns {
                confidence[row * sampled.paddedWidth + column] =
                    rows.confidence[row * stride * rows.confidenceStride + column * stride]
            }
        }
        sampled.depth = sample(rows.depth, of: rows, stride: stride, as: sampled, into: sampledDepth)
        sampled.measured =
            rows.isEdgeFiltered
            ? sample(rows.measured, of: rows, stride: stride, as: sampled, into: sampledMeasured) : sampled.depth
        sampled.confidence = UnsafePointer(confidence)
        sampled.confidenceStride = sampled.paddedWidth
        rows = sampled
    }

    private func sample(
        _ depth: UnsafePointer<Float>,
        of rows: DepthRows,
        stride: Int,
        as sampled: DepthRows,
        into memory: Scratch<Float>
    ) -> UnsafePointer<Float> {
        let target = memory.reserve(sampled.paddedCount)
        target.update(repeating: 0, count: sampled.paddedCount)
        for row in 0..<sampled.rows {
            for column in 0..<sampled.columns {
                target[row * sampled.paddedWidth + column] =
                    depth[row * stride * rows.paddedWidth + column * stride]
            }
        }
        return UnsafePointer(target)
    }
}

private func roundedUp(_ width: Int) -> Int { (width + 7) & ~7 }
