import { rootCause } from "@lists-and-things/domain/model/RootCause"

/** In words: why the certificate of a receiver is refused, by the codes that Node gives it. */
const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet by the clock of this server",
  CERT_REVOKED: "is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "is signed by itself, so this server does not trust it",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host than that of the URL",
  SELF_SIGNED_CERT_IN_CHAIN: "is from an authority that this server does not know",
  UNABLE_TO_GET_ISSUER_CERT: "is from an authority that this server does not know",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is from an authority that this server does not know",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "is from an authority that this server does not know, or the receiver does not send its intermediate certificates"
}

/** OpenSSL's reason in its message, such as `wrong version number`. */
const opensslReason = /:error:[^:]*:[^:]*:[^:]*:([^:\n]+)/

/** In words: why TLS or HTTP failed on a connection; undefined for any other reason. */
const protocolFailure = ({ code = "", message }: NodeJS.ErrnoException): string | undefined => {
  const certificate = certificates[code]
  if (certificate !== undefined) return `The receiver's certificate ${certificate} (${code}).`
  if (code.startsWith("HPE_")) return `The receiver's answer is not valid HTTP (${code}).`
  if (code === "ECONNRESET" && message.includes("before secure TLS connection"))
    return `The receiver closed the connection before it was encrypted (${code}).`
  if (code === "ECONNRESET" && message === "socket hang up")
    return `The receiver closed the connection without an answer (${code}).`
  const reason = opensslReason.exec(message)?.[1]
  if (reason === undefined) return undefined
  return /wrong version number|packet length too long|http request/.test(reason)
    ? `The receiver does not use TLS at this port, which https needs (${reason}).`
    : `The encrypted connection failed (${reason}).`
}

/** The reason of a failed connection, in words where it is one of TLS or HTTP. */
export const connectionFailure = (error: NodeJS.ErrnoException): string => {
  const root = rootCause(error)
  if (!(root instanceof Error)) return String(root)
  return (protocolFailure(root) ?? root.message) || (error.code ?? "The connection failed.")
}
