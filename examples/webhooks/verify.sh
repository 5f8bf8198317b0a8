#!/bin/sh
# Checks the signature of one request: its body on standard input, the secret in WEBHOOK_SECRET, and the headers
# webhook-id, webhook-timestamp and webhook-signature as arguments. Exits with 0 if it is right; needs openssl.
#
#   WEBHOOK_SECRET=whsec_… sh verify.sh ID TIMESTAMP SIGNATURE < body.json
set -euf
id=$1 timestamp=$2 signatures=$3
# Anybody can send a header, and where sh is bash, arithmetic would run commands in its text.
case $timestamp in
  '' | *[!0-9]*)
    echo "the timestamp is no number" >&2
    exit 1
    ;;
esac
age=$(($(date +%s) - timestamp))
if [ "$age" -gt 300 ] || [ "$age" -lt -300 ]; then
  echo "too old, or from the future" >&2
  exit 1
fi
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
for each in $signatures; do
  if [ "$each" = "$expected" ]; then exit 0; fi
done
echo "the signature is wrong" >&2
exit 1
