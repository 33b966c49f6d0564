import COnnxRuntime

/// An input or output of a model, as the model declares it.
struct ModelPort {
    var name: String
    /// A number of ONNX's TensorProto.DataType; nil where the port is no tensor.
    var element: Int32?
    /// Negative where the size is not fixed; empty for a number, and where the model does not say how many there are.
    var dimensions: [Int64]

    var isFloatTensor: Bool { element == Int32(ort_element_float) }

    /// The name, the dimensions and the type: `"image" 1x3x?x? float32`.
    var description: String {
        guard let element else { return "\"\(shown(name, atMost: 60))\" (no tensor)" }
        return "\"\(shown(name, atMost: 60))\" \(Self.text(dimensions)) \(Self.typeName(element))"
    }

    /// Dimensions with crosses between them, `?` for those that are not fixed.
    static func text(_ dimensions: [Int64]) -> String {
        guard !dimensions.isEmpty else { return "(no dimensions)" }
        let first = dimensions.prefix(8).map { $0 < 0 ? "?" : String($0) }.joined(separator: "x")
        return dimensions.count > 8 ? first + "x..." : first
    }

    /// The name of an element type, by its number in ONNX.
    static func typeName(_ element: Int32) -> String {
        let names = [
            1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string",
            9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
            16: "bfloat16",
        ]
        return names[Int(element)] ?? "type \(element)"
    }

    /// The first of many ports, for a message.
    static func list(_ ports: [ModelPort], of count: Int) -> String {
        guard count > 0 else { return "none" }
        let names = ports.prefix(6).map(\.description).joined(separator: ", ")
        return count > 6 ? names + " and \(count - 6) more" : names
    }
}

/// The inputs or outputs of a model: how many, and the first of them.
struct ModelPorts {
    /// More are not looked at.
    private static let limit = 16
    private static let rankLimit = 64

    var count: Int
    var first: [ModelPort]

    var description: String { ModelPort.list(first, of: count) }

    init(_ runtime: ONNXRuntime, _ model: OrtModel, areOutputs: Bool) throws(RuntimeFailure) {
        let side: Int32 = areOutputs ? 1 : 0
        var number = 0
        try runtime.check(ort_port_count(runtime.functions, model, side, &number))
        count = max(0, number)
        first = []
        for index in 0..<min(count, Self.limit) {
            let name = try runtime.text { ort_port_name($0, model, side, index, $1, $2) } ?? ""
            let type = try runtime.make { ort_port_type($0, model, side, index, $1) }
            defer { ort_release_type(runtime.functions, type) }
            var kind: Int32 = 0
            try runtime.check(ort_kind_of_type(runtime.functions, type, &kind))
            var tensor: OpaquePointer?
            if kind == Int32(ort_type_tensor) {
                try runtime.check(ort_tensor_type(runtime.functions, type, &tensor))
            }
            if let tensor {
                let (element, dimensions) = try Self.shape(runtime, tensor)
                first.append(ModelPort(name: name, element: element, dimensions: dimensions))
            } else {
                first.append(ModelPort(name: name, element: nil, dimensions: []))
            }
        }
    }

    /// The element type and the dimensions of a tensor or of the type of one.
    static func shape(
        _ runtime: ONNXRuntime,
        _ tensor: OpaquePointer
    ) throws(RuntimeFailure) -> (element: Int32, dimensions: [Int64]) {
        var element: Int32 = 0
        var rank = 0
        try runtime.check(ort_element_type(runtime.functions, tensor, &element))
        try runtime.check(ort_dimension_count(runtime.functions, tensor, &rank))
        guard (0...rankLimit).contains(rank) else {
            throw RuntimeFailure(message: "a tensor of \(rank) dimensions, where at most \(rankLimit) are read")
        }
        var dimensions = [Int64](repeating: 0, count: rank)
        try runtime.check(ort_dimensions(runtime.functions, tensor, &dimensions, rank))
        return (element, dimensions)
    }
}
