/* A bot for Ioiwari, written from the olympiad's statement: takes the most beads with each move. Also knows the mirror
 * dialogue, which begins with a 0. It must not use code of the engines. */
#include <stdio.h>

/* Plays a move on the pits; returns the beads that the mover gains, less those of the opponent. */
static int play(int pits[7], int pit) {
    int hand = pits[pit], gain = 0, at = pit;
    pits[pit] = 0;
    while (hand > 1) {
        at = (at + 1) % 7;
        if (pits[at] == 5) {
            pits[at]--;
            gain++;
        } else {
            pits[at]++;
            hand--;
        }
    }
    at = (at + 1) % 7;
    if (pits[at] == 0 || pits[at] == 5) return gain - 1;
    gain += pits[at] + 1;
    pits[at] = 0;
    return gain;
}

static int best(const int pits[7]) {
    int found = -1, most = 0;
    for (int pit = 0; pit < 7; pit++) {
        if (pits[pit] == 0) continue;
        int copy[7];
        for (int i = 0; i < 7; i++) copy[i] = pits[i];
        int gain = play(copy, pit);
        if (found < 0 || gain > most) {
            found = pit;
            most = gain;
        }
    }
    return found;
}

int main(void) {
    int pits[7], other, first = 1;
    if (scanf("%d", &pits[0]) != 1) return 0;
    if (pits[0] == 0) {
        first = 0;
        if (scanf("%d", &pits[0]) != 1) return 0;
    }
    for (int i = 1; i < 7; i++)
        if (scanf("%d", &pits[i]) != 1) return 0;
    for (;;) {
        if (!first) {
            if (scanf("%d", &other) != 1 || other < 1 || other > 7) return 0;
            if (pits[other - 1] > 0) play(pits, other - 1);
        }
        first = 0;
        int pit = best(pits);
        if (pit < 0) return 0;
        play(pits, pit);
        printf("%d\n", pit + 1);
        fflush(stdout);
        if (best(pits) < 0) return 0;
    }
}
