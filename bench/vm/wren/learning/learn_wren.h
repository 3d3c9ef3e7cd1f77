/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of learn.c that the edited Wren calls. */
#ifndef LEARN_WREN_H
#define LEARN_WREN_H

#include "wren_value.h"

/* A site is an instruction that counts, or that the profile has specialized. The site of a call is an inline cache. */
typedef struct LearnSite {
	union {
		ObjClass *classObj; /* class of the receivers that count in count, or that the code is for */
		pa_counter *taken;  /* jumps of a branch */
	};
	union {
		pa_counter *count; /* counter of the class's row */
		pa_counter *notTaken;
		uintptr_t field; /* of a getter */
	};
	Method method; /* method of the class */
} LearnSite;

/* LEARN_SITE is the site of an instruction with two bytes of operands, behind which ip is. */
#define LEARN_SITE(fn, ip) ((LearnSite *)((fn)->learn.base + (uintptr_t)(ip) * sizeof(LearnSite)))

/* After a function is compiled: the class of a method, and the names of all functions in a script. */
void learnDescribe(ObjFn *fn, const char *owner, bool isStatic);
void learnCompiled(ObjFn *script);

/* When a class is made and freed. */
void learnLoad(ObjClass *classObj, const ObjModule *module);
void learnLoadCore(WrenVM *vm);
void learnFreeClass(ObjClass *classObj);

/* When a call meets a class that its site does not have. */
void learnMiss(ObjFn *fn, const uint8_t *ip, ObjClass *classObj);

/* When a class arrives for which an instruction is not specialized. ip is at the instruction. */
void learnGeneralize(ObjFn *fn, uint8_t *ip, uint8_t plain);

void learnGray(WrenVM *vm, ObjFn *fn);
void learnFreeFunction(ObjFn *fn);
void learnPrint(WrenVM *vm);

/* wrenByteCountForArguments is a function of Wren that edit.py makes visible. */
int wrenByteCountForArguments(const uint8_t *bytecode, const Value *constants, int ip);

#endif
