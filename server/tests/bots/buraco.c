/* A bot for Buraco, written from the course's text: draws from the stock and lays down natural runs. It must not use code of the
 * engines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A card is 13 * suit + rank; the ace has rank 0. */
static const char *const RANKS[] = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"};
static const char *const SUITS[] = {"♥", "♦", "♣", "♠"};

/* How many of each card the bot holds. */
static int hand[52];
static char line[8192];

static void read_line(void) {
    if (fgets(line, sizeof line, stdin) == NULL) exit(0);
    line[strcspn(line, "\r\n")] = '\0';
}

static int card_of(const char *word) {
    for (int suit = 0; suit < 4; suit++) {
        const char *at = strstr(word, SUITS[suit]);
        for (int rank = 0; at != NULL && rank < 13; rank++)
            if (strlen(RANKS[rank]) == (size_t)(at - word) && strncmp(word, RANKS[rank], (size_t)(at - word)) == 0)
                return 13 * suit + rank;
    }
    return -1;
}

/* Takes the cards of the line into the hand. */
static void receive(void) {
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        int card = card_of(word);
        if (card >= 0) hand[card]++;
    }
}

static int held(void) {
    int sum = 0;
    for (int card = 0; card < 52; card++) sum += hand[card];
    return sum;
}

static void print_card(int card) { printf(" %s%s", RANKS[card % 13], SUITS[card / 13]); }

/* Lays down all runs of three or more cards of a suit. */
static void meld(void) {
    for (int suit = 0; suit < 4; suit++)
        for (int rank = 0; rank < 13; rank++) {
            int length = 0;
            while (rank + length < 13 && hand[13 * suit + rank + length] > 0) length++;
            if (length < 3) continue;
            printf("MELD_NEW [");
            for (int i = 0; i < length; i++) {
                print_card(13 * suit + rank + i);
                hand[13 * suit + rank + i]--;
            }
            puts(" ]");
            rank += length;
        }
}

/* The card that is least likely to become part of a run; a 2 only if there is nothing else. */
static int worst(void) {
    int found = -1, least = 1000;
    for (int card = 0; card < 52; card++) {
        if (hand[card] == 0) continue;
        int rank = card % 13, worth = rank == 1 ? 100 : 0;
        for (int step = -2; step <= 2; step++)
            if (step != 0 && rank + step >= 0 && rank + step < 13 && hand[card + step] > 0) worth += 3 - abs(step);
        if (hand[card] > 1) worth -= 1;
        if (worth < least) {
            found = card;
            least = worth;
        }
    }
    return found;
}

int main(void) {
    char own[1024];
    read_line();
    read_line();
    snprintf(own, sizeof own, "%.1000s", line);
    read_line();
    receive();
    read_line();
    for (;;) {
        read_line();
        if (strcmp(line, own) != 0) continue;
        puts("GET_STOCK");
        fflush(stdout);
        read_line();
        receive();
        meld();
        if (held() > 0) {
            int card = worst();
            hand[card]--;
            printf("DISCARD");
            print_card(card);
            puts("");
        }
        fflush(stdout);
    }
}
