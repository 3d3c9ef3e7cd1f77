#include "textflag.h"

// func prefetch(data []byte, places []int64)
TEXT ·prefetch(SB), NOSPLIT, $0-48
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
