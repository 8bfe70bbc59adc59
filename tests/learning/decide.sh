#!/usr/bin/env bash
# Decides which optimizer learns: the same tasks, budgets and tuning seeds for every contestant.
#
#   tests/learning/decide.sh target/release/locomotion OUT [SEEDS] [CONTESTANT,...]
#
# Seeds 100 and up are for tuning; results in the README use seeds 0 to 19, which nothing was tuned on. A run that was
# interrupted continues where it stopped when the same line is run again. Each task ends with the table of `compare`:
# interquartile means with intervals, the probability of beating CMA-ES, and episodes to each threshold. metrics.csv of
# every run says what stands in the way: heldout_sd is the center's spread over reset seeds, batch_q75 - batch_q25 that of
# the candidates, and center_step the length of the step in units of sigma.
set -euo pipefail
program=${1:?usage: decide.sh PROGRAM OUT [SEEDS] [CONTESTANTS]}
out=${2:?usage: decide.sh PROGRAM OUT [SEEDS] [CONTESTANTS]}
seeds=${3:-5}
contestants=${4:-syncma:steady:2,syncma:adaptive:2,syncma:matrix:2,cma-es,dd-cma,ars}
for task in swimmer:400 half-cheetah:2000 hopper:2500 walker:6000 ant:6000; do
    "$program" compare --env "${task%:*}" --budget "${task#*:}" --optimizers "$contestants" --seed 100 --seeds "$seeds" --out "$out"
done
