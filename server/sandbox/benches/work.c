/* A fixed piece of work of the kind that bots do: tables, branches, multiplications, a little memory. Prints a checksum. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t cells[1 << 16];

static uint32_t search(uint32_t state, int depth) {
    uint32_t best = 0;
    if (depth == 0) return cells[state & 0xffff] ^ (state >> 7);
    for (uint32_t move = 0; move < 6; move++) {
        uint32_t next = (state ^ (move * 0x9e3779b9u)) * 0x85ebca6bu;
        next ^= next >> 13;
        if ((next & 7) == 0) continue;
        uint32_t value = search(next, depth - 1);
        if (value > best) best = value;
    }
    return best - 1;
}

int main(void) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < 1 << 16; n++) cells[n] = n * 2654435761u;
    for (uint32_t n = 0; n < 24; n++) sum += search(n, 8);
    printf("%u\n", sum);
    return 0;
}
