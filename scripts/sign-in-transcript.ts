import { connected } from "../test/signin/Connected.ts"
import { type SdkKind, sdkKinds } from "../test/signin/Journey.ts"

/** Prints the transcript of docs/sign-in.md: requests of the SDK's client as `→`, answers as `←`. */
const kind = sdkKinds.find((each) => each === process.argv[2]) ?? (sdkKinds[0] satisfies SdkKind)
console.log((await connected(kind)).transcript.join("\n").trim())
