# Sourced by tools that run all tests: how they are split into parts that run beside each other.

# The program that `swift test` would start, and the folder for what happens in it, which tools/summarise_tests.py counts.
parts_program=
parts_events=
# Options for all parts.
parts_options=()
status=0

# Tests that depend on how soon something happens must not starve each other on two cores; all others run in parallel.
# A test starts when a place is free, so that time limits are its own.
one_by_one='^(SessionsTests\.CursorTests/memory|RosbridgeTests\.|CLITests\.(Arvos(Tests|Damage)|Autobahn|FaultTests|Kill|Record(Crowd|erTool)|'
one_by_one+='Replay(Control|Fault|Pressure|Recorder|Stream)|SecureConnection|Serve(Page)?Tests|SilentCrowd|ThroughputTool|Unreachable))'

# What runs command lines, and every fuzz target: after the tests of libraries, which fail sooner.
whole_commands='^(CLI|Fuzz)Tests\.'

# run NAME OPTION...: one run of the tests; two may run at the same time. One that hangs is ended, and counts as failed.
run() {
    timeout --foreground --kill-after=10 50m "$parts_program" --testing-library swift-testing --event-stream-version 0 \
        --event-stream-output-path "$parts_events/$1.jsonl" ${parts_options[@]+"${parts_options[@]}"} "${@:2}" || status=$?
}

# run_parts AFTER_WAITING AFTER_COMPUTING: all tests; each part runs its function, which may run more, when its tests are done.
# Where a test of a library fails nothing else is waited for.
# What waits is shown at the end, from the file named by parts_log.
run_parts() {
    # What waits most of the time. It comes first wherever both want a processor, so that its times are its own.
    # It is a process group, which ends with the script.
    set -m
    (
        run one-by-one --no-parallel --filter "$one_by_one"
        "$1"
        exit $status
    ) >"$parts_log" 2>&1 </dev/null &
    waits=$!
    set +m
    # What computes, beside it.
    (
        renice -n 10 -p $BASHPID >/dev/null
        width=(--experimental-maximum-parallelization-width "$(nproc)")
        run libraries "${width[@]}" --skip "$one_by_one" --skip "$whole_commands"
        [ $status -eq 0 ] || exit $status
        run commands "${width[@]}" --filter "$whole_commands" --skip "$one_by_one"
        "$2"
        exit $status
    ) || status=$?
    if [ ! -e "$parts_events/commands.jsonl" ]; then
        echo "a test of a library failed: the other parts were ended" >&2
        stop_parts
        rm -f "$parts_events/one-by-one.jsonl"
    else
        wait $waits || status=$?
    fi
    waits=
    cat "$parts_log"
}

# stop_parts: for a trap at the end of the script.
waits=
stop_parts() {
    [ -z "$waits" ] || kill -- -"$waits" 2>/dev/null || true
}
