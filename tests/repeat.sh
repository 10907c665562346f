# sh repeat.sh NET...: with one thread and one seed, does everything tell the same twice, the second time beside a busy
# process and with low priority? Engines, step counts and witnesses count, seconds do not. Prints "same" or the first
# difference.
mazurka() { ${MAZURKA:-mazurka} "$@"; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tell()
{
    for net; do
        mazurka check -q -v "$net" --threads 1 --seed 5 --time 300
        rm -f "$folder/witness"
        mazurka check -q "$net" --safe --threads 1 --seed 5 --time 300 --witness "$folder/witness" ||
            cat "$folder/witness"
        for examination in QuasiLiveness StableMarking Liveness OneSafe; do
            mazurka mcc "$net" --examination $examination -v --threads 1 --seed 5 --time 300
        done
    done 2>&1 | sed 's/[0-9.]* s\b/S/g'
}
tell "$@" > "$folder/once"
nice -n 10 sh -c "while :; do :; done" &
busy=$!
renice -n 10 $$ > /dev/null
tell "$@" > "$folder/twice"
kill $busy
grep -q "time limit" "$folder/once" || echo "no share came to its end: nothing was tried"
cmp "$folder/once" "$folder/twice" && echo same
