#!/usr/bin/env bash
# Lines of src that the tests run. Needs the LLVM tools of rustc's own version, for example Debian's llvm-22 for Rust 1.95.
set -euo pipefail
cd "$(dirname "$0")/.."
llvm=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
folder=$PWD/target/coverage
rm -rf "$folder" && mkdir -p "$folder"

# Only this crate is instrumented, so that its dependencies need not be built again.
printf '#!/bin/sh\nexec "$@" -C instrument-coverage\n' > "$folder/rustc" && chmod +x "$folder/rustc"
export RUSTC_WORKSPACE_WRAPPER=$folder/rustc LLVM_PROFILE_FILE=$folder/%m.profraw

programs=$(cargo test --release --no-run --message-format=json | sed -n 's/.*"executable":"\([^"]*\)".*/--object \1/p')
cargo test --release --no-fail-fast || echo "some tests fail: the figures are without the rest of those" >&2
"llvm-profdata-$llvm" merge --sparse "$folder"/*.profraw -o "$folder/all"
# shellcheck disable=SC2086
"llvm-cov-$llvm" report --instr-profile "$folder/all" --sources src $programs "$@"
