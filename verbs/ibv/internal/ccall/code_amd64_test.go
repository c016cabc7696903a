package ccall

// C functions start with a stack pointer of pushed, modulo 16: CALL has pushed the
// return address.
const pushed = 8

// Functions of C.
var (
	// tellStack stores its stack pointer at its argument.
	tellStack = []byte{
		0x48, 0x89, 0x27, // mov [rdi], rsp
		0x49, 0xc7, 0xc6, 0xff, 0xff, 0xff, 0xff, // mov r14, -1: Go's g, which C may not keep
		0xc3, // ret
	}
	// spinner increments the second word of its argument and spins until the first is not 0.
	spinner = []byte{
		0xf0, 0x48, 0xff, 0x47, 0x08, // lock inc qword [rdi+8]
		0x48, 0x83, 0x3f, 0x00, // again: cmp qword [rdi], 0
		0x74, 0xfa, // je again
		0xc3, // ret
	}
	nothing = []byte{0xc3} // ret
)
