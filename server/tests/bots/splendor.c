/* A bot for Splendor, written from the contest's protocol text: buys the best card that it can pay, and otherwise takes
 * chips for the card that it lacks the fewest for. It must not use code of the engines. */
#include <stdio.h>
#include <stdlib.h>

/* Seven digits for each card: its bonus, its points, and its cost by colour. */
static const char CARDS[] =
    "000003010300002000003300030040030000001200100012020000123020001401200001000401100004214000031040004100400"
    "002002010202002002002300020240020200001111101011120110113011101401111000011211010112202101130121014011210"
    "000102210201022022010300220140102200010013100131020131003000131403100102000051205000220050032500004200050"
    "036000013060002300600330006043000060200035120350022003503250003423500002024101200241221002432410024224100"
    "012002311003222132200312300241022300120303113203021032033130320410303204070001400700240007034000074470000"
    "053700015037002500370350003745700030436300140363024003633430036446300303035331330353233303533533034335330";

static int digit(int card, int place) { return CARDS[(card - 1) * 7 + place] - '0'; }

static int number(void) {
    int value;
    if (scanf("%d", &value) != 1) {
        puts("1 0");
        exit(0);
    }
    return value;
}

static int bank[6], chips[6], bonus[5], reach[15], cards = 0;

/* Reads the section of a player; `own`: whether it is the bot's. */
static void read_player(int own) {
    for (int c = 0; c < 6; c++) {
        int count = number();
        if (own) chips[c] = count;
    }
    for (int n = number(); n > 0; n--) {
        int card = number();
        if (own) bonus[digit(card, 0)]++;
    }
    for (int n = number(); n > 0; n--) {
        int card = number();
        if (own && card > 0) reach[cards++] = card;
    }
    for (int n = number(); n > 0; n--) number();
}

/* The chips of a colour that the bot lacks for a card. */
static int lacks(int card, int colour) {
    int missing = digit(card, 2 + colour) - bonus[colour] - chips[colour];
    return missing > 0 ? missing : 0;
}

static int lacks_in_all(int card) {
    int sum = 0;
    for (int c = 0; c < 5; c++) sum += lacks(card, c);
    return sum;
}

/* Takes up to three chips, those for the target first, and returns as many as are too many, of colours that it does not need. */
static void take(int target) {
    int held = 0, taken[3], count = 0, back[3], returned = 0, spare[5];
    for (int c = 0; c < 6; c++) held += chips[c];
    for (int c = 0; c < 5; c++) {
        int need = target > 0 ? digit(target, 2 + c) - bonus[c] : 0;
        spare[c] = chips[c] - (need > 0 ? need : 0);
    }
    for (int c = 0; c < 5 && count < 3; c++)
        if (bank[c] > 0 && target > 0 && lacks(target, c) > 0) taken[count++] = c;
    for (int c = 0; c < 5 && count < 3; c++)
        if (bank[c] > 0 && (target == 0 || lacks(target, c) == 0) && held + count < 10) taken[count++] = c;
    for (int c = 0; c < 5; c++)
        for (; spare[c] > 0 && returned < held + count - 10; spare[c]--) back[returned++] = c;
    while (held + count - returned > 10) count--;
    while (returned > 0 && held + count - returned < 10) returned--;
    printf("1 %d", count);
    for (int i = 0; i < count; i++) printf(" %d", taken[i]);
    for (int i = 0; i < returned; i++) printf(" %d", back[i]);
    puts("");
}

int main(void) {
    int players = number(), id = number(), round = number();
    int own = round == 0 || id == 0 ? id : id - 1;
    for (int c = 0; c < 6; c++) bank[c] = number();
    for (int level = 0; level < 3; level++) {
        number();
        for (int slot = 0; slot < 4; slot++) {
            int card = number();
            if (card > 0) reach[cards++] = card;
        }
    }
    for (int n = number(); n > 0; n--) number();
    for (int player = 0; player < players; player++) read_player(player == own);
    int best = 0, target = 0;
    for (int i = 0; i < cards; i++) {
        int card = reach[i];
        if (lacks_in_all(card) <= chips[5] && (best == 0 || digit(card, 1) > digit(best, 1))) best = card;
        if (target == 0 || lacks_in_all(card) < lacks_in_all(target)) target = card;
    }
    if (best > 0) printf("4 %d\n", best);
    else take(target);
    return 0;
}
