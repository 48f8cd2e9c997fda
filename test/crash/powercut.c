/* Records the synced state of a disk. Preloaded into the program, it replaces fsync and fdatasync: it appends the parts
 * of the file that changed since the file's last sync to a log. Data that was written but never synced is not in the log,
 * because a power cut loses it. powercut.ts rebuilds the disk at any instant.
 *
 *   POWERCUT_ROOT  the folder to watch, absolute, without a slash at the end
 *   POWERCUT_LOG   the log, outside that folder
 *   POWERCUT_MODE  unset, or a mutant: no-wal-sync (the write-ahead log is never synced), no-sync (nothing is)
 *   POWERCUT_FAIL  the number of the sync that fails once with EIO; 3:NAME is the third sync of files of that name
 *
 * A record: kind, length of the path, number of parts, instant (CLOCK_MONOTONIC, ns), size of the file; the path; the
 * parts, each with its offset and length. Kinds: s(ync), c(reate), u(nlink), r(ename: the two paths with a NUL between),
 * f(ailed sync). Changes of names count as synced at once and in order, as in journalling file systems.
 * The file is read through the descriptor that is synced, because closing another one would drop SQLite's locks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 512 /* the unit that a disk writes atomically */
#define FILES 4096

struct head { char kind; uint8_t unused; uint16_t path; uint32_t parts; uint64_t at; uint64_t size; };
struct part { uint64_t offset; uint64_t length; };
/* The logged content of a file: one entry per name, dropped when the name is removed. */
struct shadow { char *path; char *bytes; off_t size; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shadow shadows[FILES];
static const char *root, *mode, *failName;
static size_t rootLength;
static long failAt, syncs;
static int logFile = -1;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("POWERCUT_LOG"), *fail = getenv("POWERCUT_FAIL");
  root = getenv("POWERCUT_ROOT");
  mode = getenv("POWERCUT_MODE");
  if (!root || !path) return;
  rootLength = strlen(root);
  failAt = fail ? atol(fail) : 0;
  failName = fail && strchr(fail, ':') ? strchr(fail, ':') + 1 : 0;
  logFile = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int watched(const char *path) {
  return logFile >= 0 && path && !strncmp(path, root, rootLength) && path[rootLength] == '/';
}

static void put(const void *bytes, size_t length) {
  for (ssize_t n; length; bytes = (const char *)bytes + n, length -= n)
    if ((n = write(logFile, bytes, length)) <= 0) abort();
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static void note(char kind, const char *path, size_t length, uint64_t at) {
  struct head head = {.kind = kind, .path = length, .at = at};
  put(&head, sizeof head);
  put(path, length);
}

static struct shadow *find(const char *path, int make) {
  struct shadow *empty = 0;
  for (int i = 0; i < FILES; i++) {
    if (!shadows[i].path) { if (!empty) empty = &shadows[i]; continue; }
    if (!strcmp(shadows[i].path, path)) return &shadows[i];
  }
  if (!make) return 0;
  if (!empty) abort();
  *empty = (struct shadow){.path = strdup(path)};
  return empty;
}

static void forget(const char *path) {
  struct shadow *it = find(path, 0);
  if (!it) return;
  free(it->path);
  free(it->bytes);
  *it = (struct shadow){0};
}

/* The whole file through the descriptor. A write-only descriptor is opened again, because such a file has no locks. */
static char *content(int fd, off_t size) {
  char *bytes = malloc(size ? size : 1), link[64];
  int other = -1;
  for (off_t at = 0; at < size;) {
    ssize_t n = pread(other < 0 ? fd : other, bytes + at, size - at, at);
    if (n < 0 && errno == EBADF && other < 0) {
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      if ((other = open(link, O_RDONLY | O_CLOEXEC)) < 0) abort();
      continue;
    }
    if (n <= 0) abort();
    at += n;
  }
  if (other >= 0) close(other);
  return bytes;
}

static int differs(const struct shadow *old, const char *bytes, off_t at, off_t length) {
  return at + length > old->size || memcmp(old->bytes + at, bytes + at, length);
}

static void record(const char *path, int fd, off_t size, uint64_t at) {
  struct shadow *old = find(path + rootLength + 1, 1);
  char *bytes = content(fd, size);
  struct part *parts = malloc((size / BLOCK + 1) * sizeof *parts);
  struct head head = {.kind = 's', .path = strlen(path + rootLength + 1), .at = at, .size = size};
  for (off_t o = 0; o < size; o += BLOCK) {
    off_t length = size - o < BLOCK ? size - o : BLOCK;
    if (differs(old, bytes, o, length)) parts[head.parts++] = (struct part){o, length};
  }
  put(&head, sizeof head);
  put(path + rootLength + 1, head.path);
  for (uint32_t i = 0; i < head.parts; i++) {
    put(&parts[i], sizeof parts[i]);
    put(bytes + parts[i].offset, parts[i].length);
  }
  free(parts);
  free(old->bytes);
  old->bytes = bytes;
  old->size = size;
}

static int keep(int fd, const char *call) {
  char link[64], path[PATH_MAX];
  struct stat st;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = logFile < 0 ? -1 : readlink(link, path, sizeof path - 1);
  if (length >= 0) path[length] = 0;
  if (length < 0 || !watched(path)) return ((int (*)(int))real(call))(fd);
  if (mode && !strcmp(mode, "no-sync")) return 0;
  if (mode && !strcmp(mode, "no-wal-sync") && length > 4 && !strcmp(path + length - 4, "-wal")) return 0;
  pthread_mutex_lock(&lock);
  uint64_t at = now();
  int counts = !failName || !strcmp(strrchr(path, '/') + 1, failName);
  int fails = counts && ++syncs == failAt;
  if (fails) note('f', path + rootLength + 1, length - rootLength - 1, at);
  else if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink) record(path, fd, st.st_size, at);
  pthread_mutex_unlock(&lock);
  if (fails) errno = EIO;
  return fails ? -1 : 0;
}

int fsync(int fd) { return keep(fd, "fsync"); }
int fdatasync(int fd) { return keep(fd, "fdatasync"); }

static int gone(int rc, const char *path) {
  if (rc || !watched(path)) return rc;
  pthread_mutex_lock(&lock);
  forget(path + rootLength + 1);
  note('u', path + rootLength + 1, strlen(path + rootLength + 1), now());
  pthread_mutex_unlock(&lock);
  return rc;
}

int unlink(const char *path) { return gone(((int (*)(const char *))real("unlink"))(path), path); }
int remove(const char *path) { return gone(((int (*)(const char *))real("remove"))(path), path); }

int unlinkat(int folder, const char *name, int flags) {
  char link[64], path[PATH_MAX] = "";
  int rc = ((int (*)(int, const char *, int))real("unlinkat"))(folder, name, flags);
  if (rc || *name == '/') return gone(rc, name);
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length > 0) snprintf(path + length, sizeof path - length, "/%s", name);
  return gone(rc, path);
}

