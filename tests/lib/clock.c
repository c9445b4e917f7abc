/* Loaded into a server, shifts what it thinks the time of day is by the seconds in a file, and no other clock.
   libfaketime does not run together with jemalloc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t* shift; /* the file, as the test writes it */

static __attribute__((constructor)) void open_file(void) {
    const char* path = getenv("ORRERY_TEST_CLOCK");
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void* mapped = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) shift = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec* out) {
    const long result = syscall(SYS_clock_gettime, clock, out);
    const int is_time_of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (result == 0 && is_time_of_day && shift) out->tv_sec += *shift;
    return (int)result;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
    const int result = (int)syscall(SYS_gettimeofday, out, zone);
    if (result == 0 && shift) out->tv_sec += *shift;
    return result;
}

time_t time(time_t* out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
