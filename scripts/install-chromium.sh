#!/usr/bin/env bash
# The browser that test/signin/Pages.test.ts drives: Debian's Chromium. Installs it where that is possible, and never
# fails: without it those tests are skipped, and say so.
set -u
if command -v chromium > /dev/null; then
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "Chromium is missing and cannot be installed here: the browser tests will be skipped." >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
if apt-get update -qq > /dev/null && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core > /dev/null; then
  echo "Installed $(chromium --version 2> /dev/null)"
else
  echo "Chromium could not be installed: the browser tests will be skipped." >&2
fi
exit 0
