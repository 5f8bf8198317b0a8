import type { Reporter, TestModule } from "vitest/node"

/**
 * Reporter that ends a run with one plain line, `N passed, N failed, N skipped`, for programs that do not parse
 * colours.
 */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++
      // A file that fails to load reports no failed tests, so it counts as one failure.
      if (module.state() === "failed" && module.errors().length > 0) counts.failed++
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`)
  }
}