int rename(const char *from, const char *to) {
  char both[2 * PATH_MAX];
  int rc = ((int (*)(const char *, const char *))real("rename"))(from, to);
  if (rc || !watched(from) || !watched(to)) return rc;
  pthread_mutex_lock(&lock);
  forget(to + rootLength + 1);
  struct shadow *it = find(from + rootLength + 1, 0);
  if (it) { free(it->path); it->path = strdup(to + rootLength + 1); }
  int length = snprintf(both, sizeof both, "%s%c%s", from + rootLength + 1, 0, to + rootLength + 1);
  note('r', both, length, now());
  pthread_mutex_unlock(&lock);
  return rc;
}

static int created(const char *name, const char *path, int flags, mode_t rights) {
  int isNew = (flags & O_CREAT) && watched(path) && access(path, F_OK);
  int fd = ((int (*)(const char *, int, ...))real(name))(path, flags, rights);
  if (fd < 0 || !isNew) return fd;
  pthread_mutex_lock(&lock);
  note('c', path + rootLength + 1, strlen(path + rootLength + 1), now());
  pthread_mutex_unlock(&lock);
  return fd;
}

static mode_t third(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t rights = third(flags, rest);
  va_end(rest);
  return created("open", path, flags, rights);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t rights = third(flags, rest);
  va_end(rest);
  return created("open64", path, flags, rights);
}
