// Counts what a program holds of C's objects. Loaded by LD_PRELOAD, it keeps one counter of 8 bytes for each kind in the file that
// $VIGIL_COUNTS names, where others read them. With $VIGIL_LOSES=N it loses each Nth block that OpenSSL frees: a planted leak.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <nghttp2/nghttp2.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// check.py has the same order.
enum { BLOCKS, OPENSSL, CONNECTIONS, SESSIONS, DATABASES, RESULTS, KINDS };
static _Atomic long unshared[KINDS], freed;
static _Atomic long *counts = unshared;
static long loses;

static void count(int kind, long change) { atomic_fetch_add_explicit(&counts[kind], change, memory_order_relaxed); }

// MARK: Every block of memory, also Swift's

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void *counted(void *block) {
    if (block) count(BLOCKS, 1);
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = counted(__libc_memalign(alignment, size));
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
void *realloc(void *block, size_t size) {
    if (!block) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    return __libc_realloc(block, size);
}
void free(void *block) {
    if (!block) return;
    count(BLOCKS, -1);
    __libc_free(block);
}

// MARK: Every block of OpenSSL

static void *openssl_malloc(size_t size, const char *file, int line) {
    (void)file, (void)line;
    void *block = malloc(size);
    if (block) count(OPENSSL, 1);
    return block;
}
static void openssl_free(void *block, const char *file, int line) {
    (void)file, (void)line;
    if (!block || (loses && ++freed % loses == 0)) return;
    count(OPENSSL, -1);
    free(block);
}
static void *openssl_realloc(void *block, size_t size, const char *file, int line) {
    if (!block) return openssl_malloc(size, file, line);
    if (size == 0) {
        openssl_free(block, file, line);
        return NULL;
    }
    return realloc(block, size);
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("VIGIL_COUNTS"), *wanted = getenv("VIGIL_LOSES");
    int descriptor = file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    // What is counted before, stays uncounted: only differences matter.
    if (descriptor < 0 || ftruncate(descriptor, sizeof unshared) != 0) abort();
    void *shared = mmap(NULL, sizeof unshared, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (shared == MAP_FAILED) abort();
    counts = shared;
    loses = wanted ? atol(wanted) : 0;
    // 0 if OpenSSL has memory already (OPENSSL_malloc(3)).
    if (CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) != 1) abort();
}

// MARK: Objects, by the functions that our programs call

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MADE(kind, type, name, parameters, arguments) \
    type name parameters { \
        static __typeof__(&name) real; \
        if (!real) real = REAL(name); \
        type made = real arguments; \
        if (made) count(kind, 1); \
        return made; \
    }
#define UNMADE(kind, name, type) \
    void name(type object) { \
        static __typeof__(&name) real; \
        if (!real) real = REAL(name); \
        if (object) count(kind, -1); \
        real(object); \
    }

MADE(CONNECTIONS, SSL *, SSL_new, (SSL_CTX * context), (context))
UNMADE(CONNECTIONS, SSL_free, SSL *)

typedef const nghttp2_session_callbacks *Callbacks;
#define SESSION(name) \
    int name(nghttp2_session **session, Callbacks callbacks, void *data, const nghttp2_option *option, nghttp2_mem *memory) { \
        int status = REAL(name)(session, callbacks, data, option, memory); \
        if (status == 0) count(SESSIONS, 1); \
        return status; \
    }
SESSION(nghttp2_session_server_new3)
SESSION(nghttp2_session_client_new3)
UNMADE(SESSIONS, nghttp2_session_del, nghttp2_session *)

MADE(DATABASES, PGconn *, PQconnectStartParams, (const char *const *names, const char *const *values, int expand),
    (names, values, expand))
UNMADE(DATABASES, PQfinish, PGconn *)
MADE(RESULTS, PGresult *, PQgetResult, (PGconn * connection), (connection))
UNMADE(RESULTS, PQclear, PGresult *)
