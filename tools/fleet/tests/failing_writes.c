/* Preloaded: of the writes to files below FAIL_BELOW every FAIL_EVERYth fails with EIO, in whichever process; each waits FAIL_WAIT_US. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int fails(int descriptor) {
    static int *count;
    const char *below = getenv("FAIL_BELOW"), *counter = getenv("FAIL_COUNTER");
    if (!below || !counter) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    if (strncmp(path, below, strlen(below)) != 0 || strcmp(path, counter) == 0) return 0;
    if (!count) {
        int file = open(counter, O_RDWR | O_CLOEXEC);
        if (file < 0) return 0;
        void *page = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (page == MAP_FAILED) return 0;
        count = page;
    }
    int wait = atoi(getenv("FAIL_WAIT_US") ? getenv("FAIL_WAIT_US") : "0");
    if (wait > 0) usleep(wait);
    int every = atoi(getenv("FAIL_EVERY") ? getenv("FAIL_EVERY") : "0");
    return __sync_add_and_fetch(count, 1) % (every > 0 ? every : 1 << 30) == 0;
}

#define REAL(name, ...) ((ssize_t(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))
#define GUARD if (fails(descriptor)) { errno = EIO; return -1; }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    GUARD return REAL("write", int, const void *, size_t)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
    GUARD return REAL("pwrite", int, const void *, size_t, off_t)(descriptor, bytes, count, place);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t place) {
    GUARD return REAL("pwrite64", int, const void *, size_t, off64_t)(descriptor, bytes, count, place);
}
