/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading reports.json. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why) {
    fprintf(stderr, "reports.json: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static lmad_desc read_desc(const json_t *shape, const json_t *side, const char *id) {
    lmad_desc d = {.rank = (int)json_array_size(shape)};
    const json_t *strides = json_object_get(side, "strides");
    if (d.rank > LMAD_MAX_RANK || (int)json_array_size(strides) != d.rank)
        fail(id, "shape and strides disagree");
    d.offset = json_integer_value(json_object_get(side, "offset"));
    for (int k = 0; k < d.rank; k++) {
        d.dim[k].n = json_integer_value(json_array_get(shape, (size_t)k));
        d.dim[k].stride = json_integer_value(json_array_get(strides, (size_t)k));
    }
    return d;
}

static lm_case read_case(const json_t *object) {
    lm_case c = {.id = json_string_value(json_object_get(object, "id"))};
    const char *expect = json_string_value(json_object_get(object, "expect"));
    const json_t *shape = json_object_get(object, "shape");
    if (!c.id || !expect || !json_is_array(shape)) fail("a case", "id, shape or expect is missing");
    c.kind = json_string_value(json_object_get(object, "kind"));
    c.note = json_string_value(json_object_get(object, "note"));
    c.elem_size = (size_t)json_integer_value(json_object_get(object, "elem_size"));
    c.dst = read_desc(shape, json_object_get(object, "dst"), c.id);
    c.src = read_desc(shape, json_object_get(object, "src"), c.id);
    c.dst_len = json_integer_value(json_object_get(object, "dst_len"));
    c.src_len = json_integer_value(json_object_get(object, "src_len"));
    c.mem_bytes = json_integer_value(json_object_get(object, "mem_bytes"));
    c.same_buffer = json_is_true(json_object_get(object, "same_buffer"));
    c.is_error = !strcmp(expect, "error");
    c.result = json_object_get(object, "result");
    return c;
}

static json_t *load(void) {
    const char *srcdir = getenv("srcdir");
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof path, "%s/tests/reports.json", srcdir ? srcdir : ".");
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail(path, error.text);
    if (!json_is_array(root)) fail(path, "not an array");
    return root;
}

void lm_cases_open(lm_cases *cases) {
    cases->root = load();
    cases->count = (int)json_array_size(cases->root);
    cases->list = calloc((size_t)cases->count + 1, sizeof *cases->list);
    if (!cases->list) fail("list", "no memory");
    for (int i = 0; i < cases->count; i++) cases->list[i] = read_case(json_array_get(cases->root, (size_t)i));
}

void lm_cases_close(lm_cases *cases) {
    free(cases->list);
    json_decref(cases->root);
}
