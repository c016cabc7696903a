#include "textflag.h"

// func PauseOnce()
TEXT ·PauseOnce(SB), NOSPLIT, $0-0
	PAUSE
	RET
