import { requestsAreAnswered } from "./GeneratedRequests.ts"
import { contract } from "./Given.ts"
import { askOf } from "./TestServer.ts"

/** How many requests are tried, and on which running server with which key instead of one over memory. */
const { LAT_FUZZ_KEY = "", LAT_FUZZ_RUNS = "2000", LAT_FUZZ_URL } = process.env

contract("whatever is asked", (given) => {
  given(
    "is answered as the interface description says, and never by a failure of the server",
    ({ ask }) =>
      requestsAreAnswered(LAT_FUZZ_URL === undefined ? ask : askOf(LAT_FUZZ_URL, LAT_FUZZ_KEY), Number(LAT_FUZZ_RUNS)),
    { rateLimit: 1_000_000_000 }
  )
})
