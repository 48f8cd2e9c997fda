/* Makes disks fail and clocks jump while the program runs. FAULTS names a file of sizeof(struct control) bytes that the
 * test writes: the error of the time of day, and which calls on files whose path contains `name` fail with which error.
 * The calls are 1 read, 2 write, 4 sync. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control { volatile int64_t seconds; volatile int32_t calls; volatile int32_t error; char name[112]; };
static struct control none, *control = &none;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FAULTS");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(0, sizeof none, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) control = page;
  close(file);
}

static int fails(int fd, int call) {
  if (!(control->calls & call)) return 0;
  char link[32], path[4096];
  int before = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) { errno = before; return 0; }
  path[length] = 0;
  if (!strstr(path, control->name)) { errno = before; return 0; }
  errno = control->error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

#define FAILING(type, call, name, parameters, ...) \
  type name parameters { return fails(fd, call) ? -1 : REAL(name)(__VA_ARGS__); }

FAILING(ssize_t, 1, read, (int fd, void *b, size_t n), fd, b, n)
FAILING(ssize_t, 1, pread, (int fd, void *b, size_t n, off_t at), fd, b, n, at)
FAILING(ssize_t, 1, pread64, (int fd, void *b, size_t n, off64_t at), fd, b, n, at)
FAILING(ssize_t, 1, readv, (int fd, const struct iovec *v, int n), fd, v, n)
FAILING(ssize_t, 1, preadv, (int fd, const struct iovec *v, int n, off_t at), fd, v, n, at)
FAILING(ssize_t, 1, preadv64, (int fd, const struct iovec *v, int n, off64_t at), fd, v, n, at)
FAILING(ssize_t, 2, write, (int fd, const void *b, size_t n), fd, b, n)
FAILING(ssize_t, 2, pwrite, (int fd, const void *b, size_t n, off_t at), fd, b, n, at)
FAILING(ssize_t, 2, pwrite64, (int fd, const void *b, size_t n, off64_t at), fd, b, n, at)
FAILING(ssize_t, 2, writev, (int fd, const struct iovec *v, int n), fd, v, n)
FAILING(ssize_t, 2, pwritev, (int fd, const struct iovec *v, int n, off_t at), fd, v, n, at)
FAILING(ssize_t, 2, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), fd, v, n, at)
FAILING(int, 4, fsync, (int fd), fd)
FAILING(int, 4, fdatasync, (int fd), fd)

int clock_gettime(clockid_t clock, struct timespec *t) {
  int result = REAL(clock_gettime)(clock, t);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) t->tv_sec += control->seconds;
  return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  int result = REAL(gettimeofday)(t, zone);
  if (t) t->tv_sec += control->seconds;
  return result;
}

time_t time(time_t *at) {
  time_t now = REAL(time)(0) + control->seconds;
  if (at) *at = now;
  return now;
}
