import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type SignedInPage, signedInPages } from "./CurrentSession.ts"
import { makeFormActions } from "./FormActions.ts"
import { makeNotices } from "./Notices.ts"

/** Functions that register pages of a signed-in person and their forms, and that make the notices of what those did. */
export const makePageRoutes = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const forSignedIn = yield* signedInPages
  return {
    get: <R>(path: `/${string}`, page: SignedInPage<R>) => router.add("GET", path, forSignedIn(page)),
    action: yield* makeFormActions,
    noticeOf: yield* makeNotices
  }
})
