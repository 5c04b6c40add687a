#!/bin/sh
# A bot for the sowing game. `sower.sh VICE` misbehaves in the named way; without a name it plays the first filled pit.
vice=${1:-honest}

case $vice in
is_killed) kill -KILL $$ ;;
dies) echo "no thanks" >&2; exit 3 ;;
hangs) trap '' INT TERM; while :; do sleep 1000; done ;;
floods) while :; do echo "move move move"; done ;;
floods_without_end) while :; do printf '1111111111111111'; done ;;
half) printf '3'; sleep 1000 ;;
garbage) printf '\377\376 what?\n' ;;
deaf) exec <&- ; sleep 1000 ;;
closes) exec >&- ; sleep 1000 ;;
leaves_children) sleep 1000 & ;;
ignores_signals) trap '' INT TERM HUP ;;
chatters) i=0; while [ $i -lt 20000 ]; do echo "line $i of a long complaint" >&2; i=$((i + 1)); done ;;
esac

get() { eval "v=\$p$1"; }
put() { eval "p$1=$2"; }

sow() {
    at=$1
    get "$at"; hand=$v; put "$at" 0
    while [ "$hand" -gt 0 ]; do
        at=$((at % 7 + 1))
        get "$at"
        if [ "$hand" -eq 1 ]; then
            if [ "$v" -ge 1 ] && [ "$v" -le 4 ]; then put "$at" 0; fi
            hand=0
        elif [ "$v" -eq 5 ]; then
            put "$at" 4
        else
            put "$at" $((v + 1)); hand=$((hand - 1))
        fi
    done
}

# Sets pit to the first filled pit (with "empty": to the first empty one), or to 0 if there is none.
first() {
    pit=0
    for n in 7 6 5 4 3 2 1; do
        get $n
        if [ "$1" = empty ]; then [ "$v" -eq 0 ] && pit=$n; else [ "$v" -gt 0 ] && pit=$n; fi
    done
}

read -r p1 p2 p3 p4 p5 p6 p7
p7=$(printf %s "$p7" | tr -d '\r')
moves=0
while :; do
    first filled
    [ $pit -eq 0 ] && break
    if [ "$vice" = cheats ]; then
        filled=$pit
        first empty
        [ $pit -eq 0 ] && pit=$filled
    fi
    [ "$vice" = late ] && [ $moves -eq 1 ] && sleep 5
    case $vice in
    crlf) printf '%s\r\n' $pit ;;
    *) echo $pit ;;
    esac
    sow $pit
    moves=$((moves + 1))
    if [ "$vice" = dies_later ] && [ $moves -eq 2 ]; then exit 1; fi
    first filled
    [ $pit -eq 0 ] && break
    read -r reply || break
    sow "$reply"
done
[ "$vice" = ignores_signals ] && while :; do sleep 1000; done
exit 0
