#!/bin/sh
# Frames per second of `render` at 480 × 360, whole commands: start, simulation, drawing, encoding.
#   tests/speed/film.sh target/release/locomotion [TASK…]
program=$1
shift
[ $# -gt 0 ] || set -- swimmer hopper half-cheetah walker ant
folder=$(mktemp -d)
for task in "$@"; do
  begun=$(date +%s%N)
  "$program" render "$task" -o "$folder/$task.mp4" --seconds 6 --width 480 --height 360 2> "$folder/said" || exit 1
  ended=$(date +%s%N)
  pictures=$(sed -n 's/.*: \([0-9]*\) pictures.*/\1/p' "$folder/said")
  echo "$task: $((pictures * 1000000000 / (ended - begun))) frames per second"
done
rm -r "$folder"
