/// What a unit makes of a recording, as `batch plan --to` names it: a product of the list, of exports also as `export:NAME`.
package struct BatchProduct: Hashable, Sendable {
    /// The texts that ``init(_:)`` takes.
    package static let words = "bag, mcap, map, report, check or a format of export"

    package static let all = Product.all.filter { $0.unit.command != nil || $0.isExport }

    package let product: Product

    /// Nil for a text that names none.
    package init?(_ text: String) {
        let text = text.lowercased()
        let isExport = text.hasPrefix("export:")
        let list = isExport ? Product.exports : Self.all
        guard let product = Product.named(isExport ? String(text.dropFirst(7)) : text, in: list) else { return nil }
        self.product = product
    }

    package var text: String { product.isExport ? "export:\(product.name)" : product.name }

    /// What is made in the folder of a unit.
    package var output: String { product.unit.output ?? "export" + (product.ending.map { ".\($0)" } ?? "") }

    /// True if its command knows `-j`.
    var takesWorkers: Bool { product.options.contains(.workers) }

    /// True if the product is the report itself.
    var isReport: Bool { product.unit.isReport }

    /// The command that makes it, without the program and the options that were asked for.
    package func arguments(input: String, output: String) -> [String] {
        (product.unit.command ?? ["export", "IN", "-o", "OUT", "--to", product.name]).map { word in
            word == "IN" ? input : word == "OUT" ? output : word
        }
    }

    /// True if a status means that the output is whole: a check of a damaged recording is as good as another.
    func isDone(_ status: Int32) -> Bool { status == 0 || (isReport && status == 1) }

    /// The cost of a recording, of which a plan knows its bytes and, perhaps, its frames: seconds of one core.
    func seconds(bytes: Int, frames: Int?) -> Double {
        // Where frames are not counted, a frame of a real capture has about 400 kB.
        0.05 + Double(frames ?? bytes / 400_000) * product.unit.secondsPerFrame + Double(bytes) * 2e-9
    }

    /// The memory that a unit asks for, and may not exceed, unless the plan says otherwise.
    package var memoryBytes: Int { product.unit.memoryBytes }
}
