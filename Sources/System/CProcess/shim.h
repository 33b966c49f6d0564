#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// Functions with a variable number of arguments, and names of an anonymous enumeration, do not reach Swift.

/// Has the kernel kill this process when the thread that started it ends.
static inline int end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

/// Sets the most bytes of data, beyond which allocations fail.
static inline int limit_data(rlim_t bytes) {
    const struct rlimit limit = {bytes, bytes};
    return setrlimit(RLIMIT_DATA, &limit);
}
