/* SPDX-License-Identifier: BSD-3-Clause */
/* Where pinned memory lies: hwloc knows which node a device hangs on, the memory policy of the thread that
 * allocates says so to the run time. */
#include "device_near.h"

#include <hwloc.h>
#include <pthread.h>
#include <sys/auxv.h>

#include "machine.h"

/* A topology with devices; NULL where it cannot be had. */
static hwloc_topology_t load(const char *xml) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return NULL;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if ((xml && hwloc_topology_set_xml(topology, xml) != 0) || hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    return topology;
}

/* Nodes around a device; NULL where it is not found. */
static hwloc_const_nodeset_t nodes_of(hwloc_topology_t topology, const int pci[3]) {
    hwloc_obj_t device =
        hwloc_get_pcidev_by_busid(topology, (unsigned)pci[0], (unsigned)pci[1], (unsigned)pci[2], 0);
    hwloc_obj_t around = device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
    return around ? around->nodeset : NULL;
}

int lm_near_node(const int pci[3], const char *xml) {
    hwloc_topology_t topology = load(xml);
    if (!topology) return -1;
    hwloc_const_nodeset_t nodes = nodes_of(topology, pci);
    const int node = nodes ? hwloc_bitmap_first(nodes) : -1;
    hwloc_topology_destroy(topology);
    return node;
}

static hwloc_topology_t machine;

/* As in machine.c: no plug-ins from the environment of a program with more rights than its caller. */
static void load_machine(void) {
    if (!getauxval(AT_SECURE)) machine = load(NULL);
}

static hwloc_topology_t this_machine(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_machine);
    return machine;
}

typedef struct request {
    const lm_device *device;
    hwloc_const_nodeset_t nodes;
    size_t bytes;
    void **out;
    lm_hip_error error;
} request;

static void allocate(void *arg) {
    request *r = arg;
    const lm_hip *hip = lm_hip_get();
    const int flags = HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET;
    r->error = hip->hipSetDevice(r->device->number);
    if (r->error) return;
    const bool bound = hwloc_set_membind(machine, r->nodes, HWLOC_MEMBIND_BIND, flags) == 0;
    r->error =
        hip->hipHostMalloc(r->out, r->bytes, LM_HIP_HOST_PORTABLE | (bound ? LM_HIP_HOST_NUMA_USER : 0));
}

/* The policy is that of a thread made for it: hwloc cannot tell the default one from others, to put it back.
 */
lm_hip_error lm_near_alloc(const lm_device *device, size_t bytes, void **out) {
    hwloc_topology_t topology = lm_machine_get()->numa_nodes > 1 ? this_machine() : NULL;
    request r = {.device = device, .bytes = bytes, .out = out};
    r.nodes = topology ? nodes_of(topology, device->pci) : NULL;
    if (r.nodes && lm_hip_apart(allocate, &r)) return r.error;
    return lm_hip_get()->hipHostMalloc(out, bytes, LM_HIP_HOST_PORTABLE);
}
