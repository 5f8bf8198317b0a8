import { once } from "node:events"
import { createServer } from "node:net"

/**
 * A range below the ephemeral ports, so that no other program gets a port by chance between its choice and its use, and
 * above 10080, the last one that `fetch` refuses.
 */
const [lowest, count] = [10_081, 19_919]
let next = process.pid * 16

/** A port for a program that must know it before it listens. Use port 0 wherever a program can report its port. */
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
