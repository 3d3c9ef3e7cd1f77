#include "textflag.h"

// func prefetchPlaces(data []byte, places []int64)
TEXT ·prefetchPlaces(SB), NOSPLIT, $0-48
	MOVD data_base+0(FP), R0
	MOVD data_len+8(FP), R1
	MOVD places_base+24(FP), R2
	MOVD places_len+32(FP), R3
	ADD  R3<<3, R2, R3

next:
	CMP    R3, R2
	BEQ    done
	MOVD.P 8(R2), R4
	CMP    R1, R4
	BHS    next
	ADD    R0, R4
	PRFM   (R4), PLDL1KEEP
	B      next

done:
	RET

// func prefetchLines(addresses []uintptr)
TEXT ·prefetchLines(SB), NOSPLIT, $0-24
	MOVD addresses_base+0(FP), R2
	MOVD addresses_len+8(FP), R3
	ADD  R3<<3, R2, R3

next:
	CMP    R3, R2
	BEQ    done
	MOVD.P 8(R2), R4
	PRFM   (R4), PLDL1KEEP
	B      next

done:
	RET
