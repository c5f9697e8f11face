/* What `hooke` asks of the system, failing where a test says so: loaded before the C library.
 *
 * Calls that change something below the folder FAULT_ROOT are counted, and so are allocations of at
 * least FAULT_BYTES bytes if that is given instead. Call number FAULT_AT fails, and with FAULT_ON all
 * after it as well. FAULT_HOW is `full`, `broken` or `short`: no room, a device that fails, or room
 * for half of the first write. What failed first is written into the file FAULT_NOTE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *root, *note, *how;
static long at, on, bytes;
static atomic_long calls;

__attribute__((constructor)) static void start(void) {
    const char *value;
    root = getenv("FAULT_ROOT");
    note = getenv("FAULT_NOTE");
    how = (value = getenv("FAULT_HOW")) ? value : "full";
    bytes = (value = getenv("FAULT_BYTES")) ? atol(value) : 0;
    on = (value = getenv("FAULT_ON")) ? atol(value) : 0;
    at = (value = getenv("FAULT_AT")) ? atol(value) : 0;
}

/* Counts a call; whether it is to fail. Allocates nothing. */
static int fails(const char *call, const char *path) {
    if (!at) return 0;
    long now = ++calls;
    if (now != at && !(on && now > at)) return 0;
    if (now == at && note) {
        int file = syscall(SYS_openat, AT_FDCWD, note, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0) {
            syscall(SYS_write, file, call, strlen(call));
            syscall(SYS_write, file, " ", 1);
            syscall(SYS_write, file, path, strlen(path));
            syscall(SYS_close, file);
        }
    }
    return 1;
}

static int below(const char *path) {
    return root && path && strncmp(path, root, strlen(root)) == 0;
}

/* A path relative to an open folder is below where that folder is. */
static int below_at(int folder, const char *path) {
    char link[64], place[PATH_MAX];
    if (!root || !path) return 0;
    if (path[0] == '/' || folder == AT_FDCWD) return below(path);
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, place, sizeof place - 1);
    if (length < 0) return 0;
    place[length] = 0;
    return below(place);
}

/* The path of an open file, if it is below. */
static int file_below(int file, char place[PATH_MAX]) {
    char link[64];
    if (!root) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, place, PATH_MAX - 1);
    if (length < 0) return 0;
    place[length] = 0;
    return below(place);
}

static int no_room(void) { return strcmp(how, "broken") == 0 ? EIO : ENOSPC; }

/* The C library's own. */
#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        int mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
        va_end(rest); \
        if (flags & (O_CREAT | O_TRUNC) && below(path) && fails("create", path)) { \
            errno = no_room(); \
            return -1; \
        } \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    char place[PATH_MAX];
    if (file > 2 && file_below(file, place) && fails("write", place)) {
        static atomic_int halves;
        if (strcmp(how, "short") == 0 && size > 1 && !halves++) return real(file, data, size / 2);
        errno = no_room();
        return -1;
    }
    return real(file, data, size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    char place[PATH_MAX];
    if (file > 2 && file_below(file, place) && fails("write", place)) {
        errno = no_room();
        return -1;
    }
    return real(file, parts, count);
}

#define ON_FILE(name, word) \
    int name(int file) { \
        REAL(name); \
        char place[PATH_MAX]; \
        if (file_below(file, place) && fails(word, place)) { \
            errno = EIO; \
            return -1; \
        } \
        return real(file); \
    }
ON_FILE(fsync, "sync")
ON_FILE(fdatasync, "sync")

#define CUT(name, type) \
    int name(int file, type length) { \
        REAL(name); \
        char place[PATH_MAX]; \
        if (file_below(file, place) && fails("cut", place)) { \
            errno = EIO; \
            return -1; \
        } \
        return real(file, length); \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    REAL(rename);
    if (below(to) && fails("rename", to)) {
        errno = no_room();
        return -1;
    }
    return real(from, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    if (below(path) && fails("mkdir", path)) {
        errno = no_room();
        return -1;
    }
    return real(path, mode);
}

int unlink(const char *path) {
    REAL(unlink);
    if (below(path) && fails("unlink", path)) {
        errno = EIO;
        return -1;
    }
    return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat);
    if (below_at(folder, path) && fails("unlink", path)) {
        errno = EIO;
        return -1;
    }
    return real(folder, path, flags);
}

/* Allocations. `calloc` is what `dlsym` itself may call, so all come from the names that the C library
 * keeps for this. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int out_of_memory(size_t size) {
    if (!bytes || size < (size_t)bytes || !fails("allocate", "")) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return out_of_memory(size) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
    return out_of_memory(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return out_of_memory(size) ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (out_of_memory(size)) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return out_of_memory(size) ? NULL : __libc_memalign(alignment, size);
}
