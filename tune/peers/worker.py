# SPDX-License-Identifier: BSD-3-Clause
"""NumPy or PyTorch as a peer: worker.py LIBRARY FD. Reads lines, answers each with a number.

open SIZE DST SRC [N DS SS]...   offsets in bytes, strides in elements: 1, or 0 when the library cannot
run N                            copy N times: nanoseconds
"""
import mmap
import os
import sys
import time

library, memory = sys.argv[1], int(sys.argv[2])
if library == "numpy":
    import numpy
else:
    import torch

    torch.set_num_threads(1)

# What stands for an element of so many bytes: a type, and how many of them.
TYPES = {1: ("uint8", 1), 2: ("int16", 1), 3: ("uint8", 3), 4: ("float32", 1), 8: ("float64", 1),
         12: ("float32", 3), 16: ("complex128", 1)}


def views(block, size, dst, src, axes):
    """The two arrays, or None."""
    name, parts = TYPES[size]
    shape = [n for n, _, _ in axes]
    strides = [[ds * parts for _, ds, _ in axes], [ss * parts for _, _, ss in axes]]
    if parts > 1:
        shape.append(parts)
        strides[0].append(1)
        strides[1].append(1)
    if library == "numpy":
        kind = numpy.dtype(name)
        return [numpy.ndarray(shape, kind, block, at, [s * kind.itemsize for s in steps])
                for at, steps in zip((dst, src), strides)]
    if any(s < 0 for steps in strides for s in steps):
        return None
    kind = getattr(torch, name)
    bytes_each = torch.empty(0, dtype=kind).element_size()
    whole = torch.frombuffer(block, dtype=kind, count=len(block) // bytes_each)
    return [torch.as_strided(whole, shape, steps, at // bytes_each) if at % bytes_each == 0 else None
            for at, steps in zip((dst, src), strides)]


def main():
    block = None
    pair = None
    for line in sys.stdin:
        word, *rest = line.split()
        numbers = [int(text) for text in rest]
        if word == "open":
            pair = None
            if block is None or len(block) != os.fstat(memory).st_size:
                block = mmap.mmap(memory, 0)
            size, dst, src = numbers[:3]
            axes = list(zip(numbers[3::3], numbers[4::3], numbers[5::3]))
            if size in TYPES:
                pair = views(block, size, dst, src, axes)
            if pair and any(view is None for view in pair):
                pair = None
            print(1 if pair else 0, flush=True)
            continue
        to, what = pair
        start = time.perf_counter_ns()
        if library == "numpy":
            for _ in range(numbers[0]):
                numpy.copyto(to, what)
        else:
            for _ in range(numbers[0]):
                to.copy_(what)
        print(time.perf_counter_ns() - start, flush=True)


main()
