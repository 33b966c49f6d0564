import ArgumentParser

/// What becomes of the result of a run.
struct ReportingOptions: ParsableArguments {
    @Flag(help: "End with status 1 if anything was lost or skipped.")
    var strict = false

    @Option(help: "Write what happened to a JSON file.")
    var report: String?
}
