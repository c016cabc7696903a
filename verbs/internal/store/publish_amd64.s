//go:build !race

#include "textflag.h"

// func Publish(rec *[2]uint64, w0, w1 uint64)
TEXT ·Publish(SB), NOSPLIT, $0-24
	MOVQ rec+0(FP), DI
	MOVQ w0+8(FP), AX
	MOVQ w1+16(FP), BX
	MOVQ AX, 0(DI)
	MOVQ BX, 8(DI)
	RET

// func Release32(p *uint32, v uint32)
TEXT ·Release32(SB), NOSPLIT, $0-12
	MOVQ p+0(FP), DI
	MOVL v+8(FP), AX
	MOVL AX, (DI)
	RET

// func Release64(p *uint64, v uint64)
TEXT ·Release64(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), DI
	MOVQ v+8(FP), AX
	MOVQ AX, (DI)
	RET
