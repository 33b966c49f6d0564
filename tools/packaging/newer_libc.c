// What the Swift runtime is linked with, so that the program asks for glibc 2.34 and no newer one.
//
// Where the runtime was compiled with a newer C library's headers (aarch64), some functions have other names there, which differ only
// in that they know 0b1, or are new. hypot and hypotf have a symbol of 2.35 since then, which differs in nothing but errno; the linker
// takes these for them (--wrap).
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME(result, name, ...) result __isoc23_##name(__VA_ARGS__)
SAME(long, strtol, const char *s, char **end, int base) { return strtol(s, end, base); }
SAME(unsigned long, strtoul, const char *s, char **end, int base) { return strtoul(s, end, base); }
SAME(long long, strtoll, const char *s, char **end, int base) { return strtoll(s, end, base); }
SAME(unsigned long long, strtoull, const char *s, char **end, int base) { return strtoull(s, end, base); }
SAME(intmax_t, strtoimax, const char *s, char **end, int base) { return strtoimax(s, end, base); }
SAME(uintmax_t, strtoumax, const char *s, char **end, int base) { return strtoumax(s, end, base); }
SAME(int, vsscanf, const char *s, const char *format, va_list arguments) { return vsscanf(s, format, arguments); }
SAME(int, vfscanf, FILE *file, const char *format, va_list arguments) { return vfscanf(file, format, arguments); }
SAME(int, sscanf, const char *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vsscanf(s, format, arguments);
    va_end(arguments);
    return result;
}
SAME(int, fscanf, FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vfscanf(file, format, arguments);
    va_end(arguments);
    return result;
}

#if defined(__aarch64__)
size_t strlcpy(char *to, const char *from, size_t size) {
    size_t length = strlen(from);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(to, from, copied);
        to[copied] = 0;
    }
    return length;
}
size_t strlcat(char *to, const char *from, size_t size) {
    size_t length = strnlen(to, size);
    return length + (length < size ? strlcpy(to + length, from, size - length) : strlen(from));
}
#endif

#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#else
#define FIRST "GLIBC_2.17"
#endif
__asm__(".symver first_hypot, hypot@" FIRST);
__asm__(".symver first_hypotf, hypotf@" FIRST);
double first_hypot(double x, double y);
float first_hypotf(float x, float y);
double __wrap_hypot(double x, double y) { return first_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return first_hypotf(x, y); }
