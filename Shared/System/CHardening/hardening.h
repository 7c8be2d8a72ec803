// What Swift can't say and a service that hides its callers needs to say.
#ifndef VIGIL_HARDENING_H
#define VIGIL_HARDENING_H

#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>

// Nobody but root may read this process's memory any more, and the kernel writes no core dump of it.
// Returns 0, or -1 and sets errno. `prctl` takes a variable number of arguments, which Swift can't pass.
static inline int vigil_make_undumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Of an open file: size in bytes, time of modification in seconds since 1970, type and permissions. Returns 0, or -1 and sets
// errno. Swift finds `struct stat` in one module or another, depending on how it is built.
static inline int vigil_file_facts(int descriptor, int64_t *size, int64_t *modified, uint32_t *mode) {
    struct stat facts;
    if (fstat(descriptor, &facts) != 0) return -1;
    *size = facts.st_size;
    *modified = facts.st_mtim.tv_sec;
    *mode = facts.st_mode;
    return 0;
}

// The same of a path, without following a symbolic link at its end.
static inline int vigil_path_facts(const char *path, int64_t *size, int64_t *modified, uint32_t *mode) {
    struct stat facts;
    if (lstat(path, &facts) != 0) return -1;
    *size = facts.st_size;
    *modified = facts.st_mtim.tv_sec;
    *mode = facts.st_mode;
    return 0;
}

#endif
