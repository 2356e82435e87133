/* A network whose name server does not answer: preloaded into a program (ld.so(8), LD_PRELOAD), getaddrinfo(3) never
 * returns. */
#include <netdb.h>
#include <unistd.h>

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result)
{
    for (;;)
        pause();
}
