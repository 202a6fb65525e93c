/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing stacks. emu_switch() saves the registers that a function must keep on the stack that it leaves,
 * and that stack's pointer in *from; it goes on where `to` was saved. A fresh stack starts in
 * emu_switch_entry(), which the includer defines. swapcontext() does the same with two system calls, 60 times
 * slower: only for other processors. */
#ifndef HIPEMU_SWITCH_H
#define HIPEMU_SWITCH_H

#include <stddef.h>
#include <stdint.h>

__attribute__((noreturn, used)) static void emu_switch_entry(void);

#if defined(__x86_64__)

typedef void *emu_place;
void emu_switch(emu_place *from, emu_place *to) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".globl emu_switch\n"
        ".hidden emu_switch\n"
        ".type emu_switch, @function\n"
        "emu_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size emu_switch, . - emu_switch\n");

/* From below: six registers, the address to go to, and the place of its return address, which keeps the stack
 * aligned as at any entry of a function. */
static void emu_switch_prepare(emu_place *place, char *stack, size_t bytes) {
    uintptr_t *top = (uintptr_t *)(void *)(stack + bytes);
    *--top = 0;
    *--top = (uintptr_t)emu_switch_entry;
    for (int i = 0; i < 6; i++) *--top = 0;
    *place = top;
}

#elif defined(__aarch64__)

typedef void *emu_place;
void emu_switch(emu_place *from, emu_place *to) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".globl emu_switch\n"
        ".hidden emu_switch\n"
        ".type emu_switch, %function\n"
        "emu_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    ldr x9, [x1]\n"
        "    mov sp, x9\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size emu_switch, . - emu_switch\n");

static void emu_switch_prepare(emu_place *place, char *stack, size_t bytes) {
    uintptr_t *top = (uintptr_t *)(void *)(stack + bytes - 160);
    for (int i = 0; i < 20; i++) top[i] = 0;
    top[11] = (uintptr_t)emu_switch_entry; /* x30 */
    *place = top;
}

#else

#include <ucontext.h>

typedef ucontext_t emu_place;

static void emu_switch(emu_place *from, emu_place *to) { swapcontext(from, to); }

static void emu_switch_prepare(emu_place *place, char *stack, size_t bytes) {
    getcontext(place);
    place->uc_stack.ss_sp = stack;
    place->uc_stack.ss_size = bytes;
    place->uc_link = NULL;
    makecontext(place, emu_switch_entry, 0);
}

#endif

#endif
