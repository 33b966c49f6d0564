import BagTools

extension BagCheckReport {
    /// `severity kind` of each finding that is no note.
    var complaints: [String] {
        findings.filter { $0.severity > .note }.map { "\($0.severity.rawValue) \($0.kind.rawValue)" }
    }

    /// All findings as text, for what a test shows when it fails.
    var text: String {
        findings.map { finding in
            let places = finding.places.map { "    \($0.description)" }.joined(separator: "\n")
            let title =
                "\(finding.severity.rawValue) \(finding.kind.rawValue) \(finding.topic ?? "-") x\(finding.count)"
            return title + "\n" + places
        }
        .joined(separator: "\n")
    }

    func has(_ kind: BagFindingKind) -> Bool {
        findings.contains { $0.kind == kind }
    }
}
