/* A bot for Septica, written from the contest's statement: cuts when the trick has points. Also knows the mirror dialogue, in which
 * "3 0" after the first cards says that the bot leads. It must not use code of the engines. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char buffer[4096];
static size_t begin = 0, end = 0;

/* Reads more input; waits at most this long in milliseconds, or without limit if it is negative. 0: nothing came. */
static int fill(int wait_ms) {
    struct pollfd input = {0, POLLIN, 0};
    if (poll(&input, 1, wait_ms) <= 0) return 0;
    ssize_t count = read(0, buffer, sizeof buffer);
    if (count <= 0) exit(0);
    begin = 0;
    end = (size_t)count;
    return 1;
}

static int byte(void) {
    while (begin == end) fill(-1);
    return (unsigned char)buffer[begin++];
}

static int number(void) {
    int c = byte(), value = 0;
    while (c < '0' || c > '9') c = byte();
    for (; c >= '0' && c <= '9'; c = byte()) value = value * 10 + c - '0';
    return value;
}

/* Whether a line comes within this time. */
static int comes_within(int wait_ms) {
    while (begin < end && buffer[begin] <= ' ') begin++;
    return begin < end || fill(wait_ms);
}

static int hand[32], held = 0;

static void draw(int count) {
    while (count-- > 0) hand[held++] = number();
}

static void print(int card) {
    for (int i = 0; i < held; i++)
        if (hand[i] == card) {
            hand[i] = hand[--held];
            break;
        }
    printf("%d\n", card);
    fflush(stdout);
}

static int is_point(int card) { return card == 10 || card == 14; }

/* A cut in the hand, the led rank before a 7; 0: none. */
static int cut(int led) {
    int found = 0;
    for (int i = 0; i < held; i++) {
        if (hand[i] == led) return led;
        if (hand[i] == 7) found = 7;
    }
    return found;
}

/* The card that is least worth keeping. */
static int cheapest(void) {
    int best = hand[0], least = 100;
    for (int i = 0; i < held; i++) {
        int cost = hand[i] == 7 ? 50 : is_point(hand[i]) ? 40 : hand[i];
        if (cost < least) {
            least = cost;
            best = hand[i];
        }
    }
    return best;
}

int main(void) {
    /* Whether the computer waits for a 0 when the hand is empty; -1: not known yet. */
    int waits_for_zero = -1;
    for (;;) {
        int led = 0, leads = 0, points = 0;
        held = 0;
        draw(4);
        for (;;) {
            int x = number();
            if (x == 4) {
                number();
                number();
                break;
            }
            if (x == 2 || x == 3) {
                draw(number());
                leads = x == 3;
                led = points = 0;
                if (leads && held > 0) {
                    led = cheapest();
                    points = is_point(led);
                    print(led);
                }
                continue;
            }
            points += is_point(x);
            if (leads) {
                int mine = x == led || x == 7 ? cut(led) : 0;
                if (held == 0) {
                    /* The statement does not say whether the computer waits for this 0: it does if it stays silent. */
                    if (waits_for_zero < 0) waits_for_zero = !comes_within(300);
                    if (waits_for_zero) print(0);
                } else if (mine != 0 && points > 0) {
                    points += is_point(mine);
                    print(mine);
                } else {
                    print(0);
                }
                continue;
            }
            if (led == 0) led = x;
            if (held == 0) continue;
            int mine = points > 0 && cut(led) != 0 ? cut(led) : cheapest();
            points += is_point(mine);
            print(mine);
        }
    }
}
