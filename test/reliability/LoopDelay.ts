import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

/**
 * Preloaded into a measured server, which on SIGUSR2 then writes one line about its event loop since the last signal.
 * `delay` is the largest delay of a timer; `work` is the processor time of the longest turn, which other processes of
 * the machine do not lengthen. Both are in milliseconds.
 */
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let turn = process.threadCpuUsage()
  let longest = 0
  setInterval(() => {
    const { system, user } = process.threadCpuUsage(turn)
    longest = Math.max(longest, system + user)
    turn = process.threadCpuUsage()
  }, 1).unref()
  process.on("SIGUSR2", () => {
    process.stderr.write(`event loop ${JSON.stringify({ delay: delay.max / 1e6, work: longest / 1e3 })}\n`)
    delay.reset()
    longest = 0
  })
}
