// What the Swift runtime is linked with, so that the program asks for glibc 2.34 and no newer one.
//
// hypot and hypotf have a second symbol since glibc 2.35, which differs in nothing but errno; the linker takes these for them (--wrap).
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

#if defined(__aarch64__)
// Debian compiled this runtime with the headers of a newer glibc, in which some functions have other names, which differ only in that
// they know 0b1, or are new.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return strtoul(s, end, base); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return strtoll(s, end, base); }
int __isoc23_sscanf(const char *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vsscanf(s, format, arguments);
    va_end(arguments);
    return result;
}

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
