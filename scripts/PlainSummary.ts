import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with one plain line, `N passed, N failed, N skipped`, for programs that read no colours. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++
      // A file that cannot be loaded has no tests that could fail.
      if (module.state() === "failed" && module.errors().length > 0) counts.failed++
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`)
  }
}
