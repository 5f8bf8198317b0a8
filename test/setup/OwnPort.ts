import { once } from "node:events"
import { createServer } from "node:net"

/**
 * Below what systems hand out by themselves, so that nobody gets a port by chance between its choice and its use; above
 * the last one that `fetch` refuses, 10080.
 */
const [lowest, count] = [10_081, 19_919]
let next = process.pid * 16

/** A port for what must know it before it listens. Whatever can listen on port 0 and tell its port does that. */
export const ownPort = async (): Promise<number> => {
  const port = lowest + (next++ % count)
  const probe = createServer().listen(port, "127.0.0.1")
  const isFree = await once(probe, "listening").then(
    () => true,
    () => false
  )
  if (!isFree) return ownPort()
  probe.close()
  await once(probe, "close")
  return port
}
