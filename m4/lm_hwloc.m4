# SPDX-License-Identifier: BSD-3-Clause

# LM_STATIC_HWLOC: how a wholly static program (-static) links hwloc. Some distributions ship libhwloc.a but
# no libudev.a, which it needs; hwloc takes udev only for the names of devices, which liblmad does not ask
# for. There lib/noudev.c, installed as liblmad_noudev.a, stands in for it.
#   LMAD_PC_REQUIRES, LMAD_PC_LIBS   for lmad.pc: Requires.private and Libs.private
#   WITH_NOUDEV                      conditional: build and install the stand-in
#   STATIC_PROGRAMS                  yes or no: does -static work here at all (with OPENMP_CFLAGS)
AC_DEFUN([LM_STATIC_HWLOC], [
AC_REQUIRE([AC_OPENMP])
lm_saved_CFLAGS=$CFLAGS lm_saved_LDFLAGS=$LDFLAGS lm_saved_LIBS=$LIBS
CFLAGS="$CFLAGS $HWLOC_CFLAGS"
LDFLAGS="$LDFLAGS -static"

AC_MSG_CHECKING([how a static program links hwloc])
LMAD_PC_REQUIRES=hwloc LMAD_PC_LIBS= lm_noudev=no
LIBS="`$PKG_CONFIG --static --libs hwloc` $lm_saved_LIBS"
_LM_LINK_HWLOC([], [lm_static_hwloc="as hwloc.pc says"], [
    LIBS="$HWLOC_LIBS -lm -lpthread $lm_saved_LIBS"
    _LM_LINK_HWLOC([
        void *udev_new(void) { return 0; }
        void *udev_unref(void *p) { return p; }
        void *udev_device_new_from_subsystem_sysname(void *p) { return p; }
        const char *udev_device_get_property_value(void *p) { return p; }
        void *udev_device_unref(void *p) { return p; }],
        [lm_static_hwloc="with a stand-in for udev" lm_noudev=yes
         LMAD_PC_REQUIRES= LMAD_PC_LIBS="$HWLOC_LIBS -llmad_noudev -lm -lpthread"],
        [lm_static_hwloc="not at all"])])
AC_MSG_RESULT([$lm_static_hwloc])

# The OpenMP run time may lack a static library as well.
AC_MSG_CHECKING([whether static programs link])
LIBS=$lm_saved_LIBS CFLAGS="$CFLAGS $OPENMP_CFLAGS"
AC_LINK_IFELSE([AC_LANG_PROGRAM], [STATIC_PROGRAMS=yes], [STATIC_PROGRAMS=no])
AS_IF([test "$lm_static_hwloc" = "not at all"], [STATIC_PROGRAMS=no])
AC_MSG_RESULT([$STATIC_PROGRAMS])

CFLAGS=$lm_saved_CFLAGS LDFLAGS=$lm_saved_LDFLAGS LIBS=$lm_saved_LIBS
AC_SUBST([LMAD_PC_REQUIRES])
AC_SUBST([LMAD_PC_LIBS])
AC_SUBST([STATIC_PROGRAMS])
AM_CONDITIONAL([WITH_NOUDEV], [test $lm_noudev = yes])
])

# _LM_LINK_HWLOC(DEFINITIONS, IF-LINKED, IF-NOT)
AC_DEFUN([_LM_LINK_HWLOC], [
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hwloc.h>]
        $1], [[hwloc_topology_t t; return hwloc_topology_init(&t) || hwloc_topology_load(t);]])], [$2], [$3])
])
