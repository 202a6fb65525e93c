/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of suites, in the order in which they run: what others rest on first. No include guard: the
 * includer defines LM_SUITE(name), and `Suite *lm_suite_NAME(void)` makes the suite. */
LM_SUITE(desc)
LM_SUITE(views)
LM_SUITE(notation)
LM_SUITE(lattice)
LM_SUITE(ctx)
LM_SUITE(threads)
LM_SUITE(machine)
LM_SUITE(normalise)
LM_SUITE(kernels)
LM_SUITE(plan)
LM_SUITE(misuse)
LM_SUITE(execute)
LM_SUITE(small)
LM_SUITE(random)
LM_SUITE(candidates)
LM_SUITE(reports)
