package import Platform
import Text

/// A thing that is made of a recording, as a value: from the list of them follow the formats of `export`, the files of `map`, what
/// `batch` plans, the options that mean something for each, helps, completions and the table in docs/exports.md.
///
/// A new one is a value in a file of its family, and a line in ``all``.
package struct Product: Sendable, Named {
    /// What it is made of, and how.
    package enum Making: Sendable {
        case frames(FrameFormat)
        case surface(SurfaceFile)
        /// What is free and occupied.
        case space(SpaceFile)
        /// Fixes.
        case track(TrackFile)
        /// Messages.
        case table(TableFormat)
        /// One recording or many, for learning.
        case episodes
        /// A command of its own makes it.
        case command
    }

    /// How it is made of a bag.
    package struct BagUse: Sendable {
        /// The types of the messages that are taken; nil for all.
        package var types: Set<String>?
        package var isFile = false
    }

    /// The word for it.
    package let name: String
    package let making: Making
    /// What its one file ends in; nil for a folder.
    package var ending: String?
    /// By what its one file is known.
    package var kind = OutputKind.newFolder
    package var options: ProductOptions = []
    /// Nil where no bag will do.
    package var ofBag: BagUse?
    /// Words of other tools for what it can stand for.
    package var standsFor: [String] = []
    /// How `batch` makes it.
    package var unit = ProductUnit()

    package init(_ name: String, _ making: Making) { (self.name, self.making) = (name, making) }

    /// True if `export --to` makes it.
    package var isExport: Bool {
        switch making {
        case .frames, .surface, .track, .table, .episodes: true
        case .space, .command: false
        }
    }

    package var frameFormat: FrameFormat? {
        if case .frames(let format) = making { format } else { nil }
    }

    /// What is put behind the name of the input where no output was named.
    package var outputEnding: String {
        switch making {
        case .surface, .track, .space: ".\(ending ?? name)"
        case .frames, .table, .episodes, .command: "_\(name)" + (ending.map { ".\($0)" } ?? "")
        }
    }

    // MARK: - The list

    /// All products, in the order of helps.
    package static let all: [Product] =
        FrameFormat.all.map(\.product) + [
            .ply, .glb, .obj, .stl, .pcd, .las, .gpx, .geoJSON, .kml, .csv, .parquet, .leRobot, .nav2, .octoMap,
            .heights, .bag, .mcap, .map, .page, .check,
        ]

    package static let exports = all.filter(\.isExport)

    /// What `map` makes by the ending of a file.
    package static let maps = all.filter {
        switch $0.making {
        case .surface, .space: true
        default: false
        }
    }

    /// The names of exports that understand some options.
    package static func names(with options: ProductOptions) -> [String] {
        exports.filter { $0.options.isSuperset(of: options) }.map(\.name)
    }

    /// The product of a word, however it is written.
    package static func named(_ word: String, in list: [Product] = exports) -> Product? {
        list.first { $0.name == word.lowercased() }
    }

    /// What to take in place of a word that names none; empty where nothing is near.
    ///
    /// - Parameter shown: how a product of the list is called there.
    package static func hint(
        _ word: String,
        in list: [Product] = exports,
        shown: (Product) -> String = { $0.name }
    ) -> String {
        let word = word.lowercased()
        let others = list.filter { $0.standsFor.contains(word) }.map(shown)
        if !others.isEmpty { return "; take \(others.joined(separator: " or "))" }
        if let other = all.first(where: { $0.name == word || $0.standsFor.contains(word) }), let how = other.unit.how {
            return "; \(how) makes that"
        }
        return Spelling.nearest(to: word, among: list.map(shown)).map { "; did you mean \($0)?" } ?? ""
    }
}

/// What is made as a value, and known by its name.
package protocol Named: Hashable, CustomStringConvertible {
    var name: String { get }
}

extension Named {
    package static func == (one: Self, other: Self) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    package var description: String { name }

