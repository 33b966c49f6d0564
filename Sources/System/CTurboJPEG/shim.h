#include <turbojpeg.h>
#if __has_include(<jconfig.h>)
#include <jconfig.h>
#endif

/// 1,000,000 times the major, 1,000 times the minor version and the patch; 0 where the headers do not say it.
static inline int turbojpegVersionNumber(void) {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
    return LIBJPEG_TURBO_VERSION_NUMBER;
#else
    return 0;
#endif
}
