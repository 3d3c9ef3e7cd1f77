// Lmdb answers look-ups of the peers program with LMDB, and says how long they took.
//
//   lmdb STORE RECORDS
//
// RECORDS has the records in the order of their keys: the sizes of key and value, 32 bits
// each in the order of the machine, then both. They are put into STORE, a new file, which
// is read within one transaction from then on. After that a question on the standard input
// is a number of keys, 32 bits, the bytes that follow, 32 bits, and each key after its
// size; the answer is two numbers of 64 bits: the processor time of the look-ups in
// nanoseconds, and the sum of the counters with which the values found begin.

#include <lmdb.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static void fail(const char *what, const char *why) {
  fprintf(stderr, "lmdb: %s: %s\n", what, why);
  exit(1);
}

static void check(const char *what, int code) {
  if (code != MDB_SUCCESS)
    fail(what, mdb_strerror(code));
}

static uint32_t number(const char *at) {
  uint32_t n;
  memcpy(&n, at, sizeof n);
  return n;
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// map returns the bytes of a file.
static const char *map(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  struct stat s;
  if (f == NULL || fstat(fileno(f), &s) != 0)
    fail(path, "it can't be opened");
  *size = (size_t)s.st_size;
  const char *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fileno(f), 0);
  if (bytes == MAP_FAILED)
    fail(path, "it can't be mapped");
  fclose(f);
  return bytes;
}

static MDB_env *open_store(const char *path, size_t records) {
  MDB_env *env;
  check("create", mdb_env_create(&env));
  check("size", mdb_env_set_mapsize(env, 3 * records + (64 << 20)));
  // Nobody needs the file after a crash, and nobody else writes to it.
  check(path, mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOSYNC | MDB_NOLOCK, 0666));
  return env;
}

static MDB_dbi fill(MDB_env *env, const char *records, size_t size) {
  MDB_txn *txn;
  MDB_dbi dbi;
  check("begin", mdb_txn_begin(env, NULL, 0, &txn));
  check("table", mdb_dbi_open(txn, NULL, 0, &dbi));
  for (const char *at = records, *end = records + size; at < end;) {
    MDB_val key = {number(at), (void *)(at + 8)};
    MDB_val value = {number(at + 4), (void *)(at + 8 + key.mv_size)};
    check("put", mdb_put(txn, dbi, &key, &value, MDB_APPEND));
    at += 8 + key.mv_size + value.mv_size;
  }
  check("commit", mdb_txn_commit(txn));
  return dbi;
}

// look_up sums the counters of n keys.
static uint64_t look_up(MDB_txn *txn, MDB_dbi dbi, const char *at, uint32_t n) {
  uint64_t sum = 0;
  while (n-- > 0) {
    MDB_val key = {number(at), (void *)(at + 4)}, value;
    at += 4 + key.mv_size;
    if (mdb_get(txn, dbi, &key, &value) == MDB_SUCCESS) {
      uint64_t counter;
      memcpy(&counter, value.mv_data, sizeof counter);
      sum += counter;
    }
  }
  return sum;
}

static void answer_all(MDB_txn *txn, MDB_dbi dbi) {
  uint32_t question[2];
  while (fread(question, sizeof question, 1, stdin) == 1) {
    char *keys = malloc(question[1] + 1);
    if (keys == NULL || fread(keys, 1, question[1], stdin) != question[1])
      fail("question", "it ends early");
    uint64_t begin = now();
    uint64_t sum = look_up(txn, dbi, keys, question[0]);
    uint64_t answer[2] = {now() - begin, sum};
    free(keys);
    fwrite(answer, sizeof answer, 1, stdout);
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  if (argc != 3)
    fail("usage", "lmdb STORE RECORDS");
  size_t size;
  const char *records = map(argv[2], &size);
  MDB_env *env = open_store(argv[1], size);
  MDB_dbi dbi = fill(env, records, size);
  munmap((void *)records, size);
  MDB_txn *txn;
  check("begin", mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
  answer_all(txn, dbi);
  mdb_txn_abort(txn);
  mdb_env_close(env);
}