    /// The same with some properties set.
    func with(_ set: (inout Self) -> Void) -> Self {
        var changed = self
        set(&changed)
        return changed
    }
}

/// Options of `export`, each for some products only; of what other commands make, `-j` alone is told.
package struct ProductOptions: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A model of several cameras.
    package static let cameraModel = ProductOptions(rawValue: 1 << 0)
    package static let centredPrincipalPoint = ProductOptions(rawValue: 1 << 1)
    package static let motion = ProductOptions(rawValue: 1 << 2)
    /// --max-depth, also where no depth images and points are made.
    package static let maximumDepth = ProductOptions(rawValue: 1 << 3)
    package static let oneSize = ProductOptions(rawValue: 1 << 4)
    package static let freeAxes = ProductOptions(rawValue: 1 << 5)
    package static let frameChoice = ProductOptions(rawValue: 1 << 6)
    package static let times = ProductOptions(rawValue: 1 << 7)
    /// Which depth is used.
    package static let depthSource = ProductOptions(rawValue: 1 << 8)
    /// Which pixels of it are.
    package static let depthPixels = ProductOptions(rawValue: 1 << 9)
    package static let points = ProductOptions(rawValue: 1 << 10)
    package static let workers = ProductOptions(rawValue: 1 << 11)
    package static let heights = ProductOptions(rawValue: 1 << 12)
    package static let learning = ProductOptions(rawValue: 1 << 13)

    static let depth: ProductOptions = [.depthSource, .depthPixels, .maximumDepth]
}

/// How a unit of a batch makes a product of one recording.
package struct ProductUnit: Sendable {
    /// The command line, with `IN` and `OUT` for the paths; nil for that of `export`.
    package var command: [String]?
    /// What is made where the name of the product is not enough.
    package var output: String?
    /// How people make it, where `export` does not.
    package var how: String?
    /// True if the report is the product: a check of a damaged recording is as good as another.
    package var isReport = false
    /// Of one core of the machine in docs/scale.md; they are there to make shards equally long.
    package var secondsPerFrame = 0.02
    /// Five times and more of what `bag` was measured to take; a map's field may have 2 GB, and its mesh comes on top.
    package var memoryBytes = 4 << 30
}

/// What commands of their own make.
extension Product {
    static let bag = Product("bag", .command).with {
        $0.standsFor = ["rosbag", "rosbag2", "db3"]
        $0.options = [.workers]
        $0.unit = ProductUnit(command: ["bag", "IN", "-o", "OUT"], output: "bag", how: "`mapeverything bag`")
        ($0.unit.secondsPerFrame, $0.unit.memoryBytes) = (0.004, 512 << 20)
    }
    static let mcap = Product("mcap", .command).with {
        ($0.options, $0.unit) = (bag.options, bag.unit)
        $0.unit.command? += ["--storage", "mcap"]
        $0.unit.how = "`mapeverything bag -o NAME.mcap`"
    }
    static let map = Product("map", .command).with {
        $0.options = [.workers]
        $0.unit = ProductUnit(command: ["map", "IN", "-o", "OUT"], output: "map.ply", how: "`mapeverything map`")
    }
    static let page = Product("report", .command).with {
        ($0.options, $0.standsFor) = ([.workers], ["html", "page"])
        $0.unit = ProductUnit(
            command: ["report", "IN", "-o", "OUT"],
            output: "report.html",
            how: "`mapeverything report`"
        )
        ($0.unit.secondsPerFrame, $0.unit.memoryBytes) = (0.01, 1 << 30)
    }
    static let check = Product("check", .command).with {
        $0.unit = ProductUnit(
            command: ["check", "IN", "--report", "OUT"],
            output: "check.json",
            how: "`mapeverything check`"
        )
        ($0.unit.isReport, $0.unit.secondsPerFrame, $0.unit.memoryBytes) = (true, 0.03, 1 << 30)
    }
}
