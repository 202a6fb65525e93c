/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop nest for one element type; included by naive.c with LM_NEST (the function's name) and LM_ELEMENT
 * (the type) defined. The innermost three loops are written out, as one would by hand. */
static void LM_NEST(const lm_naive *p, int axis, LM_ELEMENT *restrict d, const LM_ELEMENT *restrict s) {
    const int64_t *n = p->n + axis, *ds = p->ds + axis, *ss = p->ss + axis;
    if (p->rank - axis > 3) {
        for (int64_t i = 0; i < n[0]; i++) LM_NEST(p, axis + 1, d + i * ds[0], s + i * ss[0]);
        return;
    }
    const int64_t n0 = n[0], n1 = n[1], n2 = n[2];
    const int64_t ds0 = ds[0], ds1 = ds[1], ds2 = ds[2];
    const int64_t ss0 = ss[0], ss1 = ss[1], ss2 = ss[2];
    for (int64_t i = 0; i < n0; i++)
        for (int64_t j = 0; j < n1; j++)
            for (int64_t k = 0; k < n2; k++) d[i * ds0 + j * ds1 + k * ds2] = s[i * ss0 + j * ss1 + k * ss2];
}
