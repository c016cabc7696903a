#include "textflag.h"

// func Relax()
TEXT ·Relax(SB), NOSPLIT, $8-0
	MOVL ·relaxation(SB), AX
	CMPL AX, $1
	JA   increment
	JB   done
	PAUSE

done:
	RET

increment:
	INCQ 0(SP)
	RET

// func PrefetchWrite(addr uint64)
TEXT ·PrefetchWrite(SB), NOSPLIT, $0-8
	MOVQ addr+0(FP), DI
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0F // PREFETCHW (DI), which Go's assembler does not know
	RET
