# SPDX-License-Identifier: BSD-3-Clause

# LM_WITH_HIP: --with-hip=auto|no|DIR. HIP's run time is loaded when a program asks for a device, so nothing of HIP
# is needed to build the library; where its headers are, they are compared with our declarations.
#   HIP_CPPFLAGS        what hip_check.c needs
#   HAVE_HIP_HEADERS    conditional: compile it
#   LM_WITHOUT_HIP      defined by `no`: no run time is ever loaded
#   LM_HIP_DIR          defined by DIR: its libraries are tried first. A DIR without HIP is an error.
AC_DEFUN([LM_WITH_HIP], [
AC_ARG_WITH([hip], [AS_HELP_STRING([--with-hip=auto|no|DIR],
    [HIP devices: found at run time (auto), never (no), found at run time in DIR first])],
    [], [with_hip=auto])
lm_hip_headers=no HIP_CPPFLAGS=
AS_CASE([$with_hip],
    [no], [AC_DEFINE([LM_WITHOUT_HIP], [1], [Load no HIP run time.])],
    [auto|yes], [_LM_HIP_HEADERS([])
        AS_IF([test $lm_hip_headers = no], [_LM_HIP_HEADERS([-I/opt/rocm/include])])
        AS_IF([test $with_hip$lm_hip_headers = yesno], [AC_MSG_ERROR([--with-hip: no headers of HIP found])])],
    [AS_IF([test -f "$with_hip/include/hip/hip_runtime_api.h"], [_LM_HIP_HEADERS(["-I$with_hip/include"])])
     AS_IF([test $lm_hip_headers = no],
        [AC_MSG_ERROR([--with-hip=$with_hip: no usable $with_hip/include/hip/hip_runtime_api.h])])
     AC_DEFINE_UNQUOTED([LM_HIP_DIR], ["$with_hip"], [Where HIP is looked for first.])])
AS_CASE([$with_hip.$lm_hip_headers],
    [no.*], [lm_hip_summary=no],
    [*.yes], [lm_hip_summary="loaded at run time; declarations are compared with its headers"],
    [lm_hip_summary="loaded at run time; no headers to compare declarations with (Debian: libamdhip64-dev)"])
AM_CONDITIONAL([HAVE_HIP_HEADERS], [test $lm_hip_headers = yes])
AC_SUBST([HIP_CPPFLAGS])
])

# _LM_HIP_HEADERS(CPPFLAGS): are there headers that our compiler takes? Not another folder's, should DIR's be broken.
AC_DEFUN([_LM_HIP_HEADERS], [
AC_MSG_CHECKING([for HIP's headers m4_ifval([$1], [with $1])])
lm_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="-D__HIP_PLATFORM_AMD__ $1 $CPPFLAGS"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>]], [[hipStream_t s = 0; return hipStreamDestroy(s) != hipSuccess;]])],
    [lm_hip_headers=yes HIP_CPPFLAGS="-D__HIP_PLATFORM_AMD__ $1"])
CPPFLAGS=$lm_saved_CPPFLAGS
AC_MSG_RESULT([$lm_hip_headers])
])
