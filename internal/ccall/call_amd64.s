#include "textflag.h"

// func call(f, arg unsafe.Pointer, top uintptr)
//
// C preserves BX, BP, SP and R12-R15 (System V ABI), so the goroutine's stack
// pointer survives in R12. It is kept below top, too: see Stacks.Memory. A signal that
// comes meanwhile is handled on its own stack, and does not preempt: the program
// counter is in no function of Go's.
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
