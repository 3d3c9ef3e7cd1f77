// A program with a library that is called libjvm.so. Its second thread ends before
// it does, and its child has the library too, but never a second thread.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

void jvm(void) {}

static void *nothing(void *unused) { return unused; }

int main(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, nothing, NULL) != 0)
        return 1;
    pthread_join(other, NULL);
    if (fork() == 0)
        _exit(3);
    wait(NULL);
    _exit(7);
}
