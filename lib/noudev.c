/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of libudev that libhwloc.a refers to, for static programs on systems without libudev.a: there is
 * no udev, which hwloc copes with (it then leaves out the vendors and serial numbers of disks). An archive of
 * its own, never part of liblmad; weak, so that a real libudev wins. */
#include <stddef.h>

struct udev;
struct udev_device;

__attribute__((weak)) struct udev *udev_new(void);
__attribute__((weak)) struct udev *udev_unref(struct udev *udev);
__attribute__((weak)) struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev,
                                                                                 const char *subsystem,
                                                                                 const char *sysname);
__attribute__((weak)) const char *udev_device_get_property_value(struct udev_device *device, const char *key);
__attribute__((weak)) struct udev_device *udev_device_unref(struct udev_device *device);

struct udev *udev_new(void) {
    return NULL;
}

struct udev *udev_unref(struct udev *udev) {
    (void)udev;
    return NULL;
}

struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem,
                                                           const char *sysname) {
    (void)udev;
    (void)subsystem;
    (void)sysname;
    return NULL;
}

const char *udev_device_get_property_value(struct udev_device *device, const char *key) {
    (void)device;
    (void)key;
    return NULL;
}

struct udev_device *udev_device_unref(struct udev_device *device) {
    (void)device;
    return NULL;
}
