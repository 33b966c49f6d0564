/* What the parts of the preloaded library share. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind {
    OPEN, READ, PREAD, WRITE, PWRITE, FSYNC, FDATASYNC, RENAME, LINK, UNLINK, FTRUNCATE, FALLOCATE, MMAP, CLOSE, MKDIR, RMDIR,
    SEND, COPY, STAT, OPENDIR, READDIR, FLOCK, KINDS
};

/* The order of the fields is known to sweep.py. */
struct state {
    uint32_t counts[32]; /* by kind; the last one is that of all kinds */
    uint32_t fired;
    uint32_t kind;
    char path[2048];
};

/* Followed by the two paths and the bytes. The order of the fields is known to disk.py. */
struct entry {
    uint32_t mark, op, length, length2;
    uint64_t device, inode, nanoseconds;
    int64_t offset, bytes;
};

enum op { CREATED = 1, WRITTEN, TRUNCATED, SYNCED, RENAMED, LINKED, REMOVED, MADE_FOLDER, REMOVED_FOLDER, EXCHANGED };

/* Names of this library alone: it must take the place of nothing else in the program. */
#pragma GCC visibility push(hidden)
extern struct state *state;
extern int failure, log_file;
extern pthread_mutex_t order;

int is_below(const char *path);
int path_of(int descriptor, char *path, size_t size);
/* The absolute path of a name; a link is not followed, but for those of /proc. */
void absolute(int folder, const char *name, char *path, size_t size);
/* Counts a call on a name or on a descriptor; true if it is the one that fails. */
int hits_name(enum kind kind, int folder, const char *name);
int hits(enum kind kind, int descriptor);
/* Writes a change down. */
void note(enum op op, int descriptor, const char *first, const char *second, int64_t offset, const void *data, int64_t bytes);
void note_written(int descriptor, const char *path, int64_t offset, const struct iovec *parts, int count, ssize_t written);
#pragma GCC visibility pop

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define FAIL(value) do { errno = failure ? failure : EIO; return value; } while (0)

/* What a call that hits transfers: half of it, or nothing and an error. */
#define SHORTEN(count) do { if (failure) FAIL(-1); if ((count) > 1) (count) /= 2; } while (0)

/* A call is done and written down before the next one: the log has the order of the disk. */
#define LOGGED(folder, name) char logged_path[4096] = ""; int is_logged = 0; do { if (log_file >= 0) { \
    absolute(folder, name, logged_path, sizeof logged_path); is_logged = is_below(logged_path); } } while (0)
#define LOGGED_FILE(descriptor) char logged_path[4096] = ""; int is_logged = log_file >= 0 \
    && path_of(descriptor, logged_path, sizeof logged_path) && is_below(logged_path)
#define DO(type, call, good, action) do { \
    if (!is_logged) return call; \
    pthread_mutex_lock(&order); \
    type result = call; \
    int kept = errno; \
    if (good) { action; } \
    pthread_mutex_unlock(&order); \
    errno = kept; \
    return result; } while (0)
