/* Calls that write, flush, name and send. */
#include "faults.h"

/* --- Writing --- */

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (hits(WRITE, descriptor)) SHORTEN(count);
    LOGGED_FILE(descriptor);
    struct iovec part = {(void *)bytes, count};
    DO(ssize_t, syscall(SYS_write, descriptor, bytes, count), result > 0, note_written(descriptor, logged_path, -1, &part, 1, result));
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (hits(WRITE, descriptor)) { if (failure) FAIL(-1); count = count > 1 ? count / 2 : count; }
    LOGGED_FILE(descriptor);
    DO(ssize_t, syscall(SYS_writev, descriptor, parts, count), result > 0,
       note_written(descriptor, logged_path, -1, parts, count, result));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    if (hits(PWRITE, descriptor)) SHORTEN(count);
    LOGGED_FILE(descriptor);
    struct iovec part = {(void *)bytes, count};
    DO(ssize_t, syscall(SYS_pwrite64, descriptor, bytes, count, offset), result > 0,
       note_written(descriptor, logged_path, offset, &part, 1, result));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) { return pwrite64(descriptor, bytes, count, offset); }

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    if (hits(PWRITE, descriptor)) { if (failure) FAIL(-1); count = count > 1 ? count / 2 : count; }
    LOGGED_FILE(descriptor);
    DO(ssize_t, syscall(SYS_pwritev, descriptor, parts, count, offset, 0), result > 0,
       note_written(descriptor, logged_path, offset, parts, count, result));
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) { return pwritev64(descriptor, parts, count, offset); }

int ftruncate64(int descriptor, off64_t length) {
    if (hits(FTRUNCATE, descriptor)) FAIL(-1);
    LOGGED_FILE(descriptor);
    DO(int, (int)syscall(SYS_ftruncate, descriptor, length), result == 0, note(TRUNCATED, descriptor, logged_path, 0, length, 0, 0));
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    if (hits(FALLOCATE, descriptor)) FAIL(-1);
    return syscall(SYS_fallocate, descriptor, mode, offset, length);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) { return fallocate64(descriptor, mode, offset, length); }

int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
    if (hits(FALLOCATE, descriptor)) return failure ? failure : EIO;
    return syscall(SYS_fallocate, descriptor, 0, offset, length) == 0 ? 0 : errno;
}

int posix_fallocate(int descriptor, off_t offset, off_t length) { return posix_fallocate64(descriptor, offset, length); }

/* What these copy is not in the log: they say so by failing there as on a kernel that has none. */
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *place, size_t count, unsigned flags) {
    if (log_file >= 0) { errno = ENOSYS; return -1; }
    if (hits(COPY, to)) SHORTEN(count);
    return syscall(SYS_copy_file_range, from, at, to, place, count, flags);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t count) {
    if (log_file >= 0) { errno = EINVAL; return -1; }
    if (hits(COPY, to)) SHORTEN(count);
    return syscall(SYS_sendfile, to, from, at, count);
}

ssize_t sendfile(int to, int from, off_t *at, size_t count) { return sendfile64(to, from, at, count); }

/* --- Flushing --- */

int fsync(int descriptor) {
    if (hits(FSYNC, descriptor)) FAIL(-1);
    LOGGED_FILE(descriptor);
    DO(int, (int)syscall(SYS_fsync, descriptor), result == 0, note(SYNCED, descriptor, logged_path, 0, 0, 0, 0));
}

int fdatasync(int descriptor) {
    if (hits(FDATASYNC, descriptor)) FAIL(-1);
    LOGGED_FILE(descriptor);
    DO(int, (int)syscall(SYS_fdatasync, descriptor), result == 0, note(SYNCED, descriptor, logged_path, 0, 0, 0, 0));
}

int flock(int descriptor, int operation) {
    if (hits(FLOCK, descriptor)) FAIL(-1);
    return syscall(SYS_flock, descriptor, operation);
}

/* --- Names --- */

static int renamed(int folder, const char *name, int folder2, const char *name2, unsigned flags) {
    if (hits_name(RENAME, folder2, name2)) FAIL(-1);
    LOGGED(folder2, name2);
    char source[4096] = "";
    if (is_logged) absolute(folder, name, source, sizeof source);
    DO(int, (int)syscall(SYS_renameat2, folder, name, folder2, name2, flags), result == 0,
       note(flags & 2 ? EXCHANGED : RENAMED, -1, source, logged_path, 0, 0, 0));
}

int rename(const char *name, const char *name2) { return renamed(AT_FDCWD, name, AT_FDCWD, name2, 0); }
int renameat(int folder, const char *name, int folder2, const char *name2) { return renamed(folder, name, folder2, name2, 0); }
int renameat2(int folder, const char *name, int folder2, const char *name2, unsigned flags) {
    return renamed(folder, name, folder2, name2, flags);
}

int linkat(int folder, const char *name, int folder2, const char *name2, int flags) {
    if (hits_name(LINK, folder2, name2)) FAIL(-1);
    LOGGED(folder2, name2);
    char source[4096] = "";
    if (is_logged) absolute(folder, name, source, sizeof source);
    DO(int, (int)syscall(SYS_linkat, folder, name, folder2, name2, flags), result == 0, note(LINKED, -1, source, logged_path, 0, 0, 0));
}

int link(const char *name, const char *name2) { return linkat(AT_FDCWD, name, AT_FDCWD, name2, 0); }

int unlinkat(int folder, const char *name, int flags) {
    if (hits_name(flags & AT_REMOVEDIR ? RMDIR : UNLINK, folder, name)) FAIL(-1);
    LOGGED(folder, name);
    DO(int, (int)syscall(SYS_unlinkat, folder, name, flags), result == 0,
       note(flags & AT_REMOVEDIR ? REMOVED_FOLDER : REMOVED, -1, logged_path, 0, 0, 0, 0));
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int folder, const char *name, mode_t mode) {
    if (hits_name(MKDIR, folder, name)) FAIL(-1);
    LOGGED(folder, name);
    DO(int, (int)syscall(SYS_mkdirat, folder, name, mode), result == 0, note(MADE_FOLDER, -1, logged_path, 0, 0, 0, 0));
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

char *mkdtemp(char *template) {
    REAL(char *, "mkdtemp", char *);
    if (hits_name(MKDIR, AT_FDCWD, template)) FAIL(0);
    int is_logged = log_file >= 0;
    DO(char *, real(template), result && is_below(template), note(MADE_FOLDER, -1, template, 0, 0, 0, 0));
}

/* --- Sending --- */

ssize_t sendto(int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length) {
    if (hits(SEND, descriptor)) SHORTEN(count);
    return syscall(SYS_sendto, descriptor, bytes, count, flags, to, length);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) { return sendto(descriptor, bytes, count, flags, 0, 0); }

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    struct msghdr given = *message;
    struct iovec first;
    if (hits(SEND, descriptor)) {
        if (failure) FAIL(-1);
        if (given.msg_iovlen > 0) {
            first = given.msg_iov[0];
            if (first.iov_len > 1) first.iov_len /= 2;
            given.msg_iov = &first;
            given.msg_iovlen = 1;
        }
    }
    return syscall(SYS_sendmsg, descriptor, &given, flags);
}
