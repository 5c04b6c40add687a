/* A bot for Ioiwari (IOI 2001) in C. It plays perfectly: the value of a position depends on the seven pits alone, and there are only
 * 6^7 = 279,936 of them, so it remembers the value of each one that it has met.
 *
 * The dialogue, from the contest's statement: read the seven pits; print a pit from 1 to 7; read the opponent's pit; and so on. */
#include <stdio.h>
#include <string.h>

#define PITS 7
#define FULL 5 /* The most beads that a pit can hold. */
#define UNKNOWN 127

/* The best result of the player to move, in beads more than the other, by position. */
static signed char known[279936];

static int number_of(const int pits[PITS]) {
    int number = 0;
    for (int i = 0; i < PITS; i++) number = number * (FULL + 1) + pits[i];
    return number;
}

/* Plays a move. Returns the beads that the player wins, less those that go to the opponent. */
static int play(int pits[PITS], int pit) {
    int hand = pits[pit], won = 0;
    pits[pit] = 0;
    for (int at = (pit + 1) % PITS;; at = (at + 1) % PITS) {
        if (hand == 1) {
            /* The last bead: it wins those of the pit, unless the pit is empty or full. */
            if (pits[at] == 0 || pits[at] == FULL) return won - 1;
            won += pits[at] + 1;
            pits[at] = 0;
            return won;
        }
        if (pits[at] == FULL) {
            pits[at]--;
            won++;
        } else {
            pits[at]++;
            hand--;
        }
    }
}

/* The value of a position for the player to move; `best` gets the pit to play, -1 if the board is empty. */
static int value_of(const int pits[PITS], int *best) {
    signed char *value = &known[number_of(pits)];
    if (*value != UNKNOWN && best == NULL) return *value;
    int most = 0, found = -1;
    for (int pit = 0; pit < PITS; pit++) {
        if (pits[pit] == 0) continue;
        int after[PITS];
        memcpy(after, pits, sizeof after);
        int worth = play(after, pit);
        worth -= value_of(after, NULL);
        if (found < 0 || worth > most) {
            most = worth;
            found = pit;
        }
    }
    if (best != NULL) *best = found;
    return *value = (signed char)most;
}

int main(void) {
    int pits[PITS], mine = 1, best, other;
    memset(known, UNKNOWN, sizeof known);
    if (scanf("%d", &pits[0]) != 1) return 0;
    if (pits[0] == 0) {
        /* Never in the contest, where the bot begins. In a match of two bots a 0 before the pits says that the other begins. */
        mine = 0;
        if (scanf("%d", &pits[0]) != 1) return 0;
    }
    for (int i = 1; i < PITS; i++)
        if (scanf("%d", &pits[i]) != 1) return 0;
    for (;; mine = !mine) {
        value_of(pits, &best);
        if (best < 0) return 0; /* The board is empty. */
        if (mine) {
            play(pits, best);
            printf("%d\n", best + 1);
            fflush(stdout); /* Without this the referee waits for a line that is still in the buffer. */
        } else {
            if (scanf("%d", &other) != 1) return 0;
            play(pits, other - 1);
        }
    }
}
