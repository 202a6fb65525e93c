/* SPDX-License-Identifier: BSD-3-Clause */
/* All that planning and executing on devices may be: a form of each, for tests of what happens when HIP
 * fails. */
#ifndef LM_HIP_FORMS_H
#define LM_HIP_FORMS_H

#include "hip_field.h"
#include "lib/device_stage.h"

typedef enum lm_form_op { COPY, MOVE, FILL, AFFINE, WARM, STAGE } lm_form_op;

/* How: lmad_execute() rather than lmad_execute_hip(); devices that cannot reach each other; a machine of two
 * nodes, of which device 2 hangs on the first. */
enum { WAITS = 1, APART = 2, NODES = 4 };

typedef struct lm_form {
    const char *name;
    lm_form_op op;
    lm_field_ends ends;
    lm_trial trial;
    unsigned effort, how;
    lm_stage_params stage; /* of a STAGE, which is a copy in so many chunks */
} lm_form;

enum { LM_FORMS = 24, LM_FORM_DEVICES = 3 };
extern const lm_form lm_forms[LM_FORMS];

/* What is made of it. */
typedef struct lm_formed {
    lmad_ctx *ctx; /* without wisdom, so that every search is one */
    lmad_plan *plan;
    lm_stage *stage;
} lm_formed;

/* The emulated run time for it. */
const hipemu *lm_form_begin(const lm_form *form, bool lazy);

/* The context is the caller's, from lm_form_open(); the rest is, too, until lm_form_close(). */
void lm_form_open(lm_formed *out);
lmad_status lm_form_plan(const lm_form *form, const lm_problem *problem, lm_formed *out);
lmad_status lm_form_execute(const lm_form *form, const lm_formed *formed, const lm_field *field);
void lm_form_close(lm_formed *formed);

/* May a failure of the run time have this code? */
bool lm_form_is_code(lmad_status status);

#endif
