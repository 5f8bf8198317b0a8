import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type Scope, scopes } from "@lists-and-things/domain/model/Scope"
import { Authorizations } from "@lists-and-things/domain/signin/Authorizations"
import { OAuthClients } from "@lists-and-things/domain/signin/OAuthClients"
import { shownTarget } from "@lists-and-things/domain/signin/RedirectUri"
import { SignIn, type SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { type Html, html } from "../pages/Html.ts"
import { errorPage, page, redirect } from "../pages/Page.ts"
import { renderErrors, signedInForms, signedInPages } from "../pages/CurrentSession.ts"
import { scopeMeanings } from "../pages/ScopeMeanings.ts"
import {
  type AuthorizationRequest,
  parametersOf,
  readRequest,
  returnTo,
  type RedirectedError,
  type ShownError
} from "./AuthorizationRequest.ts"
import { hiddenBack, hiddenCsrf } from "../pages/FormFields.ts"
import { queryOf } from "../pages/PageAddress.ts"

const choices = (legend: string, of: ReadonlyArray<Scope>, ticked: boolean): Html =>
  of.length === 0
    ? html``
    : html`<fieldset>
        <legend>${legend}</legend>
        ${of.map(
          (scope) =>
            html`<label class="check"
              ><input type="checkbox" name="allow" value="${scope}"${ticked ? html` checked` : ""} /><span
                >${scopeMeanings[scope]} <code>${scope}</code></span
              ></label
            >`
        )}
      </fieldset>`

/** Scopes not requested are offered unticked: many clients cannot ask for more later. */
const consentPage = (current: SignedIn, asked: AuthorizationRequest, fields: URLSearchParams) => {
  const unasked = scopes.filter((scope) => !asked.scopes.includes(scope))
  const sent = parametersOf(fields)
  return page(
    "Allow access",
    html`<h1>Let <q><bdi>${asked.client.name}</bdi></q> in?</h1>
      <p>
        This program asks for access to the lists of <strong>${current.account.email}</strong>. The answer goes to
        <strong>${shownTarget(asked.redirectUri)}</strong>. It chose its name itself: allow it only if you have just
        asked it to connect.
      </p>
      <form method="post" action="/oauth/authorize">
        ${hiddenCsrf(current.session.csrf)}${hiddenBack(`/oauth/authorize?${new URLSearchParams(sent)}`)}
        ${sent.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        ${choices("It asks to", asked.scopes, true)} ${choices("You can allow more", unasked, false)}
        <p class="buttons">
          <button name="decision" value="allow">Allow</button
          ><button class="quiet" name="decision" value="deny">Do not allow</button>
        </p>
      </form>
      <p class="soft">You can revoke this at any time in your account, under connected programs.</p>`,
    { signedInAs: current.account.email, section: "account", leadsElsewhere: true }
  )
}

/** The person's side of authorization: the consent page and its answer. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const addresses = yield* ClientAddress
      const forSignedIn = yield* signedInPages
      const sent = yield* signedInForms
      const clients = yield* OAuthClients
      const authorizations = yield* Authorizations
      const signIn = yield* SignIn

      const problem = (error: RedirectedError | ShownError) =>
        error._tag === "ShownError"
          ? errorPage(400, "This program cannot sign in", error.description)
          : redirect(
              returnTo(error.redirectUri, siteUrl, {
                error: error.error,
                error_description: error.description,
                state: error.state
              })
            )

      /** Runs the given handler for a valid request; an invalid one gets its error answer. */
      const read = <E, R>(
        request: HttpServerRequest.HttpServerRequest,
        fields: URLSearchParams,
        answer: (asked: AuthorizationRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
      ) =>
        readRequest(fields, siteUrl, (id) => clients.asking(id, addresses.network(request))).pipe(
          Effect.matchEffect({
            onFailure: (error) =>
              error._tag === "StorageUnavailable" ? Effect.fail(error) : Effect.succeed(problem(error)),
            onSuccess: answer
          })
        )

      /** Invalid requests are answered before the person is asked to sign in. */
      const ask = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        renderErrors(
          read(request, queryOf(request), (asked) =>
            forSignedIn((current) => Effect.succeed(consentPage(current, asked, queryOf(request))))
          )
        )
      )

      const decide = sent(({ current, fields, request }) =>
        read(request, fields, (asked) => answer(current, asked, fields))
      )

      const answer = Effect.fnUntraced(function* (
        current: SignedIn,
        { client, redirectUri, challenge, state }: AuthorizationRequest,
        fields: URLSearchParams
      ) {
        const allowed = scopes.filter((scope) => fields.getAll("allow").includes(scope))
        if (fields.get("decision") !== "allow" || allowed.length === 0) {
          const description = "The person did not allow it."
          return problem({ _tag: "RedirectedError", redirectUri, state, error: "access_denied", description })
        }
        const { account, session } = current
        const { code } = yield* signIn.whileSignedIn(
          session,
          authorizations.approve({ account, client, scopes: allowed, redirectUri, challenge }),
          ({ grant }) => authorizations.withdraw(grant)
        )
        return redirect(returnTo(redirectUri, siteUrl, { code, state }))
      })

      yield* router.add("GET", "/oauth/authorize", ask)
      yield* router.add("POST", "/oauth/authorize", decide)
    })
  )
