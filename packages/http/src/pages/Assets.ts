import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import {
  framePath,
  iconPath,
  manifestPath,
  scriptPath,
  stylePath,
  touchIconPath,
  versionOf,
  zoneScriptPath
} from "./AssetPaths.ts"
import { compressedOnce } from "./Compressed.ts"
import { Html } from "./Html.ts"
import { images } from "./IconImages.ts"
import { mark } from "./Icons.ts"
import { errorPage } from "./Page.ts"
import { script, zoneScript } from "./Script.ts"
import { serviceWorker, unsentPlace } from "./ServiceWorker.ts"
import { frameStyle, style } from "./Style.ts"

const manifest = JSON.stringify({
  name: "Lists and Things",
  short_name: "Lists",
  description: "Your lists, your day, your reminders",
  id: "/today",
  start_url: "/today",
  scope: "/",
  display: "standalone",
  background_color: "#faf8f5",
  theme_color: "#faf8f5",
  icons: [
    { src: iconPath, sizes: "any", type: "image/svg+xml", purpose: "any" },
    { src: "/icon-192.png", sizes: "192x192", type: "image/png", purpose: "any maskable" },
    { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "any maskable" }
  ],
  shortcuts: [
    { name: "Today", url: "/today" },
    { name: "Reminders", url: "/reminders" }
  ]
})

/** The service worker replaces `unsentPlace` by a form that could not be sent. */
const offline = errorPage(200, "Offline", "The server cannot be reached. Check your connection and try again.", {
  more: new Html(unsentPlace)
})

const kept = (contentType: string, seconds: number) => ({
  contentType,
  headers: { "cache-control": `public, max-age=${seconds}` }
})

const [forEver, aWhile] = [31_536_000, 300]

/** The assets of the pages: stylesheet, script, icons, and what makes them installable. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const serve = Effect.fnUntraced(function* (path: `/${string}`, response: HttpServerResponse.HttpServerResponse) {
      const answer = yield* compressedOnce(response, path.includes("?v=") ? path : undefined)
      yield* router.add(
        "GET",
        path.split("?", 1)[0] as `/${string}`,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, answer)
      )
    })
    const text = (path: string, content: string, contentType: string, seconds = forEver) =>
      serve(path as `/${string}`, HttpServerResponse.text(content, kept(contentType, seconds)))
    const image = (path: `/${string}`, base64: string) =>
      serve(path, HttpServerResponse.uint8Array(Buffer.from(base64, "base64"), kept("image/png", 86_400)))

    yield* text(stylePath, style, "text/css; charset=utf-8")
    yield* text(framePath, frameStyle, "text/css; charset=utf-8")
    yield* text(scriptPath, script, "text/javascript; charset=utf-8")
    yield* text(zoneScriptPath, zoneScript, "text/javascript; charset=utf-8")
    yield* text(iconPath, mark.text, "image/svg+xml")
    yield* text(manifestPath, manifest, "application/manifest+json", aWhile)
    const parts = ["/offline", stylePath, iconPath]
    yield* text("/sw.js", serviceWorker(versionOf(parts.join()), parts), "text/javascript", 0)
    yield* image("/favicon.ico", images[32])
    yield* image(touchIconPath, images[192])
    yield* image("/icon-512.png", images[512])
    yield* router.add("GET", "/offline", offline)
  })
)
