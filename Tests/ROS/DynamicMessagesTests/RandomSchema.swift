import TestSupport

/// Makes up message definitions with every construct, of types that name each other.
struct RandomSchema {
    static let package = "mapeverything_msgs"
    static let separator = "\n" + String(repeating: "=", count: 80) + "\nMSG: "

    private var generator: SeededRandomNumbers
    private var names: [String] = []
    private var texts: [String] = []

    /// The full name of the last type, which may use all others.
    private(set) var typeName = ""
    private(set) var definitionText = ""

    init(seed: UInt64) {
        generator = SeededRandomNumbers(seed: seed)
        for index in 0..<Int.random(in: 1...5, using: &generator) {
            texts.append(text(of: index))
            names.append("Random\(index)")
        }
        let root = names.count - 1
        typeName = "\(Self.package)/msg/\(names[root])"
        definitionText = texts[root]
        for index in 0..<root {
            let form = flip() ? "\(Self.package)/\(names[index])" : "\(Self.package)/msg/\(names[index])"
            definitionText += Self.separator + form + "\n" + texts[index]
        }
        definitionText += Self.separator + "std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
        definitionText += Self.separator + "builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
    }

    private mutating func text(of type: Int) -> String {
        var text = flip() ? "# Made up.\n\n" : ""
        for index in 0..<Int.random(in: 0...2, using: &generator) {
            let constants = [
                "uint8 CONSTANT_\(index)=\(index)", "string CONSTANT_\(index)=\"a # b\"",
                "float64 CONSTANT_\(index) = -1.5", "int32 CONSTANT_\(index)=-7  # why not",
            ]
            text += pick(constants) + "\n"
        }
        for index in 0..<Int.random(in: 0...9, using: &generator) {
            text += field(index, nested: type) + (flip() ? "\n" : "  # a remark\n")
        }
        return text
    }

    private mutating func field(_ index: Int, nested: Int) -> String {
        let numbers = [
            "bool", "byte", "char", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
            "float32", "float64",
        ]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1:
            let bound = flip() ? "" : "<=\(Int.random(in: 24...40, using: &generator))"
            let shape = shape()
            return "string\(bound)\(shape) text_\(index)" + (shape.isEmpty && flip() ? " \"a b\"" : "")
        case 2 where nested > 0, 3 where nested > 0:
            let name = names[Int.random(in: 0..<nested, using: &generator)]
            return (flip() ? name : "\(Self.package)/\(name)") + shape() + " inner_\(index)"
        case 4: return pick(["std_msgs/Header", "builtin_interfaces/Time"]) + shape() + " stamped_\(index)"
        default:
            let type = pick(numbers)
            let shape = shape()
            guard shape.isEmpty, type != "bool", flip() else { return "\(type)\(shape) number_\(index)" }
            return "\(type) number_\(index) \(Int.random(in: 0...100, using: &generator))"
        }
    }

    private mutating func shape() -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: "[]"
        case 1: "[\(Int.random(in: 1...5, using: &generator))]"
        case 2: "[<=\(Int.random(in: 4...9, using: &generator))]"
        default: ""
        }
    }

    private mutating func flip() -> Bool { Bool.random(using: &generator) }

    private mutating func pick(_ choices: [String]) -> String {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }
}
