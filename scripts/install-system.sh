#!/usr/bin/env bash
# Debian's packages that `npm run test:system` needs: PostgreSQL 15, PgBouncer, the proxies of deploy/, and the shells
# whose completion is tried.
set -u
missing=()
# 15.20 or newer: a test starts a Citus, if there is one, that was built for it.
minor=$(/usr/lib/postgresql/15/bin/postgres --version 2> /dev/null | sed -n 's/.* 15\.\([0-9]*\).*/\1/p')
[ "${minor:-0}" -ge 20 ] || missing+=(postgresql-15)
[ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
[ -x /usr/sbin/nginx ] || missing+=(nginx)
[ -x /usr/bin/caddy ] || missing+=(caddy)
[ -x /usr/sbin/haproxy ] || missing+=(haproxy)
command -v zsh > /dev/null || missing+=(zsh)
command -v fish > /dev/null || missing+=(fish)
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "npm run test:system needs: apt-get install ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq > /dev/null && apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
