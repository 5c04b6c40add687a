/* A bot for Azul, written from the competition's specification: reads updates alone and keeps the table and its own board.
 * It must not use code of the engines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char COLOURS[] = "gobyr";

/* Tiles by display and colour; display 0 is the centre. */
static int table[6][5];
/* The own pattern lines: how many tiles, of which colour; and the colours on each row of the own wall. */
static int held[5], kind[5], wall[5][5];

static int colour_of(char letter) { return (int)(strchr(COLOURS, letter) - COLOURS); }

static int tiles_left(void) {
    int sum = 0;
    for (int d = 0; d < 6; d++)
        for (int c = 0; c < 5; c++) sum += table[d][c];
    return sum;
}

/* Takes all tiles of a colour from a display; returns how many. */
static int take(int display, int colour) {
    int count = table[display][colour];
    table[display][colour] = 0;
    if (display != 0)
        for (int c = 0; c < 5; c++) {
            table[0][c] += table[display][c];
            table[display][c] = 0;
        }
    return count;
}

/* The end of a round: each full line moves a tile to the wall. */
static void tile(void) {
    for (int line = 0; line < 5; line++)
        if (held[line] == line + 1) {
            wall[line][kind[line]] = 1;
            held[line] = 0;
        }
}

static int room(int line, int colour) {
    if (wall[line][colour] || (held[line] > 0 && kind[line] != colour)) return 0;
    return line + 1 - held[line];
}

struct move {
    int display, colour;
};

static struct move read_move(void) {
    struct move move;
    char colour;
    int line;
    if (scanf("%d %c %d", &move.display, &colour, &line) != 3) exit(0);
    move.colour = colour_of(colour);
    return move;
}

/* Reads the updates of a turn. A move belongs to the round before the restock exactly if tiles are left on the table. */
static void read_updates(void) {
    int count, moves = 0, restocks = 0, fresh[5][5];
    struct move seen[8];
    char word[16];
    if (scanf("%d", &count) != 1) exit(0);
    while (count-- > 0) {
        if (scanf("%15s", word) != 1) exit(0);
        if (strcmp(word, "move") == 0) {
            seen[moves++] = read_move();
            continue;
        }
        restocks++;
        for (int d = 0; d < 5; d++)
            for (int c = 0; c < 5; c++)
                if (scanf("%d", &fresh[d][c]) != 1) exit(0);
    }
    int next = 0;
    if (restocks > 0) {
        while (next < moves && tiles_left() > 0) {
            take(seen[next].display, seen[next].colour);
            next++;
        }
        tile();
        memset(table[0], 0, sizeof table[0]);
        memcpy(table[1], fresh, sizeof fresh);
    }
    for (; next < moves; next++) take(seen[next].display, seen[next].colour);
}

static void play(void) {
    int display = -1, colour = 0, line = 5;
    double most = 0;
    for (int d = 0; d < 6; d++)
        for (int c = 0; c < 5; c++)
            for (int l = 0; table[d][c] > 0 && l <= 5; l++) {
                int count = table[d][c], free = l < 5 ? room(l, c) : 0;
                if (l < 5 && free == 0) continue;
                int placed = count < free ? count : free;
                double worth = 2 * placed - 2 * (count - placed) - (free - placed) / 2.0;
                if (display < 0 || worth > most) {
                    display = d;
                    colour = c;
                    line = l;
                    most = worth;
                }
            }
    if (display < 0) exit(0);
    int free = line < 5 ? room(line, colour) : 0;
    int count = take(display, colour);
    if (line < 5) {
        kind[line] = colour;
        held[line] += count < free ? count : free;
    }
    printf("%d %c %d\n", display, COLOURS[colour], line);
    fflush(stdout);
}

int main(void) {
    int left_ms;
    puts("update");
    fflush(stdout);
    while (scanf("%d", &left_ms) == 1) {
        read_updates();
        play();
    }
    return 0;
}
