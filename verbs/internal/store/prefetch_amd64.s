#include "textflag.h"

// func PrefetchWrite(address uintptr)
TEXT ·PrefetchWrite(SB), NOSPLIT, $0-8
	MOVQ address+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	RET
