/// Takes findings of one place in a bag, and of one topic where they concern it.
struct Reporter {
    let context: CheckContext
    let spot: Spot
    let topic: String?

    /// The texts are made only where they will be shown, and must not ask for findings.
    func add(
        _ severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        _ expected: @autoclosure () -> String,
        _ found: @autoclosure () -> String
    ) {
        context.findings.add(severity, kind, topic: topic, at: spot, expected: expected(), found: found())
    }

    /// An error in a bag of ours, else of this severity.
    func add(
        foreign severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        _ expected: @autoclosure () -> String,
        _ found: @autoclosure () -> String
    ) {
        add(context.findings.severity(foreign: severity), kind, expected(), found())
    }
}

extension CheckContext {
    func at(_ spot: Spot = Spot(), topic: String? = nil) -> Reporter {
        Reporter(context: self, spot: spot, topic: topic)
    }

    func at(file: String, topic: String? = nil) -> Reporter { at(Spot(file: file), topic: topic) }

    func at(_ declaration: TopicDeclaration) -> Reporter { at(file: declaration.file, topic: declaration.name) }

    func at(_ message: ExaminedMessage) -> Reporter { at(message.spot, topic: message.topic.name) }
}
