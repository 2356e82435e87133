/* Prints elapsed seconds, metres, seconds per kilometre and beats per minute, a line for each STATE of paced.
   The socket is $PACED_SOCKET, else that of your own paced, else that of the service. Build: cc -o reader reader.c */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *socket_path(void)
{
    static char own[PATH_MAX];
    const char *given = getenv("PACED_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (given && *given)
        return given;
    snprintf(own, sizeof own, "%s/paced/state.sock", runtime ? runtime : "");
    return access(own, F_OK) == 0 ? own : "/run/paced/state.sock";
}

/* Enough for numbers; for text, take a JSON library. The first of its name is the run's, the lap's comes later. */
static void print(const char *line, const char *name, double unit, const char *format, const char *end)
{
    const char *value = strstr(line, name);
    if (value)
        printf(format, strtod(value + strlen(name), NULL) * unit);
    else
        fputs("-", stdout); /* What is not known is absent. */
    fputs(end, stdout);
}

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, socket_path(), sizeof address.sun_path - 1);
    int daemon = socket(AF_UNIX, SOCK_STREAM, 0);
    if (daemon < 0 || connect(daemon, (struct sockaddr *)&address, sizeof address) < 0)
        return perror("paced"), 1;
    FILE *lines = fdopen(daemon, "r");
    static char line[65536 + 1];
    setlinebuf(stdout);
    while (fgets(line, sizeof line, lines)) {
        if (strncmp(line, "{\"class\":\"STATE\"", 16))
            continue;
        print(line, "\"elapsed_ms\":", 0.001, "%.10g", " ");
        print(line, "\"distance_m\":", 1, "%.10g", " ");
        print(line, "\"pace_s_per_m\":", 1000, "%.0f", " ");
        print(line, "\"bpm\":", 1, "%.0f", "\n");
    }
    return 0;
}
