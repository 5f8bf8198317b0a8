import { Schema } from "effect"

/** Errors of this host alone; `ErrorResponses` maps them together with the domain's. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Literals([400, 403, 404, 405, 408, 413, 415, 417, 431]),
  message: Schema.String,
  /** Further headers, such as `Allow`. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** Whether the connection must be closed, since the rest of the request was not read. */
  close: Schema.Boolean
}) {}

export const refused = (
  status: Refused["status"],
  message: string,
  options: { readonly headers?: Record<string, string>; readonly close?: boolean } = {}
): Refused => new Refused({ status, message, headers: options.headers ?? {}, close: options.close ?? false })
