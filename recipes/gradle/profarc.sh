#!/bin/sh
# Records the profiles of the test JVMs of a Gradle build; from then on `gradle test` adopts
# them. A daemon would be no descendant of the training run.
set -eu
[ -e .profarc/libprofarc-agent.so ] || profarc agent install .profarc
exec profarc train -o .profarc/tests.parc --only '*GradleWorkerMain*' --merge -- gradle --no-daemon "$@" test
