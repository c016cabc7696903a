#include "textflag.h"

// MANY is the message size from which stores of whole lines are no faster than BLOCK. Measured on a
// Zen 4: at 8 KiB LINES has 118 GB/s, BLOCK 94; from 24 KiB to 1 MiB they are equal; at 8 MiB 28.6
// and 29.1.
#define MANY (256 << 10)

// LINES copies 128 bytes to a multiple of 128 by two stores, each of a cache line.
#define LINES \
	VMOVDQU64 (SI), Z0; \
	VMOVDQU64 64(SI), Z1; \
	VMOVDQA64 Z0, (DI); \
	VMOVDQA64 Z1, 64(DI); \
	ADDQ      $128, SI; \
	ADDQ      $128, DI

// BLOCK copies 128 bytes to a multiple of 128: loads first, then five ascending aligned stores.
#define BLOCK \
	VMOVDQU (SI), Y0; \
	VMOVDQU 32(SI), Y1; \
	VMOVDQU 64(SI), Y2; \
	VMOVDQU 96(SI), X3; \
	VMOVDQU 112(SI), X4; \
	VMOVDQA Y0, (DI); \
	VMOVDQA Y1, 32(DI); \
	VMOVDQA Y2, 64(DI); \
	VMOVDQA X3, 96(DI); \
	VMOVDQA X4, 112(DI); \
	ADDQ    $128, SI; \
	ADDQ    $128, DI

// func ordered(dst, src *byte, n int)
//
// DI is the destination, SI the source, CX the remaining length. Every store is
// aligned to its size, and DI only grows. There are no rep movs (fast string stores
// may become visible in any order, SDM vol. 3A) and no non-temporal stores (weakly
// ordered).
TEXT ·ordered(SB), NOSPLIT, $0-24
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  n+16(FP), CX
	TESTB $15, DI
	JNZ   head
	CMPB  ·atomic16(SB), $0
	JNE   lead
	JMP   narrow

	// 1, 2 and 4 bytes until DI is a multiple of 8, or the tail is reached.
head:
	TESTB   $1, DI
	JZ      head2
	MOVBLZX (SI), AX
	MOVB    AX, (DI)
	INCQ    SI
	INCQ    DI
	DECQ    CX

head2:
	TESTB   $2, DI
	JZ      head4
	CMPQ    CX, $2
	JB      tail
	MOVWLZX (SI), AX
	MOVW    AX, (DI)
	ADDQ    $2, SI
	ADDQ    $2, DI
	SUBQ    $2, CX

head4:
	TESTB $4, DI
	JZ    head8
	CMPQ  CX, $4
	JB    tail
	MOVL  (SI), AX
	MOVL  AX, (DI)
	ADDQ  $4, SI
	ADDQ  $4, DI
	SUBQ  $4, CX

head8:
	CMPB  ·atomic16(SB), $0
	JEQ   narrow
	TESTB $8, DI
	JZ    lead
	CMPQ  CX, $8
	JB    tail
	MOVQ  (SI), AX
	MOVQ  AX, (DI)
	ADDQ  $8, SI
	ADDQ  $8, DI
	SUBQ  $8, CX

	// 16 bytes until DI is a multiple of 128.
lead:
	CMPQ    CX, $16
	JB      tail
	TESTQ   $127, DI
	JZ      bulk
	VMOVDQU (SI), X0
	VMOVDQA X0, (DI)
	ADDQ    $16, SI
	ADDQ    $16, DI
	SUBQ    $16, CX
	JNZ     lead
	RET

	// Whole 128-byte blocks.
bulk:
	SUBQ  $128, CX
	JB    bulked
	CMPB  ·lineStores(SB), $0
	JEQ   near
	CMPQ  CX, $MANY
	JAE   near
	TESTQ CX, CX
	JZ    near

	// Whole lines until at most one block is left.
	PCALIGN $32

line:
	LINES
	SUBQ $128, CX
	JA   line
	VZEROUPPER
	JB   bulked

	PCALIGN $32

near:
	BLOCK
	SUBQ $128, CX
	JAE  near
	VZEROUPPER

bulked:
	ADDQ $128, CX

	// The rest of the last block, 16 bytes at a time.
rest:
	CMPQ    CX, $16
	JB      tail
	VMOVDQU (SI), X0
	VMOVDQA X0, (DI)
	ADDQ    $16, SI
	ADDQ    $16, DI
	SUBQ    $16, CX
	JMP     rest

	// Without AVX only stores of up to 8 bytes are guaranteed to be atomic.
narrow:
	CMPQ CX, $8
	JB   tail
	MOVQ (SI), AX
	MOVQ AX, (DI)
	ADDQ $8, SI
	ADDQ $8, DI
	SUBQ $8, CX
	JMP  narrow

	// Fewer than 16 bytes. DI is a multiple of the largest power of two in
	// CX, and so of each smaller one in turn.
tail:
	TESTQ CX, CX
	JZ    done
	TESTB $8, CX
	JZ    tail4
	MOVQ  (SI), AX
	MOVQ  AX, (DI)
	ADDQ  $8, SI
	ADDQ  $8, DI

tail4:
	TESTB $4, CX
	JZ    tail2
	MOVL  (SI), AX
	MOVL  AX, (DI)
	ADDQ  $4, SI
	ADDQ  $4, DI

tail2:
	TESTB   $2, CX
	JZ      tail1
	MOVWLZX (SI), AX
	MOVW    AX, (DI)
	ADDQ    $2, SI
	ADDQ    $2, DI

tail1:
	TESTB   $1, CX
	JZ      done
	MOVBLZX (SI), AX
	MOVB    AX, (DI)

done:
	RET

// func scatter(dst, src *byte, n, i, step, count int) (next int)
TEXT ·scatter(SB), NOSPLIT, $0-56
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  n+16(FP), R8
	MOVQ  i+24(FP), AX
	MOVQ  step+32(FP), DX
	MOVQ  count+40(FP), CX
	TESTQ CX, CX
	JLE   scattered

another:
	MOVBLZX (SI)(AX*1), BX
	MOVB    BX, (DI)(AX*1)
	ADDQ    DX, AX
	MOVQ    AX, R9
	SUBQ    R8, R9
	CMOVQCC R9, AX
	DECQ    CX
	JNZ     another

scattered:
	MOVQ AX, next+48(FP)
	RET

// func Pause(ticks uint64)
TEXT ·Pause(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	LEAQ (DX)(AX*1), BX

again:
	PAUSE
	RDTSC
	SHLQ $32, DX
	ADDQ DX, AX
	SUBQ BX, AX
	CMPQ AX, ticks+0(FP)
	JB   again
	RET
