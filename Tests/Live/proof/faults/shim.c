// Faults within a process that no system call can have: loaded by LD_PRELOAD, commanded by the shared file that $VIGIL_FAULTS names.
// Which fault is on, is in the file; memory.py, pieces.py and clock.py write it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPENSSL = 1, NGHTTP2, LIBPQ };

// shared.py has the same.
struct faults {
    _Atomic long pieces;       // whether sockets carry one byte a call
    _Atomic long interruption; // every how many calls of a socket end with EINTR, or EAGAIN if it doesn't block
    _Atomic long library;      // whose allocations fail
    _Atomic long first, count; // which of them
    _Atomic long seen, failed; // how many there were of that library, and failed, since the command
    _Atomic long cut;          // calls that were cut or interrupted
    _Atomic long clock;        // seconds by which the wall clock is off
    _Atomic long hooked;       // whether OpenSSL takes its memory here
};
static struct faults none, *faults = &none;

// MARK: Sockets

static _Atomic long calls;

static ssize_t cut(int socket, struct iovec *pieces, int *count) {
    if (!faults->pieces) return 0;
    int type = 0;
    socklen_t length = sizeof type;
    int error = errno;
    if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) {
        errno = error;
        return 0;
    }
    faults->cut++;
    long every = faults->interruption;
    if (every && ++calls % every == 0) {
        errno = calls / every % 2 && fcntl(socket, F_GETFL) & O_NONBLOCK ? EAGAIN : EINTR;
        return -1;
    }
    while (*count > 1 && pieces->iov_len == 0) *pieces = pieces[1], --*count;
    *count = 1;
    if (pieces->iov_len > 1) pieces->iov_len = 1;
    return 0;
}

#define ONE struct iovec piece = {(void *)bytes, length}; int pieces = 1; if (cut(socket, &piece, &pieces) < 0) return -1

ssize_t read(int socket, void *bytes, size_t length) {
    ONE;
    return syscall(SYS_read, socket, bytes, piece.iov_len);
}
ssize_t write(int socket, const void *bytes, size_t length) {
    ONE;
    return syscall(SYS_write, socket, bytes, piece.iov_len);
}
ssize_t recv(int socket, void *bytes, size_t length, int flags) {
    ONE;
    return syscall(SYS_recvfrom, socket, bytes, piece.iov_len, flags, 0, 0);
}
ssize_t send(int socket, const void *bytes, size_t length, int flags) {
    ONE;
    return syscall(SYS_sendto, socket, bytes, piece.iov_len, flags, 0, 0);
}
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    struct msghdr copy = *message;
    struct iovec first[16];
    int count = copy.msg_iovlen < 16 ? copy.msg_iovlen : 16;
    memcpy(first, copy.msg_iov, count * sizeof *first);
    int all = count;
    if (cut(socket, first, &count) < 0) return -1;
    if (count < all || faults->pieces) copy.msg_iov = first, copy.msg_iovlen = count;
    return syscall(SYS_sendmsg, socket, &copy, flags);
}
ssize_t writev(int socket, const struct iovec *pieces, int count) {
    struct iovec first[16];
    int all = count < 16 ? count : 16;
    memcpy(first, pieces, all * sizeof *first);
    if (cut(socket, first, &all) < 0) return -1;
    return syscall(SYS_writev, socket, faults->pieces ? first : pieces, faults->pieces ? all : count);
}

// MARK: Memory

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static struct { uintptr_t start, end; } text[4];

static int fails(int library) {
    if (faults->library != library) return 0;
    long number = faults->seen++;
    if (number < faults->first || number - faults->first >= faults->count) return 0;
    faults->failed++;
    errno = ENOMEM;
    return 1;
}
// Whether the caller is in nghttp2 or libpq.
static int fails_for(void *caller) {
    long library = faults->library;
    if (library < NGHTTP2 || (uintptr_t)caller < text[library].start || (uintptr_t)caller >= text[library].end) return 0;
    return fails(library);
}
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void *malloc(size_t size) { return fails_for(CALLER) ? 0 : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails_for(CALLER) ? 0 : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails_for(CALLER) ? 0 : __libc_realloc(old, size); }
char *strdup(const char *old) {
    size_t length = strlen(old) + 1;
    char *copy = fails_for(CALLER) ? 0 : __libc_malloc(length);
    return copy ? memcpy(copy, old, length) : 0;
}

static void *ssl_malloc(size_t size, const char *file, int line) { return fails(OPENSSL) ? 0 : __libc_malloc(size); }
static void *ssl_realloc(void *old, size_t size, const char *file, int line) {
    if (size == 0) {
        free(old);
        return 0;
    }
    return fails(OPENSSL) ? 0 : __libc_realloc(old, size);
}
static void ssl_free(void *old, const char *file, int line) { free(old); }

static int find(struct dl_phdr_info *info, size_t size, void *context) {
    const char *names[] = {[NGHTTP2] = "/libnghttp2.so", [LIBPQ] = "/libpq.so"};
    for (int library = NGHTTP2; library <= LIBPQ; library++) {
        if (!strstr(info->dlpi_name, names[library])) continue;
        for (int index = 0; index < info->dlpi_phnum; index++) {
            const ElfW(Phdr) *part = info->dlpi_phdr + index;
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
            text[library].start = info->dlpi_addr + part->p_vaddr;
            text[library].end = text[library].start + part->p_memsz;
        }
    }
    return 0;
}

// MARK: The clock

int clock_gettime(clockid_t clock, struct timespec *time) {
    int status = syscall(SYS_clock_gettime, clock, time);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += faults->clock;
    return status;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec, time->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("VIGIL_FAULTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(0, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    faults = shared;
    dl_iterate_phdr(find, 0);
    int (*hook)(void *, void *, void *) = (int (*)(void *, void *, void *))dlsym(RTLD_DEFAULT, "CRYPTO_set_mem_functions");
    if (hook) faults->hooked = hook(ssl_malloc, ssl_realloc, ssl_free);
}
