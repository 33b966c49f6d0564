import Codecs
import SystemPackage

extension FuzzTarget {
    /// A grid of geoid heights in GTX form, asked for places inside of it, at its edges and beside it.
    static let gtx = FuzzTarget(
        name: "gtx",
        seeds: { [world, part, Array(part.dropLast(4))] },
        dictionary: ["\u{0}\u{0}\u{0}\u{2}", "\u{0}\u{0}\u{0}\u{3}", "@V\u{0}\u{0}", "?\u{0}\u{0}\u{0}"],
        run: { input in
            folder.write(input, to: "grid.gtx")
            guard let grid = try? GeoidGrid(path: folder("grid.gtx").string) else { return }
            for latitude in [-90, -89.999, -0.5, 0, 10.25, 90, 90.001, .infinity] {
                for longitude in [-180, -0.25, 0, 11.5, 179.999, 180, 359.999, 720.5, 1e300, .nan] {
                    let height = try? grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude)
                    // Nodes are refused above 150 m; between them there is rounding.
                    if let height { require(abs(height) < 150.001, "a geoid of \(height) m") }
                }
            }
        }
    )

    private static let folder = FuzzFolder("geoid")
    private static let world = grid(south: -90, west: -180, step: 60, rows: 4, columns: 6)
    private static let part = grid(south: 10, west: 11, step: 0.5, rows: 2, columns: 3)

    private static func grid(south: Double, west: Double, step: Double, rows: Int, columns: Int) -> [UInt8] {
        let header = [south, west, step, step].flatMap { big($0.bitPattern) } + big(Int32(rows)) + big(Int32(columns))
        return header + (0..<rows * columns).flatMap { big((Float($0) - 8).bitPattern) }
    }

    private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
