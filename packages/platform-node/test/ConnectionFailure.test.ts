import { expect, it } from "@effect/vitest"
import { connectionFailure } from "../src/ConnectionFailure.ts"

const failure = (code: string, message: string) => connectionFailure(Object.assign(new Error(message), { code }))

const openssl = (reason: string) =>
  `write EPROTO 40D381884A7F0000:error:0A00010B:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/a.c:78:\n`

it.each([
  ["CERT_HAS_EXPIRED", "certificate has expired", "The receiver's certificate has expired (CERT_HAS_EXPIRED)."],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca",
    "The receiver's certificate is signed by itself, so this server does not trust it (DEPTH_ZERO_SELF_SIGNED_CERT)."
  ],
  [
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "unable to get local issuer certificate",
    "The receiver's certificate is from an authority that this server does not know (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)."
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "Hostname/IP does not match certificate's altnames: Host: a.example. is not in the cert's altnames: DNS:b.example",
    "The receiver's certificate is for another host than that of the URL (ERR_TLS_CERT_ALTNAME_INVALID)."
  ],
  [
    "EPROTO",
    openssl("wrong version number"),
    "The receiver does not use TLS at this port, which https needs (wrong version number)."
  ],
  [
    "EPROTO",
    openssl("tlsv1 alert protocol version"),
    "The encrypted connection failed (tlsv1 alert protocol version)."
  ],
  [
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "40D381884A7F0000:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/a.c:918:SSL alert number 116\n",
    "The encrypted connection failed (tlsv13 alert certificate required)."
  ],
  [
    "ECONNRESET",
    "Client network socket disconnected before secure TLS connection was established",
    "The receiver closed the connection before it was encrypted (ECONNRESET)."
  ],
  ["ECONNRESET", "socket hang up", "The receiver closed the connection without an answer (ECONNRESET)."],
  [
    "HPE_INVALID_CONSTANT",
    "Parse Error: Expected HTTP/, RTSP/ or ICE/",
    "The receiver's answer is not valid HTTP (HPE_INVALID_CONSTANT)."
  ],
  ["ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:81", "connect ECONNREFUSED 127.0.0.1:81"]
])("a connection that failed with %s (%s) says: %s", (code, message, said) => {
  expect(failure(code, message)).toBe(said)
})

it("of several addresses, the failure of the first one is reported, or else the code", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED ::1:81"), { code: "ECONNREFUSED" })
  expect(connectionFailure(new AggregateError([refused, new Error("other")]))).toBe("connect ECONNREFUSED ::1:81")
  expect(failure("ECONNRESET", "")).toBe("ECONNRESET")
})
