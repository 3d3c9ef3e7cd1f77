#!/usr/bin/env bash
# The logic of the action: runs profarc gate with the inputs, which are in GATE_*, writes its
# table into the job's summary and its verdict into the step's outputs. It fails if profarc
# was used wrongly or, where the archive is required, if it does not pass.
set -euo pipefail

if ! command -v profarc >/dev/null; then
  go install "github.com/profarc/profarc/cmd/profarc@$GATE_VERSION"
  PATH=$PATH:$(go env GOPATH)/bin
fi

arguments=("$GATE_ARCHIVE" --markdown --explain)
[ -z "$GATE_AGAINST" ] || arguments+=(--against "$GATE_AGAINST")
if [ -n "$GATE_BASELINE" ] && [ ! -e "$GATE_BASELINE" ]; then
  echo "::notice::there is no baseline $GATE_BASELINE: the archive is judged as the first one"
elif [ -n "$GATE_BASELINE" ]; then
  arguments+=(--baseline "$GATE_BASELINE")
fi
while IFS= read -r flag; do
  [ -z "$flag" ] || arguments+=("$flag")
done <<<"$GATE_FLAGS"

code=0
profarc gate "${arguments[@]}" >>"$GITHUB_STEP_SUMMARY" || code=$?
case $code in
0) verdict=pass ;;
1) verdict=fail ;;
3) verdict=no-profile ;;
4) verdict=unchecked ;;
*) exit "$code" ;;
esac
echo "verdict=$verdict" >>"$GITHUB_OUTPUT"
echo "profarc gate: $verdict"
if [ "$verdict" != pass ] && [ "$GATE_REQUIRED" = true ]; then
  exit 1
fi
