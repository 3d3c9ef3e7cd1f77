#include "textflag.h"

// func prefetchPlaces(data []byte, places []int64)
TEXT ·prefetchPlaces(SB), NOSPLIT, $0-48
	MOVQ data_base+0(FP), AX
	MOVQ data_len+8(FP), BX
	MOVQ places_base+24(FP), CX
	MOVQ places_len+32(FP), DX
	LEAQ (CX)(DX*8), DX

next:
	CMPQ CX, DX
	JEQ  done
	MOVQ (CX), SI
	ADDQ $8, CX
	CMPQ SI, BX
	JCC  next
	PREFETCHT0 (AX)(SI*1)
	JMP  next

done:
	RET

// func prefetchLines(addresses []uintptr)
TEXT ·prefetchLines(SB), NOSPLIT, $0-24
	MOVQ addresses_base+0(FP), CX
	MOVQ addresses_len+8(FP), DX
	LEAQ (CX)(DX*8), DX

next:
	CMPQ CX, DX
	JEQ  done
	MOVQ (CX), SI
	ADDQ $8, CX
	PREFETCHT0 (SI)
	JMP  next

done:
	RET
