#!/bin/sh
# usage: story.sh IMAGE
#
# The way of archives from training to production, for an image that is in a registry, as
# localhost:5000/shop:1.4. It needs profarc and profarc-fleet on PATH, a JDK from 17 on, a
# C compiler for the agent, and openssl. It works in the current folder. docs/fleet.md tells it.
set -eu
image=$1
here=$(cd "$(dirname "$0")" && pwd)
say() { printf '\n== %s\n' "$*"; }

say "build the program, as it was and as it is, and a pair of keys"
for version in old new; do
  source=$here/Shop.java
  [ $version = new ] || source=$here/old/Shop.java
  mkdir -p $version
  javac -d $version "$source"
done
openssl ecparam -name prime256v1 -genkey -noout -out key.pem
openssl ec -in key.pem -pubout -out key.pub 2>openssl.log

say "three jobs train and push at once; the third has an old checkout"
job() { # NUMBER CLASSES
  profarc train -q -o "job$1.parc" -- java -cp "$2" Shop >"job$1.out"
  profarc push "job$1.parc" --subject "$image" --sign key.pem --json >"job$1.json"
  sed -n 's/^  "digest": "\(.*\)",/\1/p' "job$1.json" >"job$1.digest"
}
job 1 new & first=$!
job 2 new & second=$!
job 3 old & third=$!
wait $first
wait $second
wait $third

repository=${image%:*}
say "each must pass the gate to be promoted"
promoted=
for number in 3 1 2; do
  archive=$repository@$(cat "job$number.digest")
  profarc pull "$archive" --any --key key.pub -o "candidate$number.parc"
  # Of so small a program the JVM's own start is most: which of its methods have profiles depends on the load.
  if profarc gate "candidate$number.parc" --against new ${promoted:+--baseline "$promoted"} --min-coverage 50% \
    --min-spread 20% --min-overlap 0 --min-breadth 1 --min-weight 0; then
    profarc promote "$archive" --to prod --key key.pub
    promoted=candidate$number.parc
    echo "$number" >>promoted
  else
    echo "$number" >>refused
  fi
done

say "what passed is merged, and must pass by the yardstick of the fleet"
profarc merge -o fleet.parc candidate1.parc candidate2.parc
profarc gate fleet.parc --against new --baseline candidate2.parc --min-coverage 50% --min-overlap 20% --min-runs 2
profarc push fleet.parc "$repository:merged" --subject "$image" --sign key.pem
profarc push fleet.parc "$repository:merged" --subject "$image" --sign key.pem
profarc promote "$repository:merged" --to prod --key key.pub

say "in a slim container, without java: pull by the image and the build"
build=$(profarc info fleet.parc --json | sed -n 's/.*"vm": ".*VM (\([^)]*\)).*/\1/p' | head -n 1)
mkdir -p slim
profarc pull "$image" --promoted prod --key key.pub --build "$build" -o slim/app.parc
cmp fleet.parc slim/app.parc

say "elsewhere: pull by the image, and start"
mkdir -p elsewhere
start() { # REPORT
  profarc pull "$image" --promoted prod --key key.pub --class-path new -o elsewhere/app.parc || echo "no new archive"
  profarc run --archive elsewhere/app.parc --report "$1" java -cp new Shop
  echo "profiles adopted: $(sed -n 's/.*"methods_adopted": *\([0-9]*\).*/\1/p' "$1")"
}
start warm.json

say "start once more: the archive is there already"
start warm.json

say "roll back, and start again"
profarc rollback "$repository:prod"
start rolledback.json
profarc history "$repository:prod"

say "a registry that is gone does not stop a start"
before=$(cksum <elsewhere/app.parc)
if profarc pull "localhost:1/shop:1" -o elsewhere/app.parc; then
  exit 1
fi
[ "$before" = "$(cksum <elsewhere/app.parc)" ]
profarc run --archive elsewhere/missing.parc java -cp new Shop
