#include "textflag.h"

// func call(f, arg unsafe.Pointer, top uintptr)
//
// C preserves BX, BP, SP and R12-R15 (System V ABI), so the goroutine's stack
// pointer survives in R12. The word below top holds it as well: see Stacks.Memory. A
// signal that arrives during the call is handled on the signal stack and does not
// preempt: the program counter is in no Go function.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ f+0(FP), AX
	MOVQ arg+8(FP), DI
	MOVQ top+16(FP), R13
	MOVQ SP, R12
	MOVQ R12, -8(R13)
	LEAQ -16(R13), SP
	CALL AX
	MOVQ R12, SP
	RET
