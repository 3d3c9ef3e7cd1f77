#!/bin/sh
# Records the profiles of the test JVMs of a Maven build; from then on `mvn test` adopts them.
set -eu
[ -e .profarc/libprofarc-agent.so ] || profarc agent install .profarc
exec profarc train -o .profarc/tests.parc --only '*surefire*' --merge -- mvn "$@" test
