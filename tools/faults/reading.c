/* Calls that open and read. */
#include "faults.h"

/* --- Opening --- */

static int opened(int folder, const char *name, int flags, mode_t mode) {
    if (hits_name(OPEN, folder, name)) FAIL(-1);
    LOGGED(folder, name);
    struct stat before;
    int is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    int changes = is_nameless || flags & (O_CREAT | O_TRUNC);
    int was = is_logged && changes && !is_nameless && syscall(SYS_newfstatat, folder, name, &before, 0) == 0;
    is_logged = is_logged && changes;
    DO(int, (int)syscall(SYS_openat, folder, name, flags, mode), result >= 0, {
        if (is_nameless) path_of(result, logged_path, sizeof logged_path);
        if (!was) note(CREATED, result, logged_path, 0, 0, 0, 0);
        else if (flags & O_TRUNC) note(TRUNCATED, result, logged_path, 0, 0, 0, 0);
    });
}

#define MODE() va_list more; va_start(more, flags); mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; va_end(more)

int open(const char *name, int flags, ...) { MODE(); return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(); return opened(AT_FDCWD, name, flags, mode); }
int openat(int folder, const char *name, int flags, ...) { MODE(); return opened(folder, name, flags, mode); }
int openat64(int folder, const char *name, int flags, ...) { MODE(); return opened(folder, name, flags, mode); }
int creat(const char *name, mode_t mode) { return opened(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

int mkstemp(char *template) {
    REAL(int, "mkstemp", char *);
    if (hits_name(OPEN, AT_FDCWD, template)) FAIL(-1);
    int is_logged = log_file >= 0;
    DO(int, real(template), result >= 0 && is_below(template), note(CREATED, result, template, 0, 0, 0, 0));
}

int close(int descriptor) {
    int hit = hits(CLOSE, descriptor);
    int result = syscall(SYS_close, descriptor);
    if (hit) FAIL(-1);
    return result;
}

DIR *opendir(const char *name) {
    REAL(DIR *, "opendir", const char *);
    if (hits_name(OPENDIR, AT_FDCWD, name)) FAIL(0);
    return real(name);
}

DIR *fdopendir(int descriptor) {
    REAL(DIR *, "fdopendir", int);
    if (hits(OPENDIR, descriptor)) FAIL(0);
    return real(descriptor);
}

struct dirent *readdir(DIR *folder) {
    REAL(struct dirent *, "readdir", DIR *);
    if (hits(READDIR, dirfd(folder))) FAIL(0);
    return real(folder);
}

struct dirent64 *readdir64(DIR *folder) {
    REAL(struct dirent64 *, "readdir64", DIR *);
    if (hits(READDIR, dirfd(folder))) FAIL(0);
    return real(folder);
}

/* --- Reading --- */

ssize_t read(int descriptor, void *bytes, size_t count) {
    if (hits(READ, descriptor)) SHORTEN(count);
    return syscall(SYS_read, descriptor, bytes, count);
}

ssize_t readv(int descriptor, const struct iovec *parts, int count) {
    if (hits(READ, descriptor)) { if (failure) FAIL(-1); count = count > 1 ? count / 2 : count; }
    return syscall(SYS_readv, descriptor, parts, count);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    if (hits(PREAD, descriptor)) SHORTEN(count);
    return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) { return pread64(descriptor, bytes, count, offset); }

ssize_t preadv64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    if (hits(PREAD, descriptor)) { if (failure) FAIL(-1); count = count > 1 ? count / 2 : count; }
    return syscall(SYS_preadv, descriptor, parts, count, offset, 0);
}

ssize_t preadv(int descriptor, const struct iovec *parts, int count, off_t offset) { return preadv64(descriptor, parts, count, offset); }

void *mmap64(void *place, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    if (!(flags & MAP_ANONYMOUS) && descriptor >= 0 && hits(MMAP, descriptor)) FAIL(MAP_FAILED);
    return (void *)syscall(SYS_mmap, place, length, protection, flags, descriptor, offset);
}

void *mmap(void *place, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return mmap64(place, length, protection, flags, descriptor, offset);
}

#define STAT_CALL(name, type, hit, ...) \
    if (hit) FAIL(-1); \
    REAL(int, #name, __VA_ARGS__)

int stat(const char *name, struct stat *found) {
    STAT_CALL(stat, int, hits_name(STAT, AT_FDCWD, name), const char *, struct stat *);
    return real(name, found);
}
int stat64(const char *name, struct stat64 *found) {
    STAT_CALL(stat64, int, hits_name(STAT, AT_FDCWD, name), const char *, struct stat64 *);
    return real(name, found);
}
int lstat(const char *name, struct stat *found) {
    STAT_CALL(lstat, int, hits_name(STAT, AT_FDCWD, name), const char *, struct stat *);
    return real(name, found);
}
int lstat64(const char *name, struct stat64 *found) {
    STAT_CALL(lstat64, int, hits_name(STAT, AT_FDCWD, name), const char *, struct stat64 *);
    return real(name, found);
}
int fstat(int descriptor, struct stat *found) {
    STAT_CALL(fstat, int, hits(STAT, descriptor), int, struct stat *);
    return real(descriptor, found);
}
int fstat64(int descriptor, struct stat64 *found) {
    STAT_CALL(fstat64, int, hits(STAT, descriptor), int, struct stat64 *);
    return real(descriptor, found);
}
int fstatat(int folder, const char *name, struct stat *found, int flags) {
    STAT_CALL(fstatat, int, hits_name(STAT, folder, name), int, const char *, struct stat *, int);
    return real(folder, name, found, flags);
}
