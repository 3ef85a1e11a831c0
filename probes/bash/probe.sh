# Reads the shell's clocks: bash probe.sh SAMPLES PAIRS. The protocol is in ../README.md.

# The decimal point of EPOCHREALTIME is the locale's.
LC_ALL=C
samples=$1 pairs=$2

# The read of `date` starts a process: fewer samples and pairs of it, and the fewest reads a batch.
clocks=(EPOCHREALTIME date)
tick_EPOCHREALTIME=1 tick_date=1/1000000000
most_EPOCHREALTIME=$samples most_date=$((samples < 100 ? samples : 100))

batch_EPOCHREALTIME() { local n=$1 kept; for ((i = 0; i < n; i++)); do kept=$EPOCHREALTIME; done; }
batch_date() { local n=$1; for ((i = 0; i < n; i++)); do date +%s%N; done >/dev/null; }
row_EPOCHREALTIME() { for ((i = 0; i < $1; i++)); do values[i]=$EPOCHREALTIME; done; }
# One pipe for all: what a program that asks `date` gets, without what $(...) costs on top.
row_date() { mapfile -t values < <(for ((i = 0; i < $1; i++)); do date +%s%N; done); }

# Sets `took`, in nanoseconds: a subshell would cost more than the batch.
timed() {
    local start=${EPOCHREALTIME/./}
    "batch_$1" "$2"
    took=$(((${EPOCHREALTIME/./} - start) * 1000))
}

echo "# clockscope-probe/1"
echo "# runtime GNU-bash $BASH_VERSION"
echo "# timer EPOCHREALTIME"
if [[ -z ${EPOCHREALTIME-} ]]; then
    # Before version 5.0 there is nothing in the shell to time with.
    for label in "${clocks[@]}"; do echo "# absent $label bash $BASH_VERSION has no EPOCHREALTIME"; done
    echo "# end"
    exit
fi
there=()
for label in "${clocks[@]}"; do
    if [[ $label == date && ! $(date +%s%N) =~ ^[0-9]+$ ]]; then
        echo "# absent date this system's date knows no %N"
        continue
    fi
    there+=("$label")
    tick=tick_$label
    echo "# clock $label ${!tick}"
done

for label in "${there[@]}"; do
    ((pairs > 0)) || break
    n=20
    while [[ $label != date ]]; do
        # The least of three, since one may be interrupted.
        least=
        for _ in 1 2 3; do
            timed "$label" $n
            ((least = least == 0 || took < least ? took : least))
        done
        ((least < 200000)) || break
        ((n *= 2))
    done
    wanted=$pairs
    [[ $label != date || $pairs -lt 9 ]] || wanted=9
    for ((pair = 0; pair < wanted; pair++)); do
        timed "$label" $n
        once=$took
        timed "$label" $((2 * n))
        echo "# pair $label $n $once $took"
    done
done

values=()
for ((i = 0; i < samples; i++)); do values[i]=-1; done
for label in "${there[@]}"; do
    most=most_$label
    "row_$label" "${!most}"
    printf "$label %s\n" "${values[@]}"
done
echo "# end"
