#!/bin/sh
# The service `credentials` of docker-compose.yml: makes the passwords of PostgreSQL and NATS at the first start, and writes for each
# service what it needs, where only that service can read it. A later start changes nothing.
#
#   /credentials/own        the passwords: what is there stays
#   /credentials/postgres   the password of the database
#   /credentials/nats       the configuration of NATS
#   /credentials/node, /credentials/worker   settings of kibitz, for a shell
#
# KIBITZ_DB_PASSWORD, KIBITZ_NATS_NODE_PASSWORD and KIBITZ_NATS_WORKER_PASSWORD: the password of an installation that has one already;
# taken at the first start. KIBITZ_CREDENTIALS: another folder than /credentials.
set -eu
umask 077
root=${KIBITZ_CREDENTIALS:-/credentials}
nats=${KIBITZ_NATS_CONF:-/etc/kibitz/nats.conf}
# The user of the image's programs.
user=10001

# Writes standard input into a file, whole or not at all. FILE
put() {
  # What a start that was cut off has left may have other rights.
  rm -f "$1.new"
  cat >"$1.new"
  # On another machine than a container the file may belong to whoever runs this.
  [ "$(id -u)" != 0 ] || chown "$2" "$1.new"
  mv "$1.new" "$1"
}

# The password of this name. NAME GIVEN
password() {
  if [ ! -s "$root/own/$1" ]; then
    if [ -n "$2" ]; then printf %s "$2"; else od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; fi | put "$root/own/$1" 0
  fi
  cat "$root/own/$1"
}

mkdir -p "$root/own" "$root/postgres" "$root/nats" "$root/node" "$root/worker"
database=$(password database "${KIBITZ_DB_PASSWORD:-}")
node=$(password node "${KIBITZ_NATS_NODE_PASSWORD:-}")
worker=$(password worker "${KIBITZ_NATS_WORKER_PASSWORD:-}")
case $database$node$worker in
  *[!A-Za-z0-9._-]*)
    echo "credentials: a password has other characters than letters, digits and . _ -" >&2
    exit 1
    ;;
esac
printf %s "$database" | put "$root/postgres/password" 0
{
  printf 'KIBITZ_NATS_NODE_PASSWORD: "%s"\nKIBITZ_NATS_WORKER_PASSWORD: "%s"\n' "$node" "$worker"
  cat "$nats"
} | put "$root/nats/nats.conf" 0
printf 'export KIBITZ_DATABASE=postgres://kibitz:%s@postgres/kibitz\nexport KIBITZ_WORKERS=nats://node:%s@nats:4222\n' \
  "$database" "$node" | put "$root/node/environment" "$user"
printf 'export KIBITZ_WORKERS=nats://worker:%s@nats:4222\n' "$worker" | put "$root/worker/environment" "$user"
# Their users must be able to enter.
[ "$(id -u)" != 0 ] || chown "$user" "$root/node" "$root/worker"
