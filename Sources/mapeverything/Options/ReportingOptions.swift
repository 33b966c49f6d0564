import ArgumentParser

/// What becomes of the result of a run.
struct ReportingOptions: ParsableArguments {
    @Flag(help: "Exit with status 1 if anything was lost or skipped.")
    var strict = false

    @Option(help: "Also write the report to this JSON file.")
    var report: String?
}
