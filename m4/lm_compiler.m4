# SPDX-License-Identifier: BSD-3-Clause
# What configure asks the compiler and the linker.

# LM_TRY_CFLAGS(VARIABLE, FLAGS): VARIABLE becomes those of FLAGS that the compiler takes. An unknown flag is
# only a warning in clang, hence -Werror.
AC_DEFUN([LM_TRY_CFLAGS], [
lm_saved_CFLAGS=$CFLAGS
$1=
for lm_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $lm_flag])
    CFLAGS="$lm_saved_CFLAGS -Werror $lm_flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([int lm_check(void);])],
        [$1="$$1 $lm_flag"; AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
done
CFLAGS=$lm_saved_CFLAGS
AC_SUBST([$1])
])

# LM_OPTIMISATION: loop bodies need -O3, the rest does not, and CFLAGS comes last on every command line. So
# an -O2 in CFLAGS (autoconf's own or a distribution's) moves into LM_OPT and LM_KERNEL_OPT; any other level
# is what somebody wants for all files and stays.
AC_DEFUN([LM_OPTIMISATION], [
LM_OPT= LM_KERNEL_OPT= lm_rest=
for lm_flag in $CFLAGS; do
    AS_CASE([$lm_flag], [-O2], [LM_OPT=-O2 LM_KERNEL_OPT=-O3], [lm_rest="$lm_rest $lm_flag"])
done
CFLAGS=${lm_rest# }
AC_SUBST([LM_OPT])
AC_SUBST([LM_KERNEL_OPT])
])

# LM_VERSION_SCRIPT: HAVE_VERSION_SCRIPT is true where the linker takes --version-script.
AC_DEFUN([LM_VERSION_SCRIPT], [
AC_MSG_CHECKING([whether the linker takes --version-script])
lm_saved_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -Wl,--version-script=$srcdir/lib/liblmad.map"
AC_LINK_IFELSE([AC_LANG_PROGRAM], [lm_version_script=yes], [lm_version_script=no])
LDFLAGS=$lm_saved_LDFLAGS
AC_MSG_RESULT([$lm_version_script])
AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test $lm_version_script = yes])
])

# LM_NODELETE: NODELETE_LDFLAGS is what keeps a shared library in memory after dlclose(). The threads of OpenMP
# outlive every handle, and they run code of libraries that would go with this one.
AC_DEFUN([LM_NODELETE], [
AC_MSG_CHECKING([whether the linker takes -z nodelete])
lm_saved_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -shared -Wl,-z,nodelete"
AC_LINK_IFELSE([AC_LANG_SOURCE([int lm_check;])], [NODELETE_LDFLAGS=-Wl,-z,nodelete], [NODELETE_LDFLAGS=])
LDFLAGS=$lm_saved_LDFLAGS
AC_MSG_RESULT([${NODELETE_LDFLAGS:-no}])
AC_SUBST([NODELETE_LDFLAGS])
])

# LM_HOST_ISA(NAME, FLAGS, CPU, HEADER): on that CPU, where the compiler takes all FLAGS and has the header of
# intrinsics, defines HAVE_ISA_<NAME>, makes the conditional of that name true and substitutes ISA_<NAME>_CFLAGS.
AC_DEFUN([LM_HOST_ISA], [
m4_pushdef([lm_NAME], [m4_toupper([$1])])dnl
AC_MSG_CHECKING([whether to compile kernels for $1])
lm_isa=no
AS_CASE([$host_cpu], [$3], [
    lm_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <$4>]])], [lm_isa=yes])
    CFLAGS=$lm_saved_CFLAGS])
AC_MSG_RESULT([$lm_isa])
AS_IF([test $lm_isa = yes], [
    AC_DEFINE([HAVE_ISA_]lm_NAME, [1], [Host kernels for $1 are compiled in.])
    lm_isas="$lm_isas $1"])
AC_SUBST([ISA_]lm_NAME[_CFLAGS], ["$2"])
AM_CONDITIONAL([HAVE_ISA_]lm_NAME, [test $lm_isa = yes])
m4_popdef([lm_NAME])dnl
])
