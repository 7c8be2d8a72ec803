// What Swift's Glibc module leaves out: epoll, eventfd and signalfd, whose headers it doesn't list, and GNU extensions,
// because it is compiled without _GNU_SOURCE. Defining that here would come too late, since the headers belong to the
// Glibc module already; so the functions are declared as their manual pages do.
//
// Unless a comment says otherwise, functions return -1 and set errno on failure.
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
extern int pipe2(int ends[2], int flags);
extern int epoll_pwait2(
    int epoll, struct epoll_event *events, int count, const struct timespec *timeout, const __sigset_t *mask);
extern int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *processors);
extern int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *processors);

// A connection of a listener, non-blocking and closed on exec. `address` may be null.
static inline int linux_accept(int listener, struct sockaddr_storage *address) {
    socklen_t length = sizeof(struct sockaddr_storage);
    return accept4(
        listener, (struct sockaddr *)address, address ? &length : 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// An epoll instance, closed on exec.
static inline int linux_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

// EPOLL_CTL_ADD, EPOLL_CTL_MOD or EPOLL_CTL_DEL. The token comes back with each event.
static inline int linux_epoll_set(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, fd, &event);
}

// Waits for events for at most that many nanoseconds; for ever if they are negative. Returns the number of events. Where
// the kernel can't count nanoseconds (before 5.11, and in some sandboxes), it waits whole milliseconds.
static inline int linux_epoll_wait(int epoll, struct epoll_event *events, int count, int64_t nanoseconds) {
    struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int found = epoll_pwait2(epoll, events, count, nanoseconds < 0 ? 0 : &timeout, 0);
    if (found >= 0 || errno != ENOSYS) return found;
    int64_t milliseconds = nanoseconds < 0 ? -1 : (nanoseconds + 999999) / 1000000;
    return epoll_wait(epoll, events, count, milliseconds > 3600000 ? 3600000 : (int)milliseconds);
}

// The token of an event. Its place in the packed structure isn't aligned, so it is read here.
static inline uint64_t linux_epoll_token(const struct epoll_event *event) {
    return event->data.u64;
}

// A non-blocking counter that is readable while it isn't zero, closed on exec.
static inline int linux_eventfd(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

// A non-blocking descriptor that is readable while one of the signals, which every thread must block, is pending.
static inline int linux_signalfd(const __sigset_t *signals) {
    return signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

// Sends without raising SIGPIPE. With `more`, the kernel waits for what follows before it fills a segment.
static inline ssize_t linux_send(int socket, const void *bytes, size_t count, int more) {
    return send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
}

// Lets the calling thread run on one processor only, numbered from 0 to 1,023.
static inline int linux_run_on(unsigned processor) {
    cpu_set_t processors = {{0}};
    const unsigned bits = 8 * sizeof(processors.__bits[0]);
    if (processor >= 8 * sizeof(processors)) {
        errno = EINVAL;
        return -1;
    }
    processors.__bits[processor / bits] = (__cpu_mask)1 << processor % bits;
    return sched_setaffinity(0, sizeof(processors), &processors);
}

// Writes the numbers of the processors that the calling thread may run on, and returns how many there are; at most
// `count` are written.
static inline int linux_processors(unsigned *numbers, int count) {
    cpu_set_t processors = {{0}};
    const unsigned bits = 8 * sizeof(processors.__bits[0]);
    int found = 0;
    if (sched_getaffinity(0, sizeof(processors), &processors) < 0) return -1;
    for (unsigned number = 0; number < 8 * sizeof(processors); number++) {
        if ((processors.__bits[number / bits] >> number % bits & 1) == 0) continue;
        if (found < count) numbers[found] = number;
        found++;
    }
    return found;
}

#endif
