// A bot for Azul (Digital Tabletop Competition) in C++. It takes the tiles that fill its lines best and cost it least.
//
// The dialogue, from the competition's specification: the bot first prints `state`, to be told the whole state before each of its
// moves. Then it reads the state and prints `display colour line`, again and again.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

constexpr int COLOURS = 5, LINES = 5, FLOOR = 5;
const std::string LETTERS = "gobyr";

/// What each tile on the floor line costs, from the left.
constexpr std::array<int, 7> FLOOR_COST = {1, 1, 2, 2, 2, 3, 3};

struct State {
    /// The tiles of each colour on each display; display 0 is the centre.
    std::array<std::array<int, COLOURS>, 6> displays{};
    /// Whether the first to take from the centre gets the marker, which lies on the floor line.
    bool marker = false;
    /// The own pattern lines: how many tiles, and their colour.
    std::array<int, LINES> held{}, kind{};
    std::array<std::array<bool, 5>, LINES> wall{};
    int on_floor = 0;
};

/// The next word or number. At the end of the match the input ends, and so does the bot.
template <typename T> T next() {
    T value;
    if (!(std::cin >> value)) std::exit(0);
    return value;
}

State read_state() {
    State state;
    next<int>(); // The milliseconds that are left.
    for (std::size_t display = 0; display < state.displays.size(); display++) {
        for (int &count : state.displays[display]) count = next<int>();
        if (display == 0) state.marker = next<int>() == 1;
    }
    next<std::string>(); // Who holds the marker.
    for (const bool mine : {true, false}) {
        for (int line = 0; line < LINES; line++) {
            const int count = next<int>();
            const char letter = next<char>();
            if (!mine) continue;
            state.held[line] = count;
            state.kind[line] = static_cast<int>(LETTERS.find(letter));
        }
        for (auto &row : state.wall)
            for (bool &place : row) {
                const bool covered = next<char>() != '.';
                if (mine) place = covered;
            }
        const int length = next<int>();
        next<int>(); // The score.
        if (mine) state.on_floor = length;
    }
    return state;
}

/// The column of a colour in a row of the wall.
int column_of(int colour, int row) { return (colour + row) % 5; }

/// How many tiles of a colour a pattern line still takes.
int room(const State &state, int line, int colour) {
    const bool other = state.held[line] > 0 && state.kind[line] != colour;
    return other || state.wall[line][column_of(colour, line)] ? 0 : line + 1 - state.held[line];
}

/// The points of a tile at this place of the wall: the lengths of the runs that it would be part of.
int points_at(const State &state, int row, int column) {
    const auto run = [&](int down, int right) {
        int length = 0;
        for (int r = row + down, c = column + right; r >= 0 && r < 5 && c >= 0 && c < 5 && state.wall[r][c];
             r += down, c += right)
            length++;
        return length;
    };
    const int across = 1 + run(0, 1) + run(0, -1), along = 1 + run(1, 0) + run(-1, 0);
    return std::max(1, (across > 1 ? across : 0) + (along > 1 ? along : 0));
}

/// How good a move is. It has no look at what the opponent will do: a first thing to add.
double worth(const State &state, int display, int colour, int line) {
    const int count = state.displays[display][colour];
    const int free = line < FLOOR ? room(state, line, colour) : 0;
    const int placed = std::min(count, free);
    double sum = 0;
    if (free > 0) {
        const double points = points_at(state, line, column_of(colour, line)) + 0.6 * line;
        // A line that is not full at the end of the round gives nothing yet.
        sum += placed == free ? points : 0.6 * points * (line + 1 - free + placed) / (line + 1);
    }
    const int spilled = count - placed + (display == 0 && state.marker ? 1 : 0);
    for (int n = state.on_floor; n < std::min(state.on_floor + spilled, 7); n++) sum -= FLOOR_COST[n];
    return sum;
}

} // namespace

int main() {
    std::cout << "state" << std::endl; // std::endl also flushes: the referee waits for the line.
    for (;;) {
        const State state = read_state();
        int display = 0, colour = 0, line = -1;
        double best = 0;
        for (int d = 0; d < 6; d++)
            for (int c = 0; c < COLOURS; c++)
                for (int l = 0; l <= FLOOR && state.displays[d][c] > 0; l++) {
                    if (l < FLOOR && room(state, l, c) == 0) continue;
                    const double value = worth(state, d, c, l);
                    if (line >= 0 && value <= best) continue;
                    display = d, colour = c, line = l, best = value;
                }
        std::cout << display << ' ' << LETTERS[colour] << ' ' << line << std::endl;
    }
}
