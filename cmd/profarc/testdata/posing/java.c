// A program that is no JVM, though it is called java and has a libjvm.so: see
// libjvm.c. It prints "ready" and ends when its standard input does, with exit
// code 7.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void pose(const char *mode);

static void *rest(void *unused) {
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv) {
    pthread_t other; // a JVM has several threads
    if (argc < 2 || pthread_create(&other, NULL, rest, NULL) != 0)
        return 1;
    pose(argv[1]);
    puts("ready");
    fflush(stdout);
    char c;
    while (read(0, &c, 1) > 0)
        ;
    _exit(7);
}
