/* Preloaded: one system call of a run fails or ends short, or all that changes files is written down.
 *
 * FAULTS_ROOT    what lies below this folder counts, and sockets (for send); nothing else does, unless it is "/"
 * FAULTS_STATE   a file of 8 KiB that all processes of a run share: struct state, below
 * FAULTS_CALL    the kind of call that fails ("any" counts all kinds together), FAULTS_N which of them, from 1
 * FAULTS_ERROR   the number of the error; 0: the call transfers half of what it was asked for
 * FAULTS_LOG     a file to which every change of a file and every flush is appended (struct entry, below)
 *
 * Calls are counted and may fail before they are done, but for close, which is done: Linux frees the descriptor.
 */
#include "faults.h"

static const char *const names[KINDS] = {
    "open", "read", "pread", "write", "pwrite", "fsync", "fdatasync", "rename", "link", "unlink", "ftruncate", "fallocate", "mmap",
    "close", "mkdir", "rmdir", "send", "copy", "stat", "opendir", "readdir", "flock",
};

struct state *state;
static char root[2048];
static size_t root_length;
int failure, log_file = -1;
static int wanted = -1;
static uint32_t number;
pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("FAULTS_ROOT"), *shared = getenv("FAULTS_STATE"), *call = getenv("FAULTS_CALL");
    if (!given) return;
    snprintf(root, sizeof root, "%s", given);
    root_length = strlen(root);
    if (root_length == 1) root_length = 0;
    if (shared) {
        int file = syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC);
        if (file >= 0) {
            void *page = mmap(0, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            syscall(SYS_close, file);
            if (page != MAP_FAILED) state = page;
        }
    }
    if (call) {
        if (strcmp(call, "any") == 0) wanted = KINDS;
        for (int kind = 0; kind < KINDS; kind++) {
            if (strcmp(call, names[kind]) == 0) wanted = kind;
        }
        number = getenv("FAULTS_N") ? strtoul(getenv("FAULTS_N"), 0, 10) : 0;
        failure = getenv("FAULTS_ERROR") ? atoi(getenv("FAULTS_ERROR")) : EIO;
    }
    const char *log = getenv("FAULTS_LOG");
    if (log) log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

int is_below(const char *path) {
    return root[0] && strncmp(path, root, root_length) == 0
        && (root_length == 0 || path[root_length] == '/' || path[root_length] == 0);
}

int path_of(int descriptor, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

/* The absolute path of a name; a link is not followed, but for those of /proc. */
void absolute(int folder, const char *name, char *path, size_t size) {
    path[0] = 0;
    if (!name) return;
    if (strncmp(name, "/proc/self/fd/", 14) == 0) {
        path_of(atoi(name + 14), path, size);
    } else if (name[0] == '/') {
        snprintf(path, size, "%s", name);
    } else {
        char base[2048];
        if (folder == AT_FDCWD) {
            if (syscall(SYS_getcwd, base, sizeof base) < 0) return;
        } else if (!path_of(folder, base, sizeof base)) {
            return;
        }
        if (strcmp(name, ".") == 0 || name[0] == 0) snprintf(path, size, "%s", base);
        else snprintf(path, size, "%s/%s", base, strncmp(name, "./", 2) == 0 ? name + 2 : name);
    }
}

/* Counts a call on something; true if it is the one that fails. */
static int counted(enum kind kind, const char *path) {
    uint32_t one = __atomic_add_fetch(&state->counts[kind], 1, __ATOMIC_SEQ_CST);
    uint32_t all = __atomic_add_fetch(&state->counts[31], 1, __ATOMIC_SEQ_CST);
    if (number == 0 || (wanted == KINDS ? all : wanted == (int)kind ? one : 0) != number) return 0;
    state->kind = kind;
    snprintf(state->path, sizeof state->path, "%s", path);
    __atomic_add_fetch(&state->fired, 1, __ATOMIC_SEQ_CST);
    return 1;
}

int hits_name(enum kind kind, int folder, const char *name) {
    int kept = errno, hit = 0;
    if (state) {
        char path[4096];
        absolute(folder, name, path, sizeof path);
        hit = is_below(path) && counted(kind, path);
    }
    errno = kept;
    return hit;
}

int hits(enum kind kind, int descriptor) {
    int kept = errno, hit = 0;
    char path[4096];
    if (state && path_of(descriptor, path, sizeof path)) {
        int sends = (kind == SEND || kind == WRITE) && strncmp(path, "socket:", 7) == 0;
        hit = (sends || is_below(path)) && counted(sends ? SEND : kind, path);
    }
    errno = kept;
    return hit;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

void note(enum op op, int descriptor, const char *first, const char *second, int64_t offset, const void *data, int64_t bytes) {
    struct stat information = {0};
    if (descriptor >= 0) {
        syscall(SYS_fstat, descriptor, &information);
    } else if (first) {
        syscall(SYS_newfstatat, AT_FDCWD, second && second[0] ? second : first, &information, AT_SYMLINK_NOFOLLOW);
    }
    struct entry entry = {
        0x464c5421, op, first ? strlen(first) : 0, second ? strlen(second) : 0,
        information.st_dev, information.st_ino, now(), offset, bytes,
    };
    struct iovec parts[4] = {
        {&entry, sizeof entry}, {(void *)(first ? first : ""), entry.length},
        {(void *)(second ? second : ""), entry.length2}, {(void *)data, data ? (size_t)bytes : 0},
    };
    syscall(SYS_writev, log_file, parts, 4);
}

void note_written(int descriptor, const char *path, int64_t offset, const struct iovec *parts, int count, ssize_t written) {
    if (offset < 0) offset = syscall(SYS_lseek, descriptor, 0, SEEK_CUR) - written;
    for (int part = 0; part < count && written > 0; part++) {
        ssize_t bytes = (ssize_t)parts[part].iov_len < written ? (ssize_t)parts[part].iov_len : written;
        note(WRITTEN, descriptor, path, 0, offset, parts[part].iov_base, bytes);
        offset += bytes;
        written -= bytes;
    }
}
