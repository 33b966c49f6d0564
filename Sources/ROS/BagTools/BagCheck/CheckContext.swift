/// The state that all checks of one bag share: where findings go, and what was asked for.
final class CheckContext {
    let options: BagCheckOptions
    var findings = Findings()
    /// True if a file of the bag is not here, so that nothing can be said of what it holds.
    var lacksFile = false

    init(options: BagCheckOptions) {
        self.options = options
    }

    /// Takes the custom data of a bag, from wherever they are, as word of who wrote it.
    ///
    /// Data that a rosbridge client sent, or another tool recorded, keep their habits when this program stores them.
    /// The phone app has keys of the same prefix, and no version.
    func noteProvenance(_ customData: [String: String]) {
        guard customData["mapeverything.version"] != nil else { return }
        guard !["rosbridge", "convert"].contains(customData["mapeverything.source"] ?? "") else { return }
        findings.isOurs = true
    }
}
