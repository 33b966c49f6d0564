import ArgumentParser
import Synthetic
import Text

/// Words of which an option takes one, in capitals or not, and with any signs between their parts: `Stray Scanner` is
/// `stray-scanner`.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {
    /// What else the word is called.
    var otherNames: [String] { get }
}

extension Choice {
    var otherNames: [String] { [] }

    init?(argument: String) {
        let choice = Self.allCases.first {
            Spelling.match(argument, among: [$0.rawValue] + $0.otherNames) != nil
        }
        guard let choice else { return nil }
        self = choice
    }
}

/// The names by which `list` and `help formats` call what was recorded are those of its layout, too.
extension SampleFormat: Choice {
    var otherNames: [String] { self == .transformsJSON ? [title, "nerfstudio"] : [title] }
}
