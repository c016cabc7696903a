#include "textflag.h"

// func call(f, arg unsafe.Pointer, top uintptr)
//
// C preserves R19-R29 and the stack pointer (AAPCS64), so the goroutine's stack pointer
// survives in R19, the return address in R20, and g in R28. The two words below top hold
// the first two as well: see Stacks.Memory. A signal that arrives during the call is
// handled on the signal stack and does not preempt: the program counter is in no Go
// function.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-24
	MOVD f+0(FP), R2
	MOVD arg+8(FP), R0
	MOVD top+16(FP), R1
	MOVD RSP, R19
	MOVD R30, R20
	STP (R20, R19), -16(R1)
	SUB $16, R1
	MOVD R1, RSP
	CALL (R2)
	MOVD R19, RSP
	MOVD R20, R30
	RET
