import Testing

extension Outcome {
    /// Expects a failure with this status whose text is printed once: `mapeverything: what: where: expected X, found Y`.
    func expectError(
        _ status: Int32,
        naming texts: String...,
        isShaped: Bool = true,
        hasReported: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(everything)", sourceLocation: sourceLocation)
        // A run that had published something says what became of it.
        #expect(output.isEmpty != hasReported, "\(everything)", sourceLocation: sourceLocation)
        let lines = errors.split(separator: "\n")
        let ours = lines.filter { $0.hasPrefix("mapeverything: ") }
        #expect(ours.count == 1 && lines.first == ours.first, "\(everything)", sourceLocation: sourceLocation)
        #expect(!errors.contains("Fatal error"), "\(everything)", sourceLocation: sourceLocation)
        guard let line = ours.first else { return }
        for text in texts {
            #expect(line.contains(text), "\(everything)", sourceLocation: sourceLocation)
        }
        if isShaped {
            let found = line.firstRange(of: ": expected ").map { line[$0.upperBound...].contains(", found") } ?? false
            #expect(found, "not of the form what: where: expected X, found Y: \(line)", sourceLocation: sourceLocation)
        }
    }
}
