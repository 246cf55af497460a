#!/bin/sh
# exits.sh N COMMAND...: succeeds when COMMAND exits with status N.
expected=$1
shift
"$@"
status=$?
[ "$status" -eq "$expected" ] || {
  echo "exit status $status, expected $expected" >&2
  exit 1
}
